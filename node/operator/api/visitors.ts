/** The part of the admin API about one visitor, by the number on the visitor's page: where, to the front, and back. */

import { z } from "zod";
import { LOOK_ACTIONS, type LookAction } from "../../admission/mesh/room-messages.ts";
import { NO_DRAWS } from "../../admission/queue-order.ts";
import type { Shape } from "../../config/document-fields.ts";
import { timeText, unixMs } from "../../config/field-kinds.ts";
import { readSupportId } from "../../gate/support-id.ts";
import { refused } from "../../rooms/changed.ts";
import { refusalFor } from "../access/other-rooms.ts";
import { invalid } from "../calls/api-answers.ts";
import { operation } from "../calls/operation.ts";
import type { Serve } from "../calls/serve.ts";
import { actorOf } from "../logs/audit.ts";
import { named } from "./common-shapes.ts";
import type { RoomRoutes } from "./rooms.ts";

const BYTES_MAX = 1_024;

const WRITE_ACTION = "write find, admit, put-back or remove";
const WRITE_SINCE = "write a moment of the last 24 hours, such as 2026-11-27T10:02:00Z";

/** As far as `admit` puts a visitor to the front: nobody is to come before those. */
const PUT_BACK_MS_MAX = 86_400_000;

const VISITOR_FOUND = named(
  "VisitorFound",
  z.object({
    visitor: z.string().describe("the number, as the page shows it"),
    state: z
      .enum(["looking", "not-seen", "waiting", "inside", "unproved"])
      .describe("not-seen: nobody has asked with this number; unproved: not in line before a proof of work"),
    until_ms: unixMs.optional().describe("until when it is looked for, or the end of the session unless extended"),
    since_ms: unixMs.optional().describe("when the visitor joined the line, or came in"),
    position: z.number().optional().describe("place in line; 0 while it is not known"),
    wait_seconds: z.number().optional().describe("left out where it is not known"),
    done: z.boolean().optional().describe("whether the visitor has been put at the front, put back, or removed"),
  }),
);

export type VisitorFound = Shape<typeof VISITOR_FOUND>;

const LOOK = operation({
  id: "findVisitor",
  method: "POST",
  path: "/v1/rooms/{name}/visitors/{visitor}",
  topic: "operation",
  scope: "operate",
  summary: "looks for a [visitor](operate.md#one-visitor) by the number on the page; repeat it while it says `looking`",
  body: {
    schema: named(
      "VisitorLook",
      z.strictObject({
        action: z
          .enum(LOOK_ACTIONS, { error: "is not find, admit, put-back or remove" })
          .default("find")
          .describe(
            "admit: puts a visitor who waits at the front, for the next free slot; " +
              "put-back: gives the place of the moment `since`, unless the visitor's is better; " +
              "remove: ends place or session",
          ),
        since: timeText.optional().describe("with `put-back`: when the visitor had joined, within the last 24 hours"),
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
} as const;

export const VISITOR_OPERATIONS = [LOOK];

export function visitorRoutes(serve: Serve, { rooms, audit, nowMs }: RoomRoutes): void {
  serve(LOOK, ({ c, params, body: { action, since } }) => {
    const named = rooms.named(params.name);
    if (!named.ok) return refusalFor(c, named.refusal);
    const { room, meshRoom } = named.value;
    const visitor = readSupportId(params.visitor);
    if (visitor === undefined) {
      const repair = "write the number on the visitor's page, such as 4QK7-X2MD";
      return invalid([
        { path: "visitor", value: JSON.stringify(params.visitor), problem: "is not such a number", repair },
      ]);
    }
    const problem = sinceProblem(action, since, nowMs());
    if (problem !== undefined)
      return invalid([{ path: "since", value: JSON.stringify(since), problem, repair: WRITE_SINCE }]);
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
function sinceProblem(action: LookAction, since: string | undefined, nowMs: number): string | undefined {
  if (action !== "put-back") return since === undefined ? undefined : "comes only with put-back";
  if (since === undefined) return "is missing";
  const agoMs = nowMs - Date.parse(since);
  if (agoMs < 0) return "is in the future";
  return agoMs > PUT_BACK_MS_MAX ? "is more than 24 hours ago" : undefined;
}
