/**
 * What an operator does with methods and events, by chance: rooms change their method while visitors wait, and get an
 * event with other limits that begins and ends soon.
 *
 * It has a chance of its own, so that faults and visitors of a seed are the same without it.
 */

import { seededRandom } from "../../cmd/crowd/random.ts";
import type { RoomEvent } from "../../node/config/event.ts";
import type { Room } from "../../node/config/room.ts";
import type { World } from "./world.ts";

/** Minutes between two orders, at least and at most: an event takes a few. */
const EVERY_MINUTES = [0.5, 2.5] as const;

export function eventScript(seed: number): (world: World, minute: number) => void {
  const random = seededRandom(seed ^ 0xe7e27);
  const between = (least: number, most: number): number => least + random() * (most - least);
  let nextMinute = between(...EVERY_MINUTES);
  return (world, minute) => {
    if (minute < nextMinute) return;
    nextMinute = minute + between(...EVERY_MINUTES);
    const room = world.rooms[Math.floor(random() * world.rooms.length)];
    const nodes = world.nodes.filter((node) => node.takesOrders && room !== undefined && node.rooms.has(room.id));
    const at = nodes[Math.floor(random() * nodes.length)];
    const { minuteMs } = world.options;
    const change = random() < 0.3 ? { queueingMethod: method(random) } : event(random, world.time.nowMs, minuteMs);
    if (room !== undefined && at !== undefined) world.order(room, change, at);
  };
}

function method(random: () => number): Room["queueingMethod"] {
  return random() < 0.5 ? "fifo" : "random";
}

/** One event, in place of all that there were; some are under way already, and some change one that is. */
function event(random: () => number, nowMs: number, minuteMs: number): Partial<Room> {
  const startMs = Math.round(nowMs + (random() * 2.5 - 0.5) * minuteMs);
  const isHigher = random() < 0.5;
  const hasPrequeue = random() < 0.7;
  const event: RoomEvent = {
    name: "sale",
    description: "",
    suspended: random() < 0.1,
    startMs,
    endMs: startMs + Math.round((0.5 + 3 * random()) * minuteMs),
    prequeueMs: hasPrequeue ? startMs - Math.round((0.2 + random()) * minuteMs) : undefined,
    shuffles: hasPrequeue && random() < 0.5,
    isDrawn: false,
    drawValue: "",
    totalActiveUsers: isHigher ? 25 + Math.floor(random() * 10) : 1 + Math.floor(random() * 5),
    newUsersPerMinute: isHigher ? 40 : 1 + Math.floor(random() * 5),
    sessionDuration: random() < 0.4 ? 1 + Math.floor(random() * 3) : undefined,
    disableSessionRenewal: undefined,
    queueingMethod: random() < 0.3 ? method(random) : undefined,
    customPageHtml: "",
    ramp: undefined,
  };
  return { events: [event] };
}
