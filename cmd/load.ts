/**
 * The configuration of a node, files included: what `serve` starts with and what `config check` shows.
 *
 * Everything that is wrong is reported at once: arguments, settings, unreadable files, and the rooms in the rooms file.
 */

import { join } from "node:path";
import { checkOrigins } from "../node/config/check-rooms.ts";
import { type Checked, checked, type Problem, problemsIn } from "../node/config/problem.ts";
import type { Room } from "../node/config/room.ts";
import { parseRooms } from "../node/config/rooms-file.ts";
import {
  joinProblems,
  type ResolvedSettings,
  resolveSettings,
  type SettingSources,
  textInForce,
} from "../node/config/settings.ts";
import { SETTINGS } from "../node/config/settings-table.ts";
import { parseYaml } from "../node/config/yaml-text.ts";
import { messageOf } from "../node/message-of.ts";
import type { Invocation } from "./command.ts";
import { codeOf } from "./failure.ts";
import type { Io } from "./io.ts";
import { withPageFiles } from "./page-files.ts";
import { type HowRead, NOT_A_FILE, READ_ONCE } from "./read-file.ts";
import { certificateProblems, tlsProblems } from "./tls-check.ts";
import { workerDirectory } from "./workers/worker-flags.ts";

export interface Configuration extends ResolvedSettings {
  /** The rooms of the rooms file, in its order; none without one. */
  readonly rooms: readonly Room[];
}

/** The configuration that `invocation` asks for, or all problems. */
export function loadConfiguration({ io, flags, problems: wrongArguments }: Invocation): Checked<Configuration> {
  const given = { flags, environment: io.environment };
  const configPath = textInForce({ ...given, file: undefined }, "config");
  const config = configPath === undefined ? undefined : readInput(io, configPath);
  const file = configPath !== undefined && config?.ok ? { path: configPath, text: config.value } : undefined;
  const sources = { ...given, file };
  const resolved = resolveSettings(sources);
  // Files are read whether or not the settings are valid, so that all problems appear in one run.
  const [roomsPath, origin] = [textInForce(sources, "rooms"), textInForce(sources, "origin")];
  const rooms = roomsPath === undefined ? checked<readonly Room[]>([], []) : loadRooms(io, roomsPath);
  const withoutOrigin = rooms.ok ? problemsIn(roomsPath ?? "", checkOrigins(rooms.value, origin)) : [];
  const problems = [
    ...wrongArguments,
    ...problemsOf(config),
    ...problemsOf(resolved),
    ...joinProblems(sources, hasMeshKey(io, sources)),
    ...problemsOf(rooms),
    ...withoutOrigin,
    ...problemsOf(readInputAt(io, textInForce(sources, "meshKey"))),
    ...certificatesWrong(io, sources),
  ];
  if (!resolved.ok || !rooms.ok) return { ok: false, problems };
  return checked({ ...resolved.value, rooms: rooms.value }, problems);
}

/** Files that are used only once the node starts; their problems should appear before. */
function certificatesWrong(io: Io, sources: SettingSources): readonly Problem[] {
  const [chain, key, trusted] = (["tlsCert", "tlsKey", "originCa"] as const).map((setting) => {
    const path = textInForce(sources, setting);
    const text = readInputAt(io, path);
    return {
      problems: problemsOf(text),
      file: path !== undefined && text?.ok ? { path, text: text.value } : undefined,
    };
  });
  return [
    ...[chain, key, trusted].flatMap((read) => read?.problems ?? []),
    ...tlsProblems(chain?.file, key?.file),
    ...certificateProblems(trusted?.file),
  ];
}

/** Whether the data directory, or that of one of its workers, has a mesh key. */
function hasMeshKey(io: Io, sources: SettingSources): boolean {
  if (["true", "1"].includes(textInForce(sources, "ephemeral") ?? "")) return false;
  const data = textInForce(sources, "data") ?? SETTINGS.data.fallback;
  const workers = Number(textInForce(sources, "workers") ?? 1);
  const directories = workers > 1 ? Array.from({ length: workers }, (_, at) => workerDirectory(at + 1)) : ["."];
  return directories.some((directory) => isThere(io, join(data, directory, "mesh.key")));
}

/** A file that cannot be read exists, too: the start reports what is wrong with it. */
function isThere(io: Io, path: string): boolean {
  try {
    io.read(path);
    return true;
  } catch (error) {
    return codeOf(error) !== "ENOENT";
  }
}

/** The rooms in the file at `path`, and the pages that it names, as `serve` reads them again on SIGHUP. */
export function loadRooms(io: Pick<Io, "read">, path: string, how?: HowRead): Checked<readonly Room[]> {
  const text = readInput(io, path, how);
  if (!text.ok) return text;
  const data = parseYaml(text.value);
  if (!data.ok) return { ok: false, problems: problemsIn(shownPath(path), data.problems) };
  const { value, problems } = withPageFiles(data.value, path, (file) => readInput(io, file, how));
  const rooms = parseRooms(value);
  const all = problemsIn(shownPath(path), [...problems, ...problemsOf(rooms)]);
  return checked(rooms.ok ? rooms.value : [], all);
}

/** The path as problems call it: `-` is stdin. */
export function shownPath(path: string): string {
  return path === "-" ? "stdin" : path;
}

/** The text of a file, or the reason why it cannot be read. */
export function readInput(io: Pick<Io, "read">, path: string, how?: HowRead): Checked<string> {
  try {
    return { ok: true, value: io.read(path, how) };
  } catch (error) {
    // All other problems are still reported; the cause is in this one's text.
    const problem: Problem = {
      path: shownPath(path),
      problem: REASONS[codeOf(error)] ?? `cannot be read: ${messageOf(error)}`,
      repair: "name a regular file that exists and that this user may read",
    };
    return { ok: false, problems: [problem] };
  }
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: "does not exist",
  EACCES: "may not be read by this user",
  EISDIR: "is a directory, not a file",
  [NOT_A_FILE]: "is a pipe, a socket or a device, not a file",
  [READ_ONCE]: "can be read only once, and is read again while the node runs",
};

/** The same for a file that the node reads again when it starts. */
function readInputAt(io: Io, path: string | undefined): Checked<string> | undefined {
  return path === undefined ? undefined : readInput(io, path, { isReadAgain: true });
}

function problemsOf(result: Checked<unknown> | undefined): readonly Problem[] {
  return result === undefined || result.ok ? [] : result.problems;
}
