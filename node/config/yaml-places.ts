/**
 * Where the fields of a rooms file stand: the line of a problem, and the name of its room.
 *
 * Checks see plain data, and name a field by its path, such as `rooms[3].page.message`. A person looks for it in a file
 * of hundreds of lines.
 */

import {
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Pair,
  parseDocument,
  type YAMLMap,
} from "yaml";
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
    // What a merge key brings stands outside of its room.
    const room =
      rooms.findLast(({ from, to }) => line !== undefined && from <= line && line <= to) ??
      rooms.find((each) => String(each.index) === index);
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
    const room = isAlias(node) ? node.resolve(document) : node;
    const range = rangeOf(node);
    if (!isMap(room) || range === undefined) return [];
    const named = pairOf(room, "name", document)?.value;
    const name = isScalar(named) ? named.value : undefined;
    const known = typeof name === "string" && name !== "" ? name : undefined;
    return [{ index, name: known, from: lines.linePos(range[0]).line, to: lines.linePos(range[1]).line }];
  });
}

/** The line of the field at `path`, or of what should contain it; undefined without a path. */
function lineOf(document: Document, path: string, lines: LineCounter): number | undefined {
  let node: unknown = document.contents;
  let at = rangeOf(node)?.[0];
  let isPath = false;
  for (const [, index, key] of path.matchAll(STEP)) {
    const within: unknown = isAlias(node) ? node.resolve(document) : node;
    let next: unknown;
    isPath = true;
    if (index !== undefined && isSeq(within)) {
      next = within.items[Number(index)];
      at = rangeOf(next)?.[0] ?? at;
    } else if (key !== undefined && isMap(within)) {
      const pair = pairOf(within, key, document);
      next = pair?.value;
      at = rangeOf(pair?.key)?.[0] ?? at;
    }
    if (next === undefined || next === null) break;
    node = next;
  }
  return isPath && at !== undefined ? lines.linePos(at).line : undefined;
}

/** The pair with `key` in a mapping, or in what its merge keys bring. */
function pairOf(map: YAMLMap, key: string, document: Document): Pair | undefined {
  const own = map.items.find((each) => isScalar(each.key) && String(each.key.value) === key);
  if (own !== undefined) return own;
  for (const { key: merge, value } of map.items) {
    if (!isScalar(merge) || typeof merge.value !== "symbol") continue;
    for (const each of isSeq(value) ? value.items : [value]) {
      const source = isAlias(each) ? each.resolve(document) : each;
      const found = isMap(source) ? pairOf(source, key, document) : undefined;
      if (found !== undefined) return found;
    }
  }
  return undefined;
}

function rangeOf(node: unknown): readonly [number, number, ...unknown[]] | undefined {
  const range = isObject(node) ? node.range : undefined;
  return Array.isArray(range) ? (range as unknown as [number, number]) : undefined;
}
