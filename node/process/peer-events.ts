/** What the shell does when the mesh changes something: rooms follow, and the log says so. */

import { problemText } from "../config/problem.ts";
import type { Log } from "../log.ts";
import { messageOf } from "../message-of.ts";
import { labelsAt } from "../operator/status/node-labels.ts";
import type { Peer } from "../peer/peer.ts";
import type { PeerOptions } from "../peer/peer-options.ts";
import { orderIn, orderText } from "../rooms/room-order.ts";
import type { Rooms } from "../rooms/rooms.ts";

export interface EventParts {
  /** Undefined while they are being made. */
  readonly rooms: () => Rooms | undefined;
  readonly peer: () => Peer | undefined;
  /** A room or an order has changed. */
  readonly changed: () => void;
  readonly over: PeerOptions["events"]["over"];
  readonly log: Log;
}

export function peerEvents({ rooms: roomsNow, peer: peerNow, changed, over, log }: EventParts): PeerOptions["events"] {
  const labelled = (text: string): string => {
    const peer = peerNow();
    return peer === undefined ? text : labelsAt(peer).inText(text);
  };
  return {
    roomChanged: (id, register) => {
      changed();
      for (const problem of roomsNow()?.follow(id, register) ?? []) log.warn({}, problemText(problem));
    },
    orderChanged: (id, register) => {
      changed();
      const rooms = roomsNow();
      rooms?.followOrder(id, register);
      const name = rooms?.byId(id)?.room.name ?? register.firstName;
      const order = orderIn(register);
      const text = order === undefined ? "order taken back" : orderText(order);
      log.info({ room: name, by: labelled(register.stamp.node) }, text);
    },
    drawValueGiven: (id) => {
      changed();
      roomsNow()?.followDrawValues(id);
    },
    visitorsBlocked: (id, register) => {
      try {
        roomsNow()?.followBlocked(id, register);
      } catch (error) {
        // The disk refuses it: here the blocks of both hold until a restart, and another node writes them.
        log.error({ error: messageOf(error) }, "blocked visitors not written");
      }
    },
    viewChanged: ({ number, members }) => log.info({ view: number, members: members.length }, "view changed"),
    over,
    log: (fields, message) => log.info(fields, labelled(message)),
    failed: (fields, message) => log.error(fields, labelled(message)),
  };
}
