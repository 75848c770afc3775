/**
 * The part of the admin API about draws: `/v1/draws/NAME`, where NAME is a room, or an event.
 *
 * A file of a million ids is made in parts, so that requests of visitors are answered meanwhile. The ids in it are in
 * no order: who asks sorts them, and the node does not stand still for it.
 */

import type { Context } from "hono";
import { z } from "zod";
import type { NodeId } from "../../../mesh/core/ids.ts";
import { DRAW_HEAD_SHAPE, type DrawHead } from "../../admission/draw/draw-document.ts";
import { drawIdText } from "../../admission/draw/draw-seed.ts";
import { signedStatement } from "../../admission/statement.ts";
import { DRAW_VALUE_MAX } from "../../config/event-schema.ts";
import { type Complaint, problemAt } from "../../config/problem.ts";
import { oneLineComplaint } from "../../config/text-checks.ts";
import { isoOf } from "../../iso-time.ts";
import type { Notary } from "../../notary.ts";
import type { Draw } from "../../peer/draw.ts";
import type { Draws, KnownDraw } from "../../peer/draws.ts";
import { maySee } from "../access/principal.ts";
import { failure, invalid } from "../calls/api-answers.ts";
import { operation } from "../calls/operation.ts";
import type { Serve } from "../calls/serve.ts";
import { type AdminEnv, type AuditLog, actorOf } from "../logs/audit.ts";
import { named, timeText } from "./common-shapes.ts";

/** Ids that are written before others have their turn: 10 ms. */
const IDS_AT_ONCE = 20_000;

/**
 * How long a node fetches a list that it does not have, and how often it looks. A million ids take 15 s; the command
 * waits for a minute.
 */
const FETCH_MS = 40_000;
const LOOK_MS = 50;

const VALUE_BODY_BYTES_MAX = 16 * 1024;

export interface DrawRoutes {
  readonly draws: Draws;
  readonly self: NodeId;
  readonly notary: Notary;
  /** The time of the rooms. */
  readonly roomMs: () => number;
  /** Has what was just said put on the disk and sent. */
  readonly wake: () => void;
  readonly audit: AuditLog;
}

const STATES = ["committing", "waiting", "decided", "cancelled"] as const;

/** A draw as the API gives it. */
export interface ApiDraw {
  readonly room: string;
  readonly event: string;
  readonly event_start_time: string;
  /** `committing`: before the start. `waiting`: for the public value, or for nodes. `cancelled`: its event is gone. */
  readonly state: (typeof STATES)[number];
  readonly draw_public_value: string;
  readonly value: string | null;
  /** Nodes that the draw waits for. */
  readonly waits_for: readonly string[];
  /** Visitors who are drawn; until it is decided, those known here. */
  readonly count: number;
  readonly seed: string | null;
}

const DRAW = named(
  "Draw",
  z.object({
    room: z.string().describe("the room's name"),
    event: z.string().describe("the event's name"),
    event_start_time: timeText.describe("when the draw is held"),
    state: z
      .enum(STATES)
      .describe(
        "committing: before the start; waiting: for the public value, or for nodes; cancelled: not made, as its event was changed or deleted before",
      ),
    draw_public_value: z.string().describe("which public value was announced, in words; empty for none"),
    value: z.string().nullable().describe("the public value; null until it is given"),
    waits_for: z.array(z.string()).describe("nodes that the draw waits for"),
    count: z.int().min(0).describe("visitors who are drawn; until it is decided, those known here"),
    seed: z.string().nullable().describe("null until it is decided"),
  }),
);
const EXAMPLE = {
  ...{ room: "shop", event: "sale", event_start_time: "2026-11-27T10:00:00Z", state: "waiting" },
  ...{ draw_public_value: "EuroJackpot numbers of 2026-11-27", value: null, waits_for: [], count: 5120, seed: null },
};
const ANSWER = {
  status: 200,
  description: "the draw",
  schema: named("DrawAnswer", z.object({ draw: DRAW })),
  example: { draw: EXAMPLE },
} as const;
const WHICH = z.object({ event: z.string().optional().describe("the event, where the room had several draws") });

const LIST = operation({
  ...{ id: "listDraws", method: "GET", path: "/v1/draws", topic: "draws", scope: "read" },
  summary:
    "lists the [draws](draw.md) that this node knows, with their `state`: `committing`, `waiting`, `decided`, or `cancelled` by a change of the event",
  answer: {
    status: 200,
    description: "the draws",
    schema: named("DrawList", z.object({ draws: z.array(DRAW).describe("in no order") })),
    example: { draws: [EXAMPLE] },
  },
  problems: [],
});

const READ = operation({
  ...{ id: "getDraw", method: "GET", path: "/v1/draws/{draw}", topic: "draws", scope: "read" },
  summary:
    "returns the newest draw of a room, or of an event, called DRAW; `?event=EVENT` chooses the event. `waits_for` names the nodes for which it waits",
  query: WHICH,
  answer: ANSWER,
  problems: ["not-found"],
});

const FILE = operation({
  ...{ id: "getDrawFile", method: "GET", path: "/v1/draws/{draw}/file", topic: "draws", scope: "read" },
  summary: "writes a draw that is decided for everybody to check; the ids are in no order",
  query: WHICH,
  answer: { status: 200, description: "the draw's head, and the id of each visitor", type: "text/plain" },
  problems: ["not-found", "conflict"],
});

const WRITE_VALUE = `write it in one line of 1 to ${DRAW_VALUE_MAX} characters`;

const GIVE = operation({
  ...{ id: "giveDrawValue", method: "POST", path: "/v1/draws/{draw}/value", topic: "draws", scope: "operate" },
  summary: "gives the public value that was announced, once",
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
  const seenBy = ({ var: { principal } }: Context<AdminEnv>): readonly KnownDraw[] =>
    parts.draws.all.filter(({ draw }) => maySee(principal, draw.plan.name));

  serve(LIST, ({ c }) => c.json({ draws: seenBy(c).map((kept) => apiDraw(kept, parts)) }));
  serve(READ, ({ c, params: { draw: name }, query }) => {
    const kept = drawNamed(parts.draws, seenBy(c), { name, event: query.event });
    return kept === undefined ? unknown(seenBy(c), name) : c.json({ draw: apiDraw(kept, parts) });
  });
  serve(FILE, async ({ c, params: { draw: name }, query }) => {
    const kept = drawNamed(parts.draws, seenBy(c), { name, event: query.event });
    if (kept === undefined) return unknown(seenBy(c), name);
    const { draw, list } = kept;
    const { outcome } = draw;
    if (outcome === undefined) return undecided(apiDraw(kept, parts));
    const fetched = await fetchList(kept, parts);
    if (fetched !== "here") return lacking(draw, fetched);
    const head = `${signedStatement(headOf(draw, parts.self), parts.notary)}\n`;
    return new Response(bodyOf(head, list.ids()), { headers: { "content-type": "text/plain; charset=utf-8" } });
  });
  serve(GIVE, ({ c, params: { draw: name }, body: { value, event } }) => {
    const kept = drawNamed(parts.draws, seenBy(c), { name, event });
    if (kept === undefined) return unknown(seenBy(c), name);
    const complaint: Complaint = oneLineComplaint(value);
    if (complaint !== undefined) return invalid([problemAt("value", value, complaint)]);
    const { draw } = kept;
    if (draw.terms.announced === "") {
      const text = `Cannot use a public value as none was announced for event ${draw.terms.event}`;
      return failure("conflict", text, { hint: "announce it with draw_public_value before the pre-queue begins" });
    }
    const { given: before } = draw;
    if (before !== undefined && before !== value) {
      const text = `Cannot use ${JSON.stringify(value)} as the public value as ${JSON.stringify(before)} was given already`;
      return failure("conflict", text, { hint: "it is given once, so that nobody can try several" });
    }
    if (before === undefined) {
      draw.give(value);
      parts.wake();
      const fields = { room: draw.plan.name, event: draw.terms.event, value };
      parts.audit.note(actorOf(c), "public value of a draw given", fields);
    }
    return c.json({ draw: apiDraw(kept, parts) });
  });
}

/** The draw of the room, or of the event, called `name`: the one that its room has now, or else the newest. */
function drawNamed(
  draws: Draws,
  all: readonly KnownDraw[],
  { name, event }: { readonly name: string; readonly event: string | undefined },
): KnownDraw | undefined {
  const ofRoom = all.filter(({ draw }) => draw.plan.name === name && (event ?? draw.terms.event) === draw.terms.event);
  const found = ofRoom.length > 0 ? ofRoom : all.filter(({ draw }) => draw.terms.event === name && event === undefined);
  const held = found.filter(({ draw }) => draws.isHeld(draw));
  return (held.length > 0 ? held : found).reduce<KnownDraw | undefined>(
    (last, kept) => (last === undefined || kept.draw.terms.startMs > last.draw.terms.startMs ? kept : last),
    undefined,
  );
}

function apiDraw({ draw, rolls }: KnownDraw, parts: Pick<DrawRoutes, "draws" | "roomMs">): ApiDraw {
  const { outcome, terms, plan } = draw;
  return {
    room: plan.name,
    event: terms.event,
    event_start_time: isoOf(terms.startMs),
    state: stateOf(draw, parts),
    draw_public_value: terms.announced,
    value: draw.given ?? null,
    waits_for: draw.missing,
    count: outcome?.list.count ?? rolls.size,
    seed: draw.seed ?? null,
  };
}

function stateOf(draw: Draw, { draws, roomMs }: Pick<DrawRoutes, "draws" | "roomMs">): ApiDraw["state"] {
  if (draw.outcome !== undefined) return "decided";
  if (!draws.isHeld(draw)) return "cancelled";
  return roomMs() >= draw.terms.startMs ? "waiting" : "committing";
}

function headOf(draw: Draw, self: NodeId): DrawHead {
  const { outcome, terms, plan, seed } = draw;
  if (outcome === undefined || seed === undefined) throw new Error("Cannot write a draw that is not decided");
  const { mesh, room, event, startMs, announced } = terms;
  return DRAW_HEAD_SHAPE.parse({
    ...{ anteroom: "draw 1", mesh, room, name: plan.name, event, start: isoOf(startMs), announced },
    value: outcome.value,
    commitments: commitmentsOf(draw),
    secrets: outcome.secrets.map(([node, secret]) => ({ node, secret })),
    ...{ list: outcome.list, seed, node: self },
  });
}

/** In the order of their nodes' ids, so that all nodes write the same. */
function commitmentsOf({ commitments }: Draw): DrawHead["commitments"] {
  const read = commitments.map((text): Record<string, string> => JSON.parse(text));
  return read.sort(({ node: one = "" }, { node: other = "" }) => (one < other ? -1 : 1));
}

/** Waits until this node has the list that was closed, or no other node that answers has it. */
async function fetchList(kept: KnownDraw, { draws, wake }: Pick<DrawRoutes, "draws" | "wake">) {
  for (let waitedMs = 0; ; waitedMs += LOOK_MS) {
    const fetched = draws.fetch(kept);
    if (fetched !== "on its way" || waitedMs >= FETCH_MS) return fetched;
    wake();
    await Bun.sleep(LOOK_MS);
  }
}

function lacking({ closed, outcome }: Draw, fetched: "nowhere" | "on its way"): Response {
  const closers = closed.flatMap(({ node, digest }) => (digest === outcome?.list.digest ? `node ${node}` : []));
  const who = closers.join(", ") || "another node";
  const why =
    fetched === "nowhere"
      ? `neither this node nor any other one that answers has it; ${who} closed it`
      : `it did not come from another node within ${FETCH_MS / 1_000} s; ${who} closed it`;
  const hint =
    fetched === "nowhere"
      ? "start a node again that has it; the order of the draw does not depend on the list, so each visitor's place stands"
      : "try again; if it fails again, ask another node, with --admin";
  return failure("conflict", `Cannot write the list of this draw as ${why}`, { hint });
}

function bodyOf(head: string, source: Iterator<number>): ReadableStream<string> {
  const ids = new Set<number>();
  let isBegun = false;
  return new ReadableStream<string>({
    pull: async (stream) => {
      if (!isBegun) stream.enqueue(head);
      isBegun = true;
      let text = "";
      for (let left = IDS_AT_ONCE; left > 0; left--) {
        const { value, done } = source.next();
        if (done === true) {
          if (text !== "") stream.enqueue(text);
          stream.close();
          return;
        }
        if (!ids.has(value)) text += `${drawIdText(value)}\n`;
        ids.add(value);
      }
      stream.enqueue(text);
      await Bun.sleep(0);
    },
  });
}

function unknown(all: readonly KnownDraw[], name: string): Response {
  const known = all.map(({ draw }) => `${draw.plan.name}/${draw.terms.event}`).join(", ");
  const hint = known === "" ? "a draw begins with the pre-queue of an event with draw=true" : `there are: ${known}`;
  return failure("not-found", `Cannot find a draw of room or event ${name}`, { hint });
}

function undecided({
  event,
  event_start_time: start,
  state,
  waits_for: nodes,
  draw_public_value: announced,
  value,
}: ApiDraw) {
  const waitsFor = [
    ...(announced !== "" && value === null ? [`the public value (${announced})`] : []),
    ...nodes.map((node) => `node ${node}`),
  ];
  const what = `Cannot write the draw of event ${event}`;
  if (state === "cancelled") {
    const why = `its event, which began at ${start}, was changed or deleted before the draw was made`;
    return failure("conflict", `${what} as ${why}`, { hint: "see the events that there are: anteroom event list" });
  }
  const why =
    state === "committing" ? `it is held at ${start}` : `it waits for ${waitsFor.join(", ") || "the nodes to agree"}`;
  return failure("conflict", `${what} as ${why}`, { hint: "try again later" });
}
