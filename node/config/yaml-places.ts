/**
 * Where the fields of a rooms file stand: the line of a problem, and the name of its room.
 *
 * Checks see plain data, and name a field by its path, such as `rooms[3].page.message`. A person looks for it in a file
 * of hundreds of lines.
 */

import { type Document, isMap, isScalar, isSeq, LineCounter, type Pair, parseDocument, type YAMLMap } from "yaml";
import { isObject } from "./is-object.ts";
import type { Problem } from "./problem.ts";

/** A step of a path: the key of a mapping, or the place in a list. */
const STEP = /\[(\d+)\]|([^.[\]: ]+)/g;

const SYNTAX_PLACE = /^line (\d+), column \d+$/;

/** The same problems, each with the line of `text` in which its field stands, and the name of its room, by lines. */
export function placed(problems: readonly Problem[], text: string): Problem[] {
  if (problems.length === 0) return [];
  const lines = new LineCounter();
  const document = documentOf(text, lines);
  if (document === undefined) return [...problems];
  const rooms = roomsOf(document, lines);
  const all = problems.map((problem) => {
    const { path } = problem;
    const syntax = SYNTAX_PLACE.exec(path)?.[1];
    const line = syntax === undefined ? lineOf(document, placeOf(path, rooms), lines) : Number(syntax);
    const index = /^rooms\[(\d+)\]/.exec(path)?.[1];
    const room =
      rooms.find((each) => String(each.index) === index) ??
      rooms.findLast(({ from, to }) => line !== undefined && from <= line && line <= to);
    return { ...problem, ...(line !== undefined && { line }), ...(room?.name !== undefined && { room: room.name }) };
  });
  // What has no line concerns the whole file.
  return all.toSorted((one, other) => (one.line ?? 0) - (other.line ?? 0));
}

/** `room shop.name`, as a node names a field, is the field of the room with that name. */
function placeOf(path: string, rooms: readonly RoomPlace[]): string {
  const [, name, rest = ""] = /^room ((?:[\w-]+:)?[\w-]+)(.*)$/s.exec(path) ?? [];
  if (name === undefined) return path;
  const index = rooms.findIndex((room) => room.name === name);
  return index === -1 ? "" : `rooms[${index}]${rest}`;
}

/** The document, as far as it can be read; undefined for one that the parser gives up. */
function documentOf(text: string, lineCounter: LineCounter): Document | undefined {
  try {
    return parseDocument(text, { lineCounter, prettyErrors: false, schema: "core", merge: true });
  } catch {
    // The problems have said why; they stay without lines.
    return undefined;
  }
}

interface RoomPlace {
  readonly index: number;
  readonly name: string | undefined;
  readonly from: number;
  readonly to: number;
}

/** The rooms under `rooms:`, or the one room that the document is. */
function roomsOf(document: Document, lines: LineCounter): RoomPlace[] {
  const root = document.contents;
  const list = isMap(root) ? root.get("rooms", true) : undefined;
  const nodes: readonly unknown[] = isSeq(list) ? list.items : [root];
  return nodes.flatMap((node, index) => {
    const range = rangeOf(node);
    if (!isMap(node) || range === undefined) return [];
    const named = pairOf(node, "name")?.value;
    const name = isScalar(named) ? named.value : undefined;
    const known = typeof name === "string" && name !== "" ? name : undefined;
    return [{ index, name: known, from: lines.linePos(range[0]).line, to: lines.linePos(range[1]).line }];
  });
}

/**
 * The line of the field at `path`, or of what should contain it; undefined without a path. What an alias or a merge key
 * brings stands elsewhere, perhaps for several rooms: it has the line of that key.
 */
function lineOf(document: Document, path: string, lines: LineCounter): number | undefined {
  const steps = [...path.matchAll(STEP)];
  if (steps.length === 0) return undefined;
  let node: unknown = document.contents;
  let at = rangeOf(node)?.[0];
  for (const [, index, key] of steps) {
    const pair = key !== undefined && isMap(node) ? pairOf(node, key) : undefined;
    const item = index !== undefined && isSeq(node) ? node.items[Number(index)] : undefined;
    at = rangeOf(pair?.key ?? item)?.[0] ?? at;
    node = pair?.value ?? item;
  }
  return at === undefined ? undefined : lines.linePos(at).line;
}

function pairOf(map: YAMLMap, key: string): Pair | undefined {
  return map.items.find((each) => isScalar(each.key) && String(each.key.value) === key);
}

function rangeOf(node: unknown): readonly [number, number, ...unknown[]] | undefined {
  const range = isObject(node) ? node.range : undefined;
  return Array.isArray(range) ? (range as unknown as [number, number]) : undefined;
}
