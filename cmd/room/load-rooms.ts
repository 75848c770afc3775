/**
 * A rooms file as a command reads it: its rooms, or everything that is wrong with it, each problem with its line and
 * room.
 */

import { type Checked, checked, type Problem, problemsIn } from "../../node/config/problem.ts";
import type { Room } from "../../node/config/room.ts";
import { parseRooms } from "../../node/config/rooms-file.ts";
import { placed } from "../../node/config/yaml-places.ts";
import { parseYaml } from "../../node/config/yaml-text.ts";
import type { Io } from "../io.ts";
import type { HowRead } from "../read-file.ts";
import { problemsOf, readInput, shownPath } from "../read-input.ts";
import { withPageFiles } from "./page-files.ts";

export interface RoomsFile {
  readonly rooms: readonly Room[];
  /** Problems that others find with these rooms, at their places in the file. */
  readonly located: (problems: readonly Problem[]) => Problem[];
}

/** The rooms in the file at `path`, and the pages that it names, as `serve` reads them again on SIGHUP. */
export function loadRooms(io: Pick<Io, "read">, path: string, how?: HowRead): Checked<RoomsFile> {
  const text = readInput(io, path, how);
  if (!text.ok) return text;
  const data = parseYaml(text.value);
  const located = (problems: readonly Problem[]): Problem[] =>
    problemsIn(shownPath(path), placed(problems, text.value));
  if (!data.ok) return { ok: false, problems: located(data.problems) };
  const { value, problems } = withPageFiles(data.value, path, (file) => readInput(io, file, how));
  const rooms = parseRooms(value);
  const all = located([...problems, ...problemsOf(rooms)]);
  return checked({ rooms: rooms.ok ? rooms.value : [], located }, all);
}
