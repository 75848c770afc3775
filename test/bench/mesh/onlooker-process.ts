/**
 * A process of the benchmark: one node of a mesh, which admits visitors when it is told to and notes the moment at which it learns
 * of admissions elsewhere. It looks when a frame has come, so that no polling blurs the time.
 */

import { type AccountId, accountOf, type Minute, type RoomId } from "../../../mesh/core/ids.ts";
import { minutePlus } from "../../../mesh/core/minute.ts";
import { roomIdOf } from "../../../node/rooms.ts";
import { obey } from "./orders.ts";
import { PartNode, type PartNodeOptions } from "./part-node.ts";
import { openRoom } from "./rooms.ts";

/** That an account has admitted `count` visitors in `minute`, and when this was so or was known. Moments are Unix ms with fractions. */
export interface Sighting {
  readonly account: AccountId;
  readonly minute: Minute;
  readonly count: number;
  readonly atMs: number;
}

const ROOM = "shop";
const ROOM_ID: RoomId = roomIdOf(ROOM);

let node: PartNode | undefined;
const admitted: Sighting[] = [];
const seen: Sighting[] = [];
/** What was last seen of each account and minute. */
const counts = new Map<string, number>();

export const ONLOOKER_ORDERS = {
  /** Founds a mesh with one room, or joins one. Returns where this node can be reached. */
  start: async (options: Omit<PartNodeOptions, "heard">): Promise<string> => {
    node = await PartNode.start({ ...options, heard: look });
    if (options.join === undefined) node.apply(openRoom(ROOM));
    return node.address;
  },

  state: (): { readonly alive: number; readonly hasRoom: boolean } => ({
    alive: node?.alive ?? 0,
    hasRoom: node?.peer.rooms.has(ROOM_ID) ?? false,
  }),

  /** Lets one visitor in, in its own time. */
  admit: ({ visitor }: { visitor: string }): void => {
    const { peer } = must();
    const room = peer.rooms.get(ROOM_ID);
    must().step(() => {
      room?.arrive(visitor, Date.now(), ({ kind }) => {
        if (kind !== "admitted") throw new Error(`Cannot measure as every visitor must be let in: current is ${kind}`);
        const account = accountOf(peer.mesh.self);
        const minute = room.admission.minuteAt(Date.now());
        admitted.push({ account, minute, count: countOf(account, minute), atMs: nowMs() });
      });
    });
  },

  report: (): { readonly admitted: readonly Sighting[]; readonly seen: readonly Sighting[] } => ({ admitted, seen }),
};

obey(ONLOOKER_ORDERS);

function look(): void {
  if (node === undefined) return;
  const { mesh, members, rooms } = node.peer;
  const now = rooms.get(ROOM_ID)?.admission.minuteAt(Date.now());
  if (now === undefined) return;
  const atMs = nowMs();
  for (const { node: other } of members.view?.members ?? []) {
    if (other === mesh.self) continue;
    for (const minute of [now, minutePlus(now, -1)]) lookAt(accountOf(other), minute, atMs);
  }
}

function lookAt(account: AccountId, minute: Minute, atMs: number): void {
  const count = countOf(account, minute);
  const key = `${account} ${minute}`;
  if (count <= (counts.get(key) ?? 0)) return;
  counts.set(key, count);
  seen.push({ account, minute, count, atMs });
}

function countOf(account: AccountId, minute: Minute): number {
  return must().peer.replica.ledger.count(ROOM_ID, { minute, kind: "in", accounts: [account] });
}

function must(): PartNode {
  if (node === undefined) throw new Error("Cannot measure before the start");
  return node;
}

/** The same clock in all processes of a host, finer than a millisecond. */
function nowMs(): number {
  return performance.timeOrigin + performance.now();
}
