/**
 * A rule in Cloudflare's form, and back to one of ours.
 *
 * There, every rule bypasses the room. One of ours may instead queue, challenge or block what it matches. It is shown as a bypass that is not enabled, which is true for all who read only their fields; `anteroom` says
 * what it does.
 */

import { isObject } from "../../config/is-object.ts";
import { type Checked, type Problem, problemAt } from "../../config/problem.ts";
import { unknownFields } from "../../config/unknown-keys.ts";
import { isoOf } from "../../iso-time.ts";
import type { Rule } from "../../rules/rules.ts";
import type { Item, KeptItem } from "./kept-ids.ts";

type Fields = Readonly<Record<string, unknown>>;

const FIELDS: readonly string[] = ["action", "expression", "description", "enabled"];
const READ_ONLY: readonly string[] = ["id", "version", "last_updated"];
const OURS: readonly string[] = ["action", "enabled"];

export function ruleItem(rule: Rule): Item {
  return { document: { ...rule }, name: "" };
}

export function ruleAnswer({ action, description, enabled, expression }: Rule, kept: KeptItem): Fields {
  const isBypass = action === "bypass_waiting_room";
  return {
    id: kept.id,
    version: String(kept.version),
    last_updated: isoOf(kept.modified_ms),
    expression,
    description,
    action: "bypass_waiting_room",
    enabled: isBypass && enabled,
    ...(!isBypass && { anteroom: { action, enabled } }),
  };
}

/** What a body asks for: fields of a rule of ours, without defaults. */
export interface ReadRule {
  readonly document: Fields;
  readonly problems: readonly Problem[];
}

/** Reads a rule at `place` of a body. A new one needs its action, a change of one may have a position. */
export function readRule(
  body: unknown,
  { place = "", isNew }: { readonly place?: string; readonly isNew: boolean },
): ReadRule {
  const at = (path: string): string => (place === "" ? path : `${place}.${path}`);
  if (!isObject(body)) {
    const repair = 'send a rule as an object: {action: "bypass_waiting_room", expression: "ip.src in {10.0.0.0/8}"}';
    return { document: {}, problems: [problemAt(place, body, { problem: "is not an object", repair })] };
  }
  const { action, anteroom } = body;
  const problems: Problem[] = [];
  const ignored = [...READ_ONLY, ...(isNew ? [] : ["position"])];
  problems.push(...unknownFields(body, { known: [...FIELDS, "anteroom"], ignored, place }));
  if (action !== "bypass_waiting_room" && (isNew || action !== undefined))
    problems.push(
      problemAt(at("action"), action, {
        problem: action === undefined ? "is missing" : "is not bypass_waiting_room",
        repair: "write bypass_waiting_room; for a rule that does not, write anteroom: {action: queue} beside it",
      }),
    );
  const ours = isObject(anteroom) ? anteroom : {};
  if (anteroom !== undefined && !isObject(anteroom))
    problems.push(problemAt(at("anteroom"), anteroom, { problem: "is not an object", repair: "leave it out" }));
  problems.push(...unknownFields(ours, { known: OURS, place: at("anteroom") }));
  const given = FIELDS.filter((key) => key in body).map((key) => [key, body[key]]);
  const document = Object.fromEntries([...given, ...Object.entries(ours).filter(([key]) => OURS.includes(key))]);
  return { document, problems };
}

/** A change of one rule: what it names, in place of what the rule has. */
export function patchedRule(rule: Rule, body: unknown): ReadRule {
  const { document, problems } = readRule(body, { isNew: false });
  const isPlain = isObject(body) && body.anteroom === undefined;
  if (rule.action === "bypass_waiting_room" || !isPlain) return { document: { ...rule, ...document }, problems };
  // To a client that reads only their fields this is a bypass that is switched off: it must not become one unasked.
  const { action: _action, enabled, ...rest } = document;
  const problem = "would switch on a rule that bypasses nothing";
  const repair = "send anteroom: {action: bypass_waiting_room} to make it bypass, or anteroom: {enabled: true}";
  const asked = enabled === true ? [problemAt("enabled", enabled, { problem, repair })] : [];
  return { document: { ...rule, ...rest }, problems: [...problems, ...asked] };
}

/** The place of a rule after a change, from 0: `position` is {index}, {before} or {after}. */
export function placeOf(position: unknown, { ids, from }: { ids: readonly string[]; from: number }): Checked<number> {
  if (position === undefined) return { ok: true, value: from };
  const repair =
    'write one of {index: 1}, {before: "ID"} and {after: "ID"}; an empty ID is the first or the last place';
  const problem = (path: string, wrong: string): Checked<number> => {
    const value = path === "position" ? position : Reflect.get(Object(position), path.slice("position.".length));
    return { ok: false, problems: [problemAt(path, value, { problem: wrong, repair })] };
  };
  if (!isObject(position)) return problem("position", "is not an object");
  const [[key, value] = ["", undefined], ...more] = Object.entries(position);
  if (more.length > 0 || !["index", "before", "after"].includes(key)) return problem("position", "is not one place");
  if (key === "index") {
    if (typeof value !== "number" || !Number.isInteger(value))
      return problem("position.index", "is not a whole number");
    if (value < 1 || value > ids.length) return problem("position.index", `is not from 1 to ${ids.length}`);
    return { ok: true, value: value - 1 };
  }
  if (typeof value !== "string") return problem(`position.${key}`, "is not a rule's id");
  if (value === "") return { ok: true, value: key === "before" ? 0 : ids.length - 1 };
  const others = ids.filter((_, index) => index !== from);
  const beside = others.indexOf(value);
  if (beside === -1) return problem(`position.${key}`, "is the id of no other rule of this room");
  return { ok: true, value: key === "before" ? beside : beside + 1 };
}

/** The list with the entry at `from` at `to`. */
export function moved<Entry>(list: readonly Entry[], from: number, to: number): Entry[] {
  const others = list.filter((_, index) => index !== from);
  return [...others.slice(0, to), ...list.slice(from, from + 1), ...others.slice(to)];
}
