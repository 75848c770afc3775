/**
 * A process of the benchmark: a node beside another one, which asks it for tickets and check-ins as a gate does; and, from the same
 * process, a Redis server for `INCR`.
 */

import { RedisClient } from "bun";
import type { NodeId } from "../../../mesh/core/ids.ts";
import { ranked } from "../../../mesh/core/ring.ts";
import { roomIdOf } from "../../../node/rooms.ts";
import { CheckInAsker } from "./check-in-asker.ts";
import { obey } from "./orders.ts";
import { PartNode, type PartNodeOptions } from "./part-node.ts";
import { LOCALITY, openRoom } from "./rooms.ts";
import { TicketAsker } from "./ticket-asker.ts";
import { type AtOnce, manyAtOnce, type OneByOne, oneByOne } from "./timing.ts";
import { until } from "./until.ts";

/** Visitors, sessions or callers that are on their way at once: what a spike of 10,000 a second leaves waiting in 200 ms. */
const AT_ONCE = 2_000;

/** Slots lie where they are to lie, and both nodes have told so. */
const SETTLE_MS = 3_000;

interface Asking {
  readonly node: PartNode;
  readonly tickets: TicketAsker;
  readonly checkIns: CheckInAsker;
}

let asking: Asking | undefined;
let redis: RedisClient | undefined;

export const ASKER_ORDERS = {
  /** Joins the mesh of `counter`, and makes a room of which that node is the ticket counter. */
  join: async ({ counter, ...options }: Omit<PartNodeOptions, "heard"> & { counter: NodeId }): Promise<void> => {
    const node = await PartNode.start(options);
    await until("two members", () => node.alive === 2);
    const id = node.apply(openRoom(nameServedBy(counter, node.id)));
    const room = node.peer.rooms.get(id);
    if (room === undefined) throw new Error("Cannot measure as there is no room");
    await until("the counter's slots", () => (node.peer.mesh.gauge(counter, id)?.active ?? 0) > 0);
    await until("the own slots", () => room.gauge(Date.now()).active > 0);
    if (room.counters()[0] !== counter) throw new Error("Cannot measure as the other node must be the ticket counter");
    await Bun.sleep(SETTLE_MS);
    const place = { node, room, other: counter };
    asking = { node, tickets: new TicketAsker(place), checkIns: new CheckInAsker(place) };
  },

  /** One ticket after the other: to the answer with the gift, and until gift and admission are on this node's disk. */
  ticketsOneByOne: ({ ms }: { ms: number }): Promise<{ readonly answer: OneByOne; readonly disk: OneByOne }> =>
    parts().tickets.oneByOne(ms),

  ticketsAtOnce: ({ ms }: { ms: number }): Promise<AtOnce> => parts().tickets.atOnce(ms, AT_ONCE),

  connectRedis: async ({ port }: { port: number }): Promise<void> => {
    redis = new RedisClient(`redis://127.0.0.1:${port}`);
    await redis.connect();
  },

  incrementsOneByOne: ({ ms }: { ms: number }): Promise<OneByOne> => oneByOne(ms, () => increment()),

  incrementsAtOnce: ({ ms }: { ms: number }): Promise<AtOnce> => manyAtOnce(ms, AT_ONCE, () => increment()),

  /** Has `count` sessions at the other node; each can check in from the next minute on. */
  enter: ({ count }: { count: number }): Promise<void> => parts().checkIns.enter(count),

  /** Waits for the beginning of a minute in which the sessions have not checked in yet. */
  nextMinute: (): Promise<void> => parts().checkIns.nextMinute(),

  checkInsOneByOne: ({ count }: { count: number }): Promise<OneByOne> => parts().checkIns.oneByOne(count),

  /** All sessions that have not checked in in this minute. */
  checkInsAtOnce: (): Promise<AtOnce> => parts().checkIns.atOnce(),

  /** CPU time of this process so far, in ms. */
  cpuMs: (): number => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1_000;
  },
};

obey(ASKER_ORDERS);

function parts(): Asking {
  if (asking === undefined) throw new Error("Cannot measure before having joined");
  return asking;
}

function increment(): Promise<number> {
  if (redis === undefined) throw new Error("Cannot measure Redis before having connected to it");
  return redis.incr("slots");
}

/** The first name of a room whose ticket counter is `counter`. */
function nameServedBy(counter: NodeId, other: NodeId): string {
  for (let number = 1; ; number++) {
    const name = `measured-${number}`;
    if (ranked(`${roomIdOf(name)} ${LOCALITY}`, [counter, other])[0] === counter) return name;
  }
}
