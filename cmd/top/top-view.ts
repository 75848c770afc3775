/**
 * The screen of `anteroom top`: warnings, rooms with bars, notes, and the mesh as far as it fits; the keys at the
 * bottom.
 *
 * It has the terminal's size exactly: the rooms scroll to the chosen one, and what is further down is cut, so that the
 * last line always shows what a key would do.
 */

import { type Cell, type Column, padOrCut, styled, type TableOptions, table, wrap } from "../print.ts";
import { ROOM_COLUMNS, roomNotes, roomRow, statusParts } from "../status/status-view.ts";
import { chosenRoom, type TopState } from "./top-state.ts";

export interface Size {
  readonly columns: number;
  readonly rows: number;
  readonly color: boolean;
}

const BAR_CELLS = 8;

const [NAME, STATE, INSIDE, ...OTHERS] = ROOM_COLUMNS;
const COLUMNS: readonly Column[] = [
  ...[{ title: " " }, NAME, STATE, INSIDE].filter((column) => column !== undefined),
  { title: "", cutTo: 0 },
  ...OTHERS.map((column) => (column.title === "THIS MIN / LIMIT" ? { ...column, title: "MIN / LIMIT" } : column)),
];

const KEYS = "up/down choose · h hold · o open · r resume · q quit";

/** All lines of the screen. */
export function topText(state: TopState, { columns, rows, color }: Size): string {
  const options = { color, width: columns };
  const last = styled(padOrCut(bottomLine(state), columns), "bold", color);
  const lines =
    state.status === undefined
      ? wrap(state.trouble ?? "Asking the node …", columns).split("\n")
      : body(state, rows - 1, options);
  const shown = lines.slice(0, rows - 1);
  return [...shown, ...Array.from({ length: rows - 1 - shown.length }, () => ""), last].join("\n");
}

function bottomLine({ question, said }: TopState): string {
  if (question !== undefined) return `${question.order} room ${question.room}? y/n`;
  return said === "" ? KEYS : `${said}  (q quits)`;
}

function body(state: TopState, rows: number, options: TableOptions): string[] {
  const { status, trouble } = state;
  if (status === undefined) return [];
  const { heading, warnings, mesh } = statusParts(status, options);
  const silent = trouble === undefined ? [] : wrap(`Not up to date: ${trouble}`, options.width).split("\n");
  // Warnings must not push the rooms off a small screen.
  const top = linesOf([...heading, ...silent, ...warnings]).slice(0, Math.max(3, Math.floor(rows / 2)));
  const places = Math.max(1, rows - top.length - 2);
  const chosen = chosenRoom(state);
  const at = status.rooms.findIndex(({ name }) => name === chosen);
  const from = Math.max(0, Math.min(at - places + 1, status.rooms.length - places));
  const visible = status.rooms.slice(from, from + places);
  const tableOfRooms = table(
    COLUMNS,
    visible.map((room) => topRow(room, room.name === chosen)),
    options,
  );
  const notes = linesOf(roomNotes(visible).map((note) => wrap(note, options.width, "  ")));
  const list = status.rooms.length === 0 ? ["No rooms yet."] : [...tableOfRooms.split("\n"), ...notes];
  return [...top, "", ...list, "", ...linesOf(mesh)];
}

function linesOf(texts: readonly string[]): string[] {
  return texts.flatMap((text) => text.split("\n"));
}

function topRow(room: Parameters<typeof roomRow>[0], isChosen: boolean): (Cell | string)[] {
  const [name = "", state = "", inside = "", ...others] = roomRow(room);
  const filled = Math.min(BAR_CELLS, Math.round((BAR_CELLS * room.inside) / Math.max(1, room.total_active_users)));
  const bar = "#".repeat(filled) + ".".repeat(BAR_CELLS - filled);
  return [isChosen ? { text: ">", style: "bold" } : "", name, state, inside, bar, ...others];
}
