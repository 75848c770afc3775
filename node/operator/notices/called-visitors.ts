/**
 * Visitors whose turn has come, who have put the page away: the operator is told by the notice `visitor.called`, with
 * what they left, and a browser that has subscribed to it by push.
 *
 * It is told once the session is on disk, by the node that asked for the visitor, and to webhooks alone: an address
 * is in no log, and no other notice.
 */

import type { NodeId } from "../../../mesh/core/ids.ts";
import { minutePlus, startOfMinuteMs } from "../../../mesh/core/minute.ts";
import { supportId } from "../../gate/support-id.ts";
import { isoOf } from "../../iso-time.ts";
import type { Contact, ContactSeal } from "../../keys/contact-seal.ts";
import type { Log } from "../../log.ts";
import type { LiveRoom } from "../../rooms/live-room.ts";
import { sha256Hex } from "../../sha256.ts";
import type { CommitQueue } from "../../storage/group-commit.ts";
import type { Notice } from "./notice.ts";
import type { Turn } from "./push-sender.ts";

export interface CalledParts {
  readonly mesh: string;
  readonly node: NodeId;
  readonly seal: ContactSeal;
  readonly commit: CommitQueue;
  readonly clock: () => number;
  /** Gives it to the webhooks that want it; returns whether there is one. */
  readonly send: (notice: Notice) => boolean;
  /** Tells a visitor's browser. */
  readonly push: (turn: Turn) => void;
  readonly log: Log;
}

/** Call it often. */
export function tellCalled(rooms: readonly LiveRoom[], parts: CalledParts): void {
  for (const live of rooms) {
    const { contacts } = live.meshRoom;
    for (const called of contacts.takeCalled())
      parts.commit.afterCommit((isOnDisk) => {
        const { id, isNew, sealed, lastGood } = called;
        if (!isOnDisk) {
          if (isNew) live.meshRoom.withdraw(id);
          contacts.notTold(called);
          return;
        }
        if (isNew) live.counts.admissions += 1;
        const contact = parts.seal.opened(sealed, live.id, id);
        const untilMs = startOfMinuteMs(minutePlus(lastGood, 1), live.roomNode.minuteMs);
        if (contact?.by === "push") parts.push({ room: live.room, left: contact.text, untilMs });
        else if (contact === undefined || !parts.send(noticeOf(live, { id, contact, untilMs }, parts)))
          parts.log.warn(
            { room: live.room.name },
            "a visitor is to be told of the turn, and no webhook names visitor.called",
          );
        contacts.told(called);
      });
  }
}

/** Rooms where visitors leave addresses, although no webhook would hear of their turn. */
export function unheardRooms(rooms: readonly LiveRoom[], hears: (room: string) => boolean): string[] {
  return rooms
    .filter(({ room }) => room.notify?.by.some((kind) => kind !== "push") && !hears(room.name))
    .map(
      ({ room: { name } }) =>
        `room ${name} lets visitors leave addresses (notify), and no webhook hears of their turn: make one with anteroom webhook create name=called url=URL types='[visitor.called]'`,
    );
}

function noticeOf(
  live: LiveRoom,
  { id, contact, untilMs }: { readonly id: string; readonly contact: Contact; readonly untilMs: number },
  { mesh, node, clock }: CalledParts,
): Notice {
  return {
    // The same from whichever node asked for the visitor.
    id: `ntc_${sha256Hex(JSON.stringify([mesh, live.id, "called", id])).slice(0, 24)}`,
    type: "visitor.called",
    atMs: clock(),
    untilMs,
    node,
    room: live.room.name,
    data: { by: contact.by, contact: contact.text, visitor: supportId(id), until: isoOf(untilMs) },
  };
}
