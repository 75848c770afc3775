/** The part of the admin API about one visitor, by the number on the visitor's page: where, to the front, back, or out. */

import { z } from "zod";
import { LOOK_ACTIONS } from "../../admission/mesh/room-messages.ts";
import { NO_DRAWS } from "../../admission/queue-order.ts";
import type { Shape } from "../../config/document-fields.ts";
import { expiryOf } from "../../config/expiry.ts";
import { timeText, unixMs } from "../../config/field-kinds.ts";
import type { Problem } from "../../config/problem.ts";
import { readSupportId } from "../../gate/support-id.ts";
import { isoOf } from "../../iso-time.ts";
import { BLOCK_DAYS_MAX } from "../../rooms/blocked-visitors.ts";
import { refused } from "../../rooms/changed.ts";
import { refusalFor } from "../access/other-rooms.ts";
import { invalid } from "../calls/api-answers.ts";
import { operation } from "../calls/operation.ts";
import type { Serve } from "../calls/serve.ts";
import { actorOf } from "../logs/audit.ts";
import { named } from "./common-shapes.ts";
import type { RoomRoutes } from "./rooms.ts";

const BYTES_MAX = 1_024;

/** Its own orders, besides what a look may do: they need no look. */
export const VISITOR_ACTIONS = [...LOOK_ACTIONS, "block", "unblock"] as const;
export type VisitorAction = (typeof VISITOR_ACTIONS)[number];

const ACTIONS = "find, admit, put-back, remove, block or unblock";
const WRITE_ACTION = `write ${ACTIONS}`;
/** Until what is certainly over: a queue, a sale, or the patience of one who does harm. */
const BLOCKED_FOR = "24h";
const WRITE_SINCE = "write a moment of the last 24 hours, such as 2026-11-27T10:02:00Z";

/** As far as `admit` puts a visitor to the front: nobody is to come before those. */
const PUT_BACK_MS_MAX = 86_400_000;

const VISITOR_FOUND = named(
  "VisitorFound",
  z.object({
    visitor: z.string().describe("the number, as the page shows it"),
    state: z
      .enum(["looking", "not-seen", "waiting", "inside", "unproved", "blocked", "unblocked"])
      .describe("not-seen: nobody has asked with this number; unproved: not in line before a proof of work"),
    until_ms: unixMs
      .optional()
      .describe("until when it is looked for, or the end of the block, or of the session unless extended"),
    since_ms: unixMs.optional().describe("when the visitor joined the line, came in, or was blocked"),
    position: z.number().optional().describe("place in line; 0 while it is not known"),
    wait_seconds: z.number().optional().describe("left out where it is not known"),
    done: z.boolean().optional().describe("whether the order has been carried out"),
  }),
);

export type VisitorFound = Shape<typeof VISITOR_FOUND>;

const LOOK = operation({
  id: "findVisitor",
  method: "POST",
  path: "/v1/rooms/{name}/visitors/{visitor}",
  topic: "operation",
  scope: "operate",
  summary:
    "looks for a [visitor](operate.md#one-visitor) by the number on the page, repeat it while it says `looking`; or blocks one",
  body: {
    schema: named(
      "VisitorLook",
      z.strictObject({
        action: z
          .enum(VISITOR_ACTIONS, { error: `is not ${ACTIONS}` })
          .default("find")
          .describe(
            "admit: puts a visitor who waits at the front, for the next free slot; " +
              "put-back: gives the place of the moment `since`, unless the visitor's is better; " +
              "remove: ends place or session; " +
              "block: does so, and keeps the visitor out until `until`; unblock: lifts that",
          ),
        since: timeText.optional().describe("with `put-back`: when the visitor had joined, within the last 24 hours"),
        until: z
          .string()
          .optional()
          .describe(`with \`block\`: a span or a time, at most ${BLOCK_DAYS_MAX} days; ${BLOCKED_FOR} if left out`),
      }),
    ),
    bytesMax: BYTES_MAX,
    repairs: { "": WRITE_ACTION, action: WRITE_ACTION, since: WRITE_SINCE },
    read: "here",
    example: { action: "admit" },
  },
  answer: {
    description: "where the visitor is, once a page has asked with this number",
    schema: VISITOR_FOUND,
  },
  problems: ["not-found", "conflict"],
});

const AUDITED = {
  find: "visitor looked for",
  admit: "visitor put at the front",
  "put-back": "visitor put back",
  remove: "visitor removed",
  block: "visitor blocked",
  unblock: "visitor unblocked",
} as const;

export const VISITOR_OPERATIONS = [LOOK];

export function visitorRoutes(serve: Serve, { rooms, audit, nowMs }: RoomRoutes): void {
  serve(LOOK, ({ c, params, body: { action, since, until } }) => {
    const named = rooms.named(params.name);
    if (!named.ok) return refusalFor(c, named.refusal);
    // The gate goes by the room's time, which need not be that of this host.
    const { room, meshRoom, nowMs: roomMs } = named.value;
    const visitor = readSupportId(params.visitor);
    if (visitor === undefined) {
      const repair = "write the number on the visitor's page, such as 4QK7-X2MD";
      return invalid([
        { path: "visitor", value: JSON.stringify(params.visitor), problem: "is not such a number", repair },
      ]);
    }
    const endMs = endOf(action, until, roomMs);
    const problems = [...sinceProblems(action, since, nowMs()), ...untilProblems(until, endMs)];
    if (problems.length > 0 || typeof endMs !== "number") return invalid(problems);
    const block = named.value.blockOf(visitor, roomMs);
    if (action === "block" || action === "unblock") {
      const ordered =
        action === "unblock" && block === undefined
          ? refused("conflict", `Cannot unblock visitor ${visitor} of room ${room.name} as no block is in force`)
          : rooms.block(named.value, visitor, endMs);
      if (!ordered.ok) return refusalFor(c, ordered.refusal);
      const fields = { room: room.name, visitor, ...(action === "block" && { until: isoOf(endMs) }) };
      audit.note(actorOf(c), AUDITED[action], fields);
      if (action === "unblock") return c.json({ visitor, state: "unblocked", done: true });
      return c.json({ visitor, state: "blocked", since_ms: roomMs, until_ms: endMs, done: true });
    }
    if (block !== undefined)
      return c.json({ visitor, state: "blocked", since_ms: block.atMs, until_ms: block.untilMs, done: false });
    if ((action === "admit" || action === "put-back") && !meshRoom.order.isLike(NO_DRAWS)) {
      const where = action === "admit" ? "at the front" : "back";
      const message = `Cannot put a visitor of room ${room.name} ${where} as its places are drawn`;
      return refusalFor(c, refused("conflict", message).refusal);
    }
    const order = { action, ...(since !== undefined && { placeMs: Date.parse(since) }) };
    const look = meshRoom.helpDesk.look(visitor, order, nowMs());
    if (look.state === "looking" && look.isNew) {
      const fields = { room: room.name, visitor, ...(since !== undefined && { since }) };
      audit.note(actorOf(c), AUDITED[action], fields);
    }
    if (look.state !== "found") {
      return c.json({
        visitor,
        state: look.state,
        ...(look.state === "looking" && { until_ms: Math.ceil(look.untilMs) }),
      });
    }
    const { state, sinceMs, position, waitSeconds, untilMs, isDone } = look.sight;
    return c.json({
      ...{ visitor, state, since_ms: sinceMs, done: isDone },
      ...(untilMs !== undefined && { until_ms: untilMs }),
      ...(position !== undefined && { position }),
      ...(waitSeconds !== undefined && { wait_seconds: waitSeconds }),
    });
  });
}

/** What is wrong with the moment to which a visitor is put back. */
function sinceProblems(action: VisitorAction, since: string | undefined, nowMs: number): readonly Problem[] {
  const at = (problem: string) => [{ path: "since", value: JSON.stringify(since), problem, repair: WRITE_SINCE }];
  if (action !== "put-back") return since === undefined ? [] : at("comes only with put-back");
  if (since === undefined) return at("is missing");
  const agoMs = nowMs - Date.parse(since);
  if (agoMs < 0) return at("is in the future");
  return agoMs > PUT_BACK_MS_MAX ? at("is more than 24 hours ago") : [];
}

/** What is wrong with the end of a block. */
function untilProblems(until: string | undefined, end: ReturnType<typeof endOf>): readonly Problem[] {
  return typeof end === "number" ? [] : [{ path: "until", value: JSON.stringify(until), ...end }];
}

/** When a block that is ordered ends, in Unix ms; 0 for other orders, of which `unblock` has it end. */
function endOf(action: VisitorAction, until: string | undefined, nowMs: number): ReturnType<typeof expiryOf> {
  if (action === "block") return expiryOf(until ?? BLOCKED_FOR, { nowMs, daysMax: BLOCK_DAYS_MAX, example: "3d" });
  return until === undefined ? 0 : { problem: "comes only with block", repair: "leave it out" };
}
