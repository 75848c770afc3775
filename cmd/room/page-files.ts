/**
 * `custom_page_file: FILE` in rooms files: the waiting page of a room from a file beside it, read with the rooms file.
 *
 * A page is long, and designers keep it in a file of its own. Rooms themselves know only the text: every node gets it,
 * and none reads this host's files.
 */

import { dirname, isAbsolute, join } from "node:path";
import { isObject } from "../../node/config/is-object.ts";
import { type Checked, type Problem, problemAt, problemsIn } from "../../node/config/problem.ts";

const FILE_FIELD = "custom_page_file";
const TEXT_FIELD = "custom_page_html";

/** The text of a file, or why it cannot be read. */
type ReadText = (path: string) => Checked<string>;

interface From {
  /** The rooms file, and the place in it. */
  readonly path: string;
  readonly place: string;
  readonly read: ReadText;
}

/** A document with its pages, and what is wrong with their files. */
interface WithPages {
  readonly value: unknown;
  readonly problems: readonly Problem[];
}

/** The data of a rooms file at `path` with each page in the place of its file. */
export function withPageFiles(data: unknown, path: string, read: ReadText): WithPages {
  if (!isObject(data) || !Array.isArray(data.rooms)) return { value: data, problems: [] };
  const rooms = data.rooms.map((room, index) => withPagesOfRoom(room, { path, place: `rooms[${index}]`, read }));
  return {
    value: { ...data, rooms: rooms.map(({ value }) => value) },
    problems: rooms.flatMap(({ problems }) => problems),
  };
}

/** A room of the file, with its events. */
function withPagesOfRoom(room: unknown, from: From): WithPages {
  const { value, problems } = withOwnPage(room, from);
  if (!isObject(value) || !Array.isArray(value.events)) return { value, problems };
  const events = value.events.map((event, index) =>
    withOwnPage(event, { ...from, place: `${from.place}.events[${index}]` }),
  );
  return {
    value: { ...value, events: events.map((event) => event.value) },
    problems: [...problems, ...events.flatMap((event) => event.problems)],
  };
}

function withOwnPage(room: unknown, { path, place, read }: From): WithPages {
  if (!isObject(room) || !(FILE_FIELD in room)) return { value: room, problems: [] };
  const { [FILE_FIELD]: file, ...others } = room;
  const field = `${place}.${FILE_FIELD}`;
  const wrong = (problem: string, repair: string): WithPages => ({
    value: others,
    problems: [problemAt(field, file, { problem, repair })],
  });
  const repair = "write the path of a Mustache template, beside the rooms file or absolute";
  if (typeof file !== "string" || file === "") return wrong("is not the path of a file", repair);
  if (TEXT_FIELD in room) return wrong(`stands beside ${TEXT_FIELD}`, "keep one of the two");
  const text = read(isAbsolute(file) ? file : join(dirname(path), file));
  if (!text.ok) return { value: others, problems: problemsIn(field, text.problems) };
  return { value: { ...others, [TEXT_FIELD]: text.value }, problems: [] };
}
