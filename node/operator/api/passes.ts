/** The part of the admin API about passes: `/v1/rooms/NAME/passes`. */

import { z } from "zod";
import { timeText } from "../../config/field-kinds.ts";
import { isObject } from "../../config/is-object.ts";
import { LANE_MAX } from "../../config/lane-fields.ts";
import { type Checked, checked, type Problem, problemAt } from "../../config/problem.ts";
import { PASS_NUMBER_MAX, type Wave } from "../../config/waves.ts";
import { PASS_KEY_CHARS_MAX, type Pass, type PassMaker } from "../../cookie/pass.ts";
import { PASS_EXPIRES, type PassOrder, parsePassOrder } from "../../cookie/pass-order.ts";
import { isoOf } from "../../iso-time.ts";
import { refusalFor } from "../access/other-rooms.ts";
import { invalid } from "../calls/api-answers.ts";
import { operation } from "../calls/operation.ts";
import type { Serve } from "../calls/serve.ts";
import { actorOf } from "../logs/audit.ts";
import { named } from "./common-shapes.ts";
import { ROOM_BODY_BYTES_MAX, type RoomRoutes } from "./rooms.ts";

/** Passes in one call: they are made at once, in some ms. */
const PASSES_MAX = 1_000;

const PASS_ORDER = z.strictObject({
  key: z
    .string()
    .max(PASS_KEY_CHARS_MAX)
    .default("")
    .describe("what the pass is for, such as the number of an order: visitors with the same key have one place"),
  lane: z.int().min(1).max(LANE_MAX).optional().describe("a lane to which the room gives a share; left out for none"),
  expires: z
    .string()
    .default(PASS_EXPIRES)
    .describe("a span such as 12h or 30d, or a time such as 2027-01-31T18:00:00Z"),
  staff: z.boolean().default(false).describe("true: it admits at once and is not counted"),
});

const PASSES = z.strictObject({
  wave: z.string().optional().describe("a [wave](rooms.md#passes) of the room, to which the passes belong"),
  first: z.int().min(1).max(PASS_NUMBER_MAX).optional().describe("number of the first one in the wave; left out: 1"),
  passes: z.array(PASS_ORDER).min(1).max(PASSES_MAX).optional().describe("several at once, in place of the fields"),
  ...PASS_ORDER.shape,
});

const MADE = z.object({
  key: z.string().optional().describe("as it was sent"),
  lane: z.int().optional().describe("as it was sent"),
  staff: z.literal(true).optional().describe("there if it is a pass for staff"),
  expires: timeText.describe("until when it is good"),
  pass: z.string().describe("the pass itself: anybody who has it can use it"),
});

const MAKE = operation({
  id: "makePasses",
  method: "POST",
  path: "/v1/rooms/{name}/passes",
  topic: "passes",
  scope: "operate",
  summary: "makes [passes](rooms.md#passes): one, or up to 1,000 with `passes`; all fields may be left out",
  body: {
    schema: named("PassOrder", PASSES),
    bytesMax: ROOM_BODY_BYTES_MAX,
    read: "handler",
    example: { key: "order-1", lane: 1, expires: "30d", staff: false },
  },
  answer: {
    status: 201,
    description: "the passes, in the order of the request",
    schema: named("PassList", z.object({ passes: z.array(MADE).describe("in the order of the request") })),
  },
  problems: ["not-found", "conflict"],
});

export const PASS_OPERATIONS = [MAKE];

export interface PassRoutes extends RoomRoutes {
  readonly passes: PassMaker;
  /** Unix ms. */
  readonly nowMs: () => number;
}

export function passRoutes(serve: Serve, { rooms, audit, passes, nowMs }: PassRoutes): void {
  serve(MAKE, ({ c, params, body }) => {
    const named = rooms.named(params.name);
    if (!named.ok) return refusalFor(c, named.refusal);
    const { room, firstName } = named.value;
    const madeMs = nowMs();
    const wave = waveOf(body, room.waves);
    const orders = passOrders(wave.others, { lanes: room.lanes, nowMs: madeMs });
    const problems = [...wave.problems, ...(orders.ok ? [] : orders.problems)];
    if (!orders.ok || problems.length > 0) return invalid(problems);
    const scope = { room: firstName, generation: room.passGeneration };
    const made = orders.value.map((order, index) => ({
      ...(order.key !== undefined && { key: order.key }),
      ...(order.lane !== undefined && { lane: order.lane }),
      ...(order.isStaff && { staff: true }),
      expires: isoOf(Math.floor(order.expiresMs / 1_000) * 1_000),
      pass: passes.make({ ...order, ...wave.at(index), madeMs }, scope),
    }));
    audit.note(actorOf(c), "passes made", { room: room.name, passes: made.length });
    return c.json({ passes: made }, 201);
  });
}

interface InWave {
  /** What belongs to the pass in this place of the list. */
  readonly at: (index: number) => Pick<Pass, "wave">;
  readonly problems: readonly Problem[];
  /** The body without what it says about the wave. */
  readonly others: unknown;
}

/** The wave that a body names. One that the room does not have would keep nobody out. */
function waveOf(body: unknown, waves: readonly Wave[]): InWave {
  const { wave, first = 1, ...others } = isObject(body) ? body : {};
  if (!isObject(body) || (wave === undefined && body.first === undefined))
    return { at: () => ({}), problems: [], others: body };
  const problems: Problem[] = [];
  const name = waves.find((each) => each.name === wave)?.name;
  if (name === undefined) {
    const repair = `write one of this room: ${waves.map((each) => each.name).join(", ") || "there is none"}`;
    problems.push(problemAt("wave", wave, { problem: "is not a wave", repair }));
  }
  const number = Number.isSafeInteger(first) ? Number(first) : 0;
  if (number < 1 || number > PASS_NUMBER_MAX) {
    const repair = "write the number of the first pass, from 1";
    problems.push(problemAt("first", first, { problem: "is not the number of a pass", repair }));
  }
  const at = (index: number) => (name === undefined ? {} : { wave: { name, number: number + index } });
  return { at, problems, others };
}

/** The passes that a body asks for: one, or a list of them. */
function passOrders(body: unknown, known: Parameters<typeof passOrder>[2]): Checked<readonly PassOrder[]> {
  if (!isObject(body) || body.passes === undefined) {
    const order = passOrder(body, "", known);
    return order.ok ? { ok: true, value: [order.value] } : order;
  }
  const { passes, ...others } = body;
  const beside = Object.keys(others).map((key) =>
    problemAt(key, others[key], { problem: "is beside passes", repair: "write it in each entry of passes" }),
  );
  const repair = `write a list of 1 to ${PASSES_MAX} passes, each as {key: "a-1", expires: "30d"}`;
  if (!Array.isArray(passes))
    return { ok: false, problems: [problemAt("passes", passes, { problem: "is not a list", repair }), ...beside] };
  if (passes.length === 0 || passes.length > PASSES_MAX) {
    const problem = `has ${passes.length} entries`;
    return { ok: false, problems: [problemAt("passes", undefined, { problem, repair }), ...beside] };
  }
  const orders = passes.map((each, index) => passOrder(each, `passes[${index}]`, known));
  const problems = orders.flatMap((order) => (order.ok ? [] : order.problems));
  return checked(
    orders.flatMap((order) => (order.ok ? [order.value] : [])),
    [...problems, ...beside],
  );
}

/** A pass with a lane to which the room gives no share would be one without. */
function passOrder(
  document: unknown,
  path: string,
  { lanes, nowMs }: { readonly lanes: readonly number[]; readonly nowMs: number },
): Checked<PassOrder> {
  const order = parsePassOrder(document, { path, nowMs });
  const { lane } = order.ok ? order.value : {};
  if (lane === undefined || (lanes[lane] ?? 0) > 0) return order;
  const repair = `give it a share first, such as: anteroom room update ROOM lanes='{${lane}: 20}'`;
  const problem = { problem: "is a lane without a share in this room", repair };
  return { ok: false, problems: [problemAt(path === "" ? "lane" : `${path}.lane`, lane, problem)] };
}
