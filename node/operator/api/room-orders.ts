/** The part of the admin API about what an operator orders of a room: to hold, open and resume it, and its rollout. */

import { z } from "zod";
import type { Rollouts } from "../../rooms/rollouts.ts";
import { authorOf, refusalFor } from "../access/other-rooms.ts";
import { invalid } from "../calls/api-answers.ts";
import { changeIf } from "../calls/entity-tag.ts";
import { operation } from "../calls/operation.ts";
import type { Serve } from "../calls/serve.ts";
import { actorOf } from "../logs/audit.ts";
import { named } from "./common-shapes.ts";
import { ROOM_ANSWER, type RoomRoutes, roomAnswer, roomNow } from "./rooms.ts";

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

const HOLD = operation({
  ...ORDER,
  id: "holdRoom",
  path: "/v1/rooms/{name}/hold",
  summary: "holds all new visitors in line",
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

const WRITE_ORDER = "send one of {to: URL}, {stop: true} and {back: true}";

const ROLLOUT = operation({
  ...ORDER,
  id: "rollOut",
  path: "/v1/rooms/{name}/rollout",
  summary: "starts, stops or reverses a rollout",
  body: {
    schema: named(
      "RolloutOrder",
      z.strictObject({
        to: z.string().optional().describe("starts one to the origin with this base URL, or continues a stopped one"),
        stop: z.literal(true).optional().describe("keeps the present percentage"),
        back: z.literal(true).optional().describe("sends new sessions to the old origin again"),
      }),
    ),
    bytesMax: ROLLOUT_BYTES_MAX,
    repairs: { "": WRITE_ORDER, to: WRITE_ORDER, stop: WRITE_ORDER, back: WRITE_ORDER },
    read: "here",
    example: { to: "http://10.0.0.2:3000" },
  },
});

export const ROOM_ORDER_OPERATIONS = [HOLD, OPEN, RESUME, ROLLOUT];

export interface RoomOrderRoutes extends RoomRoutes {
  readonly rollouts: Pick<Rollouts, "start" | "stop" | "back">;
}

export function roomOrderRoutes(serve: Serve, { rooms, audit, rollouts }: RoomOrderRoutes): void {
  for (const [operation, word, kind] of [
    [HOLD, "hold", "hold"],
    [OPEN, "open", "open"],
    [RESUME, "resume", undefined],
  ] as const) {
    serve(operation, ({ c, params: { name } }) => {
      const change = (): Response => {
        const ordered = audit.tracked(actorOf(c), `room ${word}`, () => rooms.order(name, kind));
        return ordered.ok ? roomAnswer(ordered.value) : refusalFor(c, ordered.refusal);
      };
      return changeIf(c.req, { document: roomNow(rooms, name), change });
    });
  }
  serve(ROLLOUT, ({ c, params: { name }, body: { to, stop, back } }) => {
    const orders = [to, stop, back].filter((each) => each !== undefined);
    if (orders.length !== 1) {
      const problem = `comes with ${orders.length} orders where exactly one is needed`;
      return invalid([{ path: "to", problem, repair: WRITE_ORDER }]);
    }
    const change = async (): Promise<Response> => {
      const changed = await audit.trackedLater(actorOf(c), "rollout changed", async () =>
        stop === true
          ? rollouts.stop(name)
          : back === true
            ? rollouts.back(name)
            : rollouts.start(name, to, authorOf(c.var.principal)),
      );
      return changed.ok ? roomAnswer(changed.value) : refusalFor(c, changed.refusal);
    };
    return changeIf(c.req, { document: roomNow(rooms, name), change });
  });
}
