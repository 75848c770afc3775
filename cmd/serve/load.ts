/**
 * The configuration of a node, files included: what `serve` starts with and what `config check` shows.
 *
 * Everything that is wrong is reported at once: arguments, settings, unreadable files, and the rooms in the rooms file.
 */

import { join } from "node:path";
import { checkOrigins } from "../../node/config/check-rooms.ts";
import { type Checked, checked, problemsIn } from "../../node/config/problem.ts";
import type { Room } from "../../node/config/room.ts";
import { givenByCredentials } from "../../node/config/setting-sources.ts";
import {
  joinProblems,
  type ResolvedSettings,
  resolveSettings,
  type SettingSources,
  secretFilesIn,
  textInForce,
} from "../../node/config/settings.ts";
import { SETTINGS, type SettingKey } from "../../node/config/settings-table.ts";
import { type PeopleFile, parsePeople } from "../../node/operator/access/people-file.ts";
import type { Invocation } from "../command.ts";
import { codeOf } from "../failure.ts";
import type { Io } from "../io.ts";
import { problemsOf, readInput, shownPath } from "../read-input.ts";
import { loadRooms, type RoomsFile } from "../room/load-rooms.ts";
import { workerDirectory } from "../workers/worker-flags.ts";
import { type Certificates, loadCertificates, type TlsPaths } from "./certificates.ts";

export interface Configuration extends ResolvedSettings {
  /** The rooms of the rooms file, in its order; none without one. */
  readonly rooms: readonly Room[];
  readonly certificates: Certificates;
  readonly people: PeopleFile | undefined;
}

const NO_FILE: RoomsFile = { rooms: [], located: (problems) => [...problems] };

/** The configuration that `invocation` asks for, or all problems. */
export function loadConfiguration({ io, flags, problems: wrongArguments }: Invocation): Checked<Configuration> {
  const credentials = givenByCredentials(io.environment.CREDENTIALS_DIRECTORY, (path) => isThere(io, path));
  const given = { flags, environment: io.environment, credentials };
  const configPath = textInForce({ ...given, file: undefined }, "config");
  const config = configPath === undefined ? undefined : readInput(io, configPath);
  const file = configPath !== undefined && config?.ok ? { path: configPath, text: config.value } : undefined;
  const secrets = readSecrets(io, secretFilesIn({ ...given, file }));
  const sources = { ...given, file, secrets: secrets.texts };
  const resolved = resolveSettings(sources);
  // Files are read whether or not the settings are valid, so that all problems appear in one run.
  const [roomsPath, origin] = [textInForce(sources, "rooms"), textInForce(sources, "origin")];
  const rooms = roomsPath === undefined ? checked<RoomsFile>(NO_FILE, []) : loadRooms(io, roomsPath);
  const withoutOrigin = rooms.ok ? rooms.value.located(checkOrigins(rooms.value.rooms, origin)) : [];
  const certificates = loadCertificates(io, tlsPathsOf(sources));
  const people = loadPeople(io, textInForce(sources, "people"));
  const problems = [
    ...wrongArguments,
    ...problemsOf(config),
    ...secrets.problems,
    ...problemsOf(resolved),
    ...joinProblems(sources, hasMeshKey(io, sources)),
    ...problemsOf(rooms),
    ...withoutOrigin,
    ...problemsOf(readInputAt(io, textInForce(sources, "meshKey"))),
    ...problemsOf(certificates),
    ...problemsOf(people),
  ];
  if (!resolved.ok || !rooms.ok || !certificates.ok || !people.ok) return { ok: false, problems };
  const files = { rooms: rooms.value.rooms, certificates: certificates.value, people: people.value };
  return checked({ ...resolved.value, ...files }, problems);
}

function loadPeople(io: Io, path: string | undefined): Checked<PeopleFile | undefined> {
  if (path === undefined) return checked(undefined, []);
  const text = readInput(io, path, { isReadAgain: true });
  if (!text.ok) return text;
  const people = parsePeople(text.value);
  return people.ok ? people : { ok: false, problems: problemsIn(shownPath(path), people.problems) };
}

/** Paths of files for TLS, even if other settings are invalid: their problems should appear in the same run. */
function tlsPathsOf(sources: SettingSources): TlsPaths {
  const textOf = (key: SettingKey): string | undefined => textInForce(sources, key);
  const listOf = (key: SettingKey): readonly string[] =>
    textOf(key)
      ?.split(",")
      .map((path) => path.trim()) ?? [];
  const [certs, keys] = [listOf("tlsCert"), listOf("tlsKey")];
  const [cert, key] = [textOf("originCert"), textOf("originKey")];
  const pairs = Array.from({ length: Math.max(certs.length, keys.length) }, (_, at) => ({
    cert: certs[at],
    key: keys[at],
  }));
  return {
    tls: { pairs, clientCa: textOf("tlsClientCa") },
    originCa: textOf("originCa"),
    originCert: { cert, key },
  };
}

/** The texts of files with secrets, by path, and what is wrong with the others. */
function readSecrets(io: Io, paths: readonly string[]) {
  const read = paths.map((path) => ({ path, text: readInput(io, path, { isReadAgain: true }) }));
  return {
    texts: new Map(read.flatMap(({ path, text }) => (text.ok ? [[path, text.value] as const] : []))),
    problems: read.flatMap(({ text }) => problemsOf(text)),
  };
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

/** The text of a file that the node reads again when it starts. */
function readInputAt(io: Io, path: string | undefined): Checked<string> | undefined {
  return path === undefined ? undefined : readInput(io, path, { isReadAgain: true });
}
