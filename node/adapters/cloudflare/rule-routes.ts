/** Cloudflare's routes for the rules of a waiting room. Each change answers with all rules, in their order. */

import type { Hono } from "hono";
import { idsKey } from "../../../mesh/core/replica/register-keys.ts";
import { isObject } from "../../config/is-object.ts";
import { type Problem, problemAt } from "../../config/problem.ts";
import { patchRoom } from "../../config/room-document.ts";
import { needs } from "../../operator/access/principal.ts";
import type { AdapterParts } from "../../operator/admin-api.ts";
import { type AdminEnv, actorOf } from "../../operator/logs/audit.ts";
import type { LiveRoom } from "../../rooms/live-room.ts";
import type { Rooms } from "../../rooms/rooms.ts";
import type { Rule } from "../../rules/rules.ts";
import { invalidBody, succeeded } from "./envelope.ts";
import { identified, identifiedAfter, type KeptItem, keptIn, keptRegister } from "./kept-ids.ts";
import { pageOf } from "./paging.ts";
import { moved, patchedRule, placeOf, readRule, ruleAnswer, ruleItem } from "./rule-fields.ts";
import { type Asked, bodyOf, notFound, problemsThere, ROOM_PATH, refusedChange, roomIn, wordingFor } from "./zone.ts";

const RULES_PATH = `${ROOM_PATH}/rules`;
const RULE_PATH = `${RULES_PATH}/:rule`;

/** The most rules of a room: a list of them is one page. */
const RULES_PAGE = { page: 1, perPage: 100 };

/** A rule as it should become, and what is kept of the one that it was. */
interface Wanted {
  readonly document: object;
  readonly kept: KeptItem | undefined;
}

interface Change {
  readonly live: LiveRoom;
  readonly wanted: readonly Wanted[];
  readonly action: string;
  /** What was wrong with the body. */
  readonly problems?: readonly Problem[];
  /** The place in the body of a place among the rules: of `[2].expression`. */
  readonly placeThere: (path: string) => string;
}

export function ruleRoutes(app: Hono<AdminEnv>, parts: AdapterParts): void {
  const { rooms } = parts;
  app.get(RULES_PATH, needs("read"), (c) => {
    const live = roomIn(c, rooms);
    return live instanceof Response ? live : ruleList(live, rooms);
  });
  app.post(RULES_PATH, needs("configure"), async (c) => {
    const live = roomIn(c, rooms);
    if (live instanceof Response) return live;
    const read = await bodyOf(c);
    if (read instanceof Response) return read;
    const now = wantedNow(live, rooms);
    const { document, problems } = readRule(read.body, { isNew: true });
    const wanted = [...now, { document, kept: undefined }];
    return change(c, parts, { live, wanted, problems, action: "rule created", placeThere: ofOne(now.length) });
  });
  app.on("PUT", RULES_PATH, needs("configure"), async (c) => {
    const live = roomIn(c, rooms);
    if (live instanceof Response) return live;
    const read = await bodyOf(c);
    if (read instanceof Response) return read;
    const { body } = read;
    if (!Array.isArray(body)) {
      const problem = { problem: "is not a list", repair: "send all rules of the room as a list, [] for none" };
      return invalidBody([problemAt("", body, problem)]);
    }
    const rules = body.map((each: unknown, index) => readRule(each, { place: `[${index}]`, isNew: true }));
    const left = wantedNow(live, rooms);
    const wanted = rules.map(({ document }, index) => ({ document, kept: keptOf(document, body[index], left) }));
    const problems = rules.flatMap((each) => each.problems);
    return change(c, parts, { live, wanted, problems, action: "rules replaced", placeThere: (path) => path });
  });
  app.patch(RULE_PATH, needs("configure"), async (c) => {
    const found = ruleIn(c, rooms);
    if (found instanceof Response) return found;
    const { live, rule, index, now } = found;
    const read = await bodyOf(c);
    if (read instanceof Response) return read;
    const { document, problems } = patchedRule(rule, read.body);
    const ids = now.map(({ kept }) => kept.id);
    const place = placeOf(isObject(read.body) ? read.body.position : undefined, { ids, from: index });
    const to = place.ok ? place.value : index;
    const all = now.map((each, at) => (at === index ? { ...each, document } : each));
    return change(c, parts, {
      live,
      wanted: moved(all, index, to),
      action: "rule updated",
      placeThere: ofOne(to),
      problems: [...problems, ...(place.ok ? [] : place.problems)],
    });
  });
  app.delete(RULE_PATH, needs("configure"), (c) => {
    const found = ruleIn(c, rooms);
    if (found instanceof Response) return found;
    const { live, index, now } = found;
    const wanted = now.filter((_, at) => at !== index);
    return change(c, parts, { live, wanted, action: "rule deleted", placeThere: (path) => path });
  });
}

function change(c: Asked, { rooms, audit }: AdapterParts, { live, wanted, action, ...rest }: Change): Response {
  const { problems = [], placeThere } = rest;
  const rules = wanted.map(({ document }) => document);
  const wording = wordingFor(c, (path) => placeThere(path.replace(/^rules/, "")), problems);
  if (problems.length > 0) {
    const parsed = patchRoom(live.declared, { rules });
    return invalidBody(problemsThere(parsed.ok ? [] : parsed.problems, wording));
  }
  const key = idsKey(live.id);
  const beside = (room: { readonly rules: readonly Rule[] }) => {
    const { events } = keptIn(rooms.beside(key));
    const kept = wanted.map((each) => each.kept);
    const ids = { events, rules: identifiedAfter(room.rules.map(ruleItem), kept, live.nowMs) };
    return new Map([[key, keptRegister(ids, live.firstName, live.nowMs)]]);
  };
  const update = () => rooms.update(live.declared.name, { rules }, { beside });
  const changed = audit.tracked(actorOf(c), action, update);
  return changed.ok ? ruleList(changed.value, rooms) : refusedChange(changed.refusal, wording);
}

function ruleList(live: LiveRoom, rooms: Rooms): Response {
  const { items, info } = pageOf(rulesWithIds(live, rooms), RULES_PAGE);
  return succeeded(
    items.map(({ rule, kept }) => ruleAnswer(rule, kept)),
    info,
  );
}

function rulesWithIds(live: LiveRoom, rooms: Rooms) {
  const { rules } = live.declared;
  const ids = identified(rules.map(ruleItem), keptIn(rooms.beside(idsKey(live.id))).rules, live);
  return rules.flatMap((rule, index) => {
    const kept = ids[index];
    return kept === undefined ? [] : [{ rule, kept }];
  });
}

function wantedNow(live: LiveRoom, rooms: Rooms) {
  return rulesWithIds(live, rooms).map(({ rule, kept }) => ({ document: { ...rule } as object, kept }));
}

function ruleIn(c: Asked, rooms: Rooms) {
  const live = roomIn(c, rooms);
  if (live instanceof Response) return live;
  const id = c.req.param("rule") ?? "";
  const now = wantedNow(live, rooms);
  const index = now.findIndex(({ kept }) => kept.id === id);
  const rule = live.declared.rules[index];
  if (rule === undefined) return notFound("rule", id, "list the room's rules to see their ids");
  return { live, rule, index, now };
}

/** Which of `left` a rule of a new list was: the one whose id it repeats, or one with its expression. Takes it out. */
function keptOf(document: object, body: unknown, left: { document: object; kept: KeptItem }[]): KeptItem | undefined {
  const id = isObject(body) ? body.id : undefined;
  const isSame = ({ document: old }: { document: object }): boolean =>
    Reflect.get(old, "expression") === Reflect.get(document, "expression");
  const byId = left.findIndex(({ kept }) => kept.id === id);
  const at = byId === -1 ? left.findIndex(isSame) : byId;
  return at === -1 ? undefined : left.splice(at, 1)[0]?.kept;
}

/** The place of a problem of the one rule that a body is about; others are named by their place among the rules. */
function ofOne(index: number): (path: string) => string {
  return (path) => {
    const [, at, field = ""] = /^\[(\d+)\]\.?(.*)$/.exec(path) ?? [];
    return Number(at) === index ? field : path;
  };
}
