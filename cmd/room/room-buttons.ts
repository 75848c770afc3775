/**
 * `anteroom room hold|open|resume`: the three emergency buttons for an operator.
 *
 * They give an order beside the room's document, which stays as it is. Each reports the new state in one sentence, what
 * could change it, and the command that restores the state before.
 */

import { adminClient } from "../admin-client.ts";
import { flagValue, type Invocation, isOn } from "../command.ts";
import { EXIT } from "../exit.ts";
import { orderRoom, type RoomAnswer, roomNamed } from "./room.ts";

/** Undefined without an order. */
type Order = NonNullable<RoomAnswer["operator_order"]>["order"] | undefined;

const COMMANDS = { hold: "hold", open: "open", "sold-out": "hold", none: "resume" } as const;

export const hold = (invocation: Invocation) => press(isOn(invocation, "sold-out") ? "sold-out" : "hold", invocation);
export const open = (invocation: Invocation) => press("open", invocation);
export const resume = (invocation: Invocation) => press(undefined, invocation);

async function press(order: Order, invocation: Invocation): Promise<number> {
  const { io, positionals } = invocation;
  const [name = ""] = positionals;
  const client = adminClient(invocation);
  const before = (await roomNamed(client, name)).operator_order?.order;
  const about = order === "sold-out" ? ({ sold_out: true } as const) : undefined;
  const room = await orderRoom(client, name, COMMANDS[order ?? "none"], about);
  io.answer(nowSo(order, room));
  for (const line of lifting(order, name)) io.talk(line);
  if (before === order) io.talk("Nothing changed: this was its state already.");
  else {
    const again = before === "sold-out" ? " --sold-out" : "";
    io.talk(`Undo: anteroom room ${COMMANDS[before ?? "none"]} ${name}${again}${sameNode(invocation)}`);
  }
  return EXIT.ok;
}

/** The room after an order, in one sentence. */
function nowSo(order: Order, room: RoomAnswer): string {
  const { name } = room;
  if (order === "hold") return `Room ${name} holds all new visitors: they wait in line.`;
  if (order === "sold-out") return `Room ${name} is closed as sold out: nobody new is admitted, visitors inside stay.`;
  if (order === "open") return `Room ${name} admits every visitor: its limits do not apply, and nobody waits.`;
  if (room.suspended)
    return `Room ${name} works as declared: it is suspended, and every visitor passes.${change(name, "suspended=false")}`;
  if (room.queue_all)
    return `Room ${name} works as declared: queue_all is true, and it holds all new visitors.${change(name, "queue_all=false")}`;
  if (room.queueing_method === "fifo") return `Room ${name} keeps its limits: visitors above them wait in line.`;
  return `Room ${name} works as declared: queueing_method is ${room.queueing_method}.${change(name, "queueing_method=fifo")}`;
}

function change(name: string, field: string): string {
  return ` Change that with: anteroom room update ${name} ${field}`;
}

/** What could end an order. */
function lifting(order: Order, name: string): readonly string[] {
  if (order === undefined) return [];
  const other = order === "open" ? "hold" : "open";
  return [
    `Only anteroom room resume ${name} or room ${other} ${name}, on any node, lifts this; so does deleting the room.`,
    "A restart, a rooms file, SIGHUP, room apply and room update do not lift it. With --ephemeral, the end of the last node does.",
  ];
}

/** The flags by which this node was found, except the token: it must not be printed. */
function sameNode(invocation: Invocation): string {
  return ["admin", "data"]
    .map((flag) => ({ flag, value: flagValue(invocation, flag) }))
    .flatMap(({ flag, value }) => (value === undefined ? [] : [` --${flag} ${value}`]))
    .join("");
}
