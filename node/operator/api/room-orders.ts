/**
 * The part of the admin API about what an operator orders of a room: to hold, close, open and resume it, its rollout,
 * and its waves of passes.
 */

import type { Context } from "hono";
import { z } from "zod";
import { MOMENT_REPAIR, momentComplaint, momentOf } from "../../config/moment.ts";
import { text } from "../../config/text-field.ts";
import { PASS_NUMBER_MAX, RATE_REPAIR, rateComplaint, WAVE_NAME } from "../../config/waves.ts";
import type { Rollouts } from "../../rooms/rollouts.ts";
import type { OrderKind } from "../../rooms/room-order.ts";
import { orderWave, type WaveOrder } from "../../rooms/wave-orders.ts";
import { authorOf } from "../access/other-rooms.ts";
import { invalid } from "../calls/api-answers.ts";
import { operation } from "../calls/operation.ts";
import type { Serve } from "../calls/serve.ts";
import { type AdminEnv, actorOf } from "../logs/audit.ts";
import { named } from "./common-shapes.ts";
import { changeRoom, ROOM_ANSWER, type RoomRoutes } from "./rooms.ts";

const ORDER_BYTES_MAX = 1_024;

/** A URL, and no more. */
const ROLLOUT_BYTES_MAX = 64 * 1024;

const ORDER = {
  method: "POST",
  topic: "operation",
  scope: "operate",
  isTagged: true,
  answer: ROOM_ANSWER,
  problems: ["not-found", "conflict"],
} as const;

const WRITE_HOLD = "write {sold_out: true}, or nothing";

const HOLD = operation({
  ...ORDER,
  id: "holdRoom",
  path: "/v1/rooms/{name}/hold",
  summary: "holds all new visitors in line, or [closes](origins.md#sold-out) the room as sold out",
  body: {
    schema: named(
      "HoldOrder",
      z.strictObject({
        sold_out: z.boolean().default(false).describe("true: nobody new is admitted, and all who wait read that"),
      }),
    ),
    bytesMax: ORDER_BYTES_MAX,
    repairs: { "": WRITE_HOLD, sold_out: WRITE_HOLD },
    read: "here",
    isOptional: true,
    example: { sold_out: true },
  },
});

const OPEN = operation({
  ...ORDER,
  id: "openRoom",
  path: "/v1/rooms/{name}/open",
  summary: "admits every visitor, whatever the limits are",
});

const RESUME = operation({
  ...ORDER,
  id: "resumeRoom",
  path: "/v1/rooms/{name}/resume",
  summary: "ends an operator's order: the room works as its document says again",
});

const WRITE_ORDER = "send one of {to: URL}, {stop: true}, {back: true} and {now: true}";

const ROLLOUT = operation({
  ...ORDER,
  id: "rollOut",
  path: "/v1/rooms/{name}/rollout",
  summary: "starts, stops, reverses or finishes a rollout",
  body: {
    schema: named(
      "RolloutOrder",
      z.strictObject({
        to: z.string().optional().describe("starts one to the origin with this base URL, or continues a stopped one"),
        stop: z.literal(true).optional().describe("keeps the present percentage"),
        back: z.literal(true).optional().describe("makes the old weights those of the room again, at once"),
        now: z.literal(true).optional().describe("makes all new sessions follow it at once"),
      }),
    ),
    bytesMax: ROLLOUT_BYTES_MAX,
    repairs: { "": WRITE_ORDER, to: WRITE_ORDER, stop: WRITE_ORDER, back: WRITE_ORDER, now: WRITE_ORDER },
    read: "here",
    example: { to: "http://10.0.0.2:3000" },
  },
});

const WRITE_WAVE = "send its name as wave, and one of {rate: 500/10m}, {pause: true}, {resume: true} and {end: true}";

const WAVE_ORDER = named(
  "WaveOrder",
  z.strictObject({
    wave: z.string().regex(WAVE_NAME, "is not the name of a wave").describe("its name"),
    rate: text(rateComplaint)
      .optional()
      .describe("starts it: 500/10m makes 500 passes good at its start, and 500 more every 10 minutes"),
    start: text(momentComplaint).optional().describe("when it starts; left out: now"),
    count: z.int().min(1).max(PASS_NUMBER_MAX).optional().describe("how many passes it has, for the status"),
    pause: z.literal(true).optional().describe("no more passes begin to be good"),
    resume: z.literal(true).optional().describe("goes on, with the next step when it is due or overdue"),
    end: z.literal(true).optional().describe("forgets the wave: all its passes are good"),
  }),
);

const WAVE = operation({
  ...ORDER,
  id: "orderWave",
  path: "/v1/rooms/{name}/wave",
  summary: "starts, pauses, resumes or ends a [wave](rooms.md#passes) of passes",
  body: {
    schema: WAVE_ORDER,
    bytesMax: ROLLOUT_BYTES_MAX,
    repairs: { "": WRITE_WAVE, rate: RATE_REPAIR, start: MOMENT_REPAIR, wave: WRITE_WAVE },
    read: "here",
    example: { wave: "spring", rate: "500/10m", start: "2026-11-27T10:00:00Z", count: 6_000 },
  },
});

export const ROOM_ORDER_OPERATIONS = [HOLD, OPEN, RESUME, ROLLOUT, WAVE];

interface RoomOrderRoutes extends RoomRoutes {
  readonly rollouts: Pick<Rollouts, "start" | "stop" | "back" | "finish">;
}

export function roomOrderRoutes(serve: Serve, { rooms, audit, rollouts, nowMs }: RoomOrderRoutes): void {
  const order = (c: Context<AdminEnv>, name: string, kind: OrderKind | undefined) =>
    changeRoom(c, { rooms, name }, () =>
      audit.tracked(actorOf(c), `room ${kind ?? "resume"}`, () => rooms.order(name, kind)),
    );
  serve(HOLD, ({ c, params: { name }, body }) => order(c, name, body.sold_out ? "sold-out" : "hold"));
  serve(OPEN, ({ c, params: { name } }) => order(c, name, "open"));
  serve(RESUME, ({ c, params: { name } }) => order(c, name, undefined));
  serve(ROLLOUT, ({ c, params: { name }, body: { to, stop, back, now } }) => {
    const orders = [to, stop, back, now].filter((each) => each !== undefined);
    if (orders.length !== 1) {
      const problem = `comes with ${orders.length} orders where exactly one is needed`;
      return invalid([{ path: "to", problem, repair: WRITE_ORDER }]);
    }
    const change = async () => {
      if (stop === true) return rollouts.stop(name);
      if (back === true) return rollouts.back(name);
      if (now === true) return rollouts.finish(name);
      return rollouts.start(name, to, authorOf(c.var.principal));
    };
    return changeRoom(c, { rooms, name }, () => audit.trackedLater(actorOf(c), "rollout changed", change));
  });
  serve(WAVE, ({ c, params: { name }, body }) => {
    const now = nowMs();
    const order = waveOrder(body, now);
    if (order === undefined)
      return invalid([{ path: "wave", problem: "comes without exactly one order", repair: WRITE_WAVE }]);
    const change = () => orderWave(rooms, name, { order, nowMs: now, author: authorOf(c.var.principal) });
    return changeRoom(c, { rooms, name }, () => audit.tracked(actorOf(c), "wave changed", change));
  });
}

/** The one order of a body; undefined if it has none, or several. */
function waveOrder(body: z.output<typeof WAVE_ORDER>, nowMs: number): WaveOrder | undefined {
  const { wave, rate, start, count, ...changes } = body;
  const [change, second] = (["pause", "resume", "end"] as const).filter((each) => changes[each] === true);
  if (rate === undefined) {
    const isOne = change !== undefined && second === undefined && start === undefined && count === undefined;
    return isOne ? { change, wave } : undefined;
  }
  if (change !== undefined) return undefined;
  const startMs = momentOf(start) ?? nowMs;
  return { start: { name: wave, rate, open: 0, startMs, isPaused: false, ...(count !== undefined && { count }) } };
}
