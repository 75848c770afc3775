/**
 * The part of the admin API about draws: `/v1/draws/NAME`, where NAME is a room, or an event.
 *
 * A file of a million ids is made in parts, so that requests of visitors are answered meanwhile. The ids in it are in
 * no order: who asks sorts them, and the node does not stand still for it.
 */

import type { Context } from "hono";
import { z } from "zod";
import type { NodeId } from "../../../mesh/core/ids.ts";
import { DRAW_HEAD_SHAPE, type DrawHead, type DrawList } from "../../admission/draw/draw-document.ts";
import { drawIdText } from "../../admission/draw/draw-seed.ts";
import { signedStatement } from "../../admission/statement.ts";
import type { Shape } from "../../config/document-fields.ts";
import { DRAW_VALUE_MAX } from "../../config/event-schema.ts";
import { timeText } from "../../config/field-kinds.ts";
import { type Complaint, problemAt } from "../../config/problem.ts";
import { oneLineComplaint } from "../../config/text-checks.ts";
import { isoOf } from "../../iso-time.ts";
import type { Notary } from "../../notary.ts";
import { CLOSE_MS, type Draws, LATE_CLOSE_MS } from "../../peer/draws.ts";
import type { EventDraw } from "../../rooms/event-draw.ts";
import type { LiveRoom } from "../../rooms/live-room.ts";
import type { Rooms } from "../../rooms/rooms.ts";
import { maySee } from "../access/principal.ts";
import { failure, invalid } from "../calls/api-answers.ts";
import { pacedBody } from "../calls/json-lines.ts";
import { operation } from "../calls/operation.ts";
import type { Serve } from "../calls/serve.ts";
import { type AdminEnv, type AuditLog, actorOf } from "../logs/audit.ts";
import type { OnFault } from "../logs/faults.ts";
import { named } from "./common-shapes.ts";

/** Ids that are written before others have their turn: 10 ms. */
const IDS_AT_ONCE = 20_000;

const VALUE_BODY_BYTES_MAX = 16 * 1024;

export interface DrawRoutes {
  readonly rooms: Rooms;
  readonly draws: Draws;
  readonly self: NodeId;
  readonly notary: Notary;
  /** The time of the rooms. */
  readonly roomMs: () => number;
  /** The nodes that keep whole lists, as text. */
  readonly voters: () => string;
  readonly audit: AuditLog;
  readonly onFault: OnFault;
}

/** A draw with its room. */
interface Held {
  readonly live: LiveRoom;
  readonly draw: EventDraw;
}

const DRAW = named(
  "Draw",
  z.object({
    room: z.string().describe("the room's name"),
    event: z.string().describe("the event's name"),
    event_start_time: timeText.describe("when the draw is held"),
    state: z
      .enum(["declared", "waiting", "decided"])
      .describe("declared: before the start; waiting: for the public value; decided: the order is known"),
    hash: z.string().describe("the SHA-256 of the secret, which is shown from the start on"),
    draw_public_value: z.string().describe("which public value was announced, in words; empty for none"),
    value: z.string().nullable().describe("the public value; null until it is given"),
    count: z.int().min(0).describe("visitors on the list; until it is closed, those known here"),
    seed: z.string().nullable().describe("null until it is decided"),
  }),
);
/** A draw as the API gives it. */
type ApiDraw = Shape<typeof DRAW>;

const ANSWER = {
  description: "the draw",
  schema: named("DrawAnswer", z.object({ draw: DRAW })),
} as const;
const WHICH = z.object({ event: z.string().optional().describe("the event, where the room had several draws") });

const LIST = operation({
  id: "listDraws",
  method: "GET",
  path: "/v1/draws",
  topic: "draws",
  scope: "read",
  summary:
    "lists the [draws](draw.md) of all rooms, with the `hash` of each secret and the `state`: `declared`, `waiting` for the public value, or `decided`",
  answer: {
    description: "the draws",
    schema: named("DrawList", z.object({ draws: z.array(DRAW).describe("in no order") })),
  },
});

const READ = operation({
  id: "getDraw",
  method: "GET",
  path: "/v1/draws/{draw}",
  topic: "draws",
  scope: "read",
  summary: "returns the newest draw of a room, or of an event, called DRAW; `?event=EVENT` chooses the event",
  query: WHICH,
  answer: ANSWER,
  problems: ["not-found"],
});

const FILE = operation({
  id: "getDrawFile",
  method: "GET",
  path: "/v1/draws/{draw}/file",
  topic: "draws",
  scope: "read",
  summary: "writes a draw that is decided for everybody to check; the ids are in no order",
  query: WHICH,
  answer: { description: "the draw's head, and the id of each visitor", type: "text/plain" },
  problems: ["not-found", "conflict"],
});

const WRITE_VALUE = `write it in one line of 1 to ${DRAW_VALUE_MAX} characters`;

const GIVE = operation({
  id: "giveDrawValue",
  method: "POST",
  path: "/v1/draws/{draw}/value",
  topic: "draws",
  scope: "operate",
  summary: "gives the public value that was announced, once, 5 s after the start or later",
  body: {
    schema: named(
      "DrawValue",
      z.strictObject({
        value: z.string().min(1).max(DRAW_VALUE_MAX).describe("the public value, in one line"),
        event: WHICH.shape.event,
      }),
    ),
    bytesMax: VALUE_BODY_BYTES_MAX,
    repairs: { value: WRITE_VALUE, event: "write the name of an event, or leave it out" },
    read: "here",
    example: { value: "7 12 23 31 44 3 9" },
  },
  answer: ANSWER,
  problems: ["not-found", "conflict"],
});

export const DRAW_OPERATIONS = [LIST, READ, FILE, GIVE];

export function drawRoutes(serve: Serve, parts: DrawRoutes): void {
  const seenBy = ({ var: { principal } }: Context<AdminEnv>): readonly Held[] =>
    parts.rooms
      .all()
      .filter(({ room }) => maySee(principal, room.name))
      .flatMap((live) => live.draws.map((draw) => ({ live, draw })));

  const found = (c: Context<AdminEnv>, name: string, event: string | undefined): Held | Response =>
    drawNamed(seenBy(c), { name, event, nowMs: parts.roomMs() }) ?? unknown(seenBy(c), name);

  serve(LIST, ({ c }) => c.json({ draws: seenBy(c).map((held) => apiDraw(held, parts)) }));
  serve(READ, ({ c, params, query }) => {
    const held = found(c, params.draw, query.event);
    return held instanceof Response ? held : c.json({ draw: apiDraw(held, parts) });
  });
  serve(FILE, ({ c, params, query }) => {
    const held = found(c, params.draw, query.event);
    if (held instanceof Response) return held;
    const list = parts.draws.listOf(held.draw.key);
    if (held.draw.opened === undefined) return undecided(apiDraw(held, parts));
    if (list === undefined) return withoutList(held, parts);
    const head = `${signedStatement(headOf(held, list, parts.self), parts.notary)}\n`;
    const headers = { "content-type": "text/plain; charset=utf-8" };
    const reader = { signal: c.req.raw.signal, onFault: parts.onFault };
    return new Response(pacedBody(linesOf(head, parts.draws.idsOf(held.draw.key)), reader), { headers });
  });
  serve(GIVE, ({ c, params, body: { value, event } }) => {
    const held = found(c, params.draw, event);
    if (held instanceof Response) return held;
    const complaint: Complaint = oneLineComplaint(value);
    if (complaint !== undefined) return invalid([problemAt("value", value, complaint)]);
    const { live, draw } = held;
    const refusal = refusalOfValue(draw, value, parts.roomMs());
    if (refusal !== undefined) return refusal;
    if (draw.value === undefined) {
      parts.rooms.giveDrawValue(live, draw, value);
      const fields = { room: live.room.name, event: draw.terms.event, value };
      parts.audit.note(actorOf(c), "public value of a draw given", fields);
    }
    const given = found(c, params.draw, event);
    return given instanceof Response ? given : c.json({ draw: apiDraw(given, parts) });
  });
}

function refusalOfValue({ terms, value: before }: EventDraw, value: string, nowMs: number): Response | undefined {
  const cannot = `Cannot use ${JSON.stringify(value)} as the public value of event ${terms.event}`;
  if (terms.announced === "")
    return failure("conflict", `${cannot} as none was announced`, {
      hint: "announce it with draw_public_value when the event is declared",
    });
  if (before !== undefined && before !== value)
    return failure("conflict", `${cannot} as ${JSON.stringify(before)} was given already`, {
      hint: "it is given once, so that nobody can try several",
    });
  if (nowMs < terms.startMs + CLOSE_MS)
    return failure("conflict", `${cannot} as the list of those who are drawn is closed only at the start`, {
      hint: `give it at ${isoOf(terms.startMs + CLOSE_MS)} or later, so that everybody sees that the list was closed before`,
    });
  return undefined;
}

/** The draw of the room, or of the event, called `name`: the last one that has begun, or else the next. */
function drawNamed(
  all: readonly Held[],
  { name, event, nowMs }: { readonly name: string; readonly event: string | undefined; readonly nowMs: number },
): Held | undefined {
  const ofRoom = all.filter(
    ({ live, draw }) => live.room.name === name && (event ?? draw.terms.event) === draw.terms.event,
  );
  const found = ofRoom.length > 0 ? ofRoom : all.filter(({ draw }) => draw.terms.event === name && event === undefined);
  return found.findLast(({ draw }) => draw.prequeueMs <= nowMs) ?? found[0];
}

function apiDraw({ live, draw }: Held, { draws, roomMs }: Pick<DrawRoutes, "draws" | "roomMs">): ApiDraw {
  const { key, terms, hash, value, opened } = draw;
  return {
    room: live.room.name,
    event: terms.event,
    event_start_time: isoOf(terms.startMs),
    state: opened !== undefined ? "decided" : roomMs() < terms.startMs ? "declared" : "waiting",
    hash,
    draw_public_value: terms.announced,
    value: terms.announced === "" ? null : (value ?? null),
    count: draws.countOf(key),
    seed: opened?.seed ?? null,
  };
}

function headOf({ live, draw }: Held, list: DrawList, self: NodeId): DrawHead {
  const { mesh, room, event, startMs, announced } = draw.terms;
  return DRAW_HEAD_SHAPE.parse({
    anteroom: "draw 1",
    mesh,
    room,
    name: live.room.name,
    event,
    start: isoOf(startMs),
    announced,
    value: draw.value,
    hash: draw.hash,
    secret: draw.opened?.secret,
    list,
    seed: draw.opened?.seed,
    node: self,
  });
}

/** The order is known here, and the list of all who were drawn is not. */
function withoutList({ draw }: Held, { roomMs, voters }: Pick<DrawRoutes, "roomMs" | "voters">): Response {
  const cannot = `Cannot write the list of the draw of event ${draw.terms.event}`;
  if (roomMs() < draw.terms.startMs + LATE_CLOSE_MS)
    return failure("conflict", `${cannot} as it is not closed yet`, { hint: "try again in a minute" });
  return failure(
    "conflict",
    `${cannot} as this node keeps none: voters keep them, and until the next draw of the room`,
    {
      hint: `ask one of them, with --admin: ${voters()}`,
    },
  );
}

/** The head, and each id once. */
async function* linesOf(head: string, ids: Iterable<number>): AsyncGenerator<string> {
  const seen = new Set<number>();
  let text = head;
  for (const id of ids) {
    if (seen.has(id)) continue;
    seen.add(id);
    text += `${drawIdText(id)}\n`;
    if (seen.size % IDS_AT_ONCE > 0) continue;
    yield text;
    text = "";
  }
  if (text !== "") yield text;
}

function unknown(all: readonly Held[], name: string): Response {
  const known = all.map(({ live, draw }) => `${live.room.name}/${draw.terms.event}`).join(", ");
  const hint = known === "" ? "a draw needs an event with draw=true" : `there are: ${known}`;
  return failure("not-found", `Cannot find a draw of room or event ${name}`, { hint });
}

function undecided({ event, event_start_time: start, state, draw_public_value: announced }: ApiDraw): Response {
  const why = state === "declared" ? `it is held at ${start}` : `it waits for the public value (${announced})`;
  return failure("conflict", `Cannot write the draw of event ${event} as ${why}`, { hint: "try again later" });
}
