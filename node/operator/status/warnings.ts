/**
 * What an operator should know of a node at once, in words: of the mesh, of the rooms' origins, of rooms that cannot be
 * read, and of files that others can.
 */

import type { NodeId } from "../../../mesh/core/ids.ts";
import { WITHOUT_LEASE_MAX } from "../../../mesh/core/members/authority-to-act.ts";
import { toText } from "../../../mesh/seed-addresses.ts";
import { problemText } from "../../config/problem.ts";
import type { Settings } from "../../config/settings.ts";
import { CLOSE_MS } from "../../peer/draws.ts";
import type { Peer } from "../../peer/peer.ts";
import type { Rooms } from "../../rooms/rooms.ts";
import type { UnreadableRoom } from "../../rooms/stored-room.ts";
import { type Lookups, lacking } from "../../rules/lookups.ts";
import { labelsAt } from "./node-labels.ts";
import { silentMembers } from "./silent-members.ts";

/** What an operator should know of the mesh at once. */
export function meshWarnings(peer: Peer, { join: seeds, leaseMs }: Settings): string[] {
  const { members, now } = peer;
  if (members.view === undefined) {
    const how =
      seeds.length > 0
        ? "no member has admitted this node to the mesh yet"
        : "this node has a mesh key but no state, and no address to join: start it with --join ADDR of another node; if there is none, remove mesh.key, and the next start creates a new mesh";
    return [`${how}; until then new visitors wait in line`];
  }
  const labels = labelsAt(peer);
  const addressOf = (node: NodeId): string | undefined => peer.addressesOf(node).map(toText)[0];
  return [
    silentMembers(members, { now, leaseMs, labels, addressOf }) ?? [],
    members.clocks.problems(now).map(labels.inText),
    unsentMessages(peer) ?? [],
  ].flat();
}

/**
 * What a disk that refuses writes will cost a node among others: nothing leaves it that is not on the disk, so they do
 * not hear it. Nothing is said in a mesh of two, which removes nobody.
 */
export function lossOfIdentity(
  isRefusing: boolean,
  { members }: Peer,
  { leaseMs }: Pick<Settings, "leaseMs">,
): string[] {
  if (!isRefusing || (members.view?.members.length ?? 0) <= WITHOUT_LEASE_MAX) return [];
  return [
    `other nodes do not hear a node whose disk refuses writes: a little more than a lease (${leaseMs / 1_000} s) after the first refusal they remove it, its visitors may lose their sessions, and it continues as a new node`,
  ];
}

/** Messages that grew too large: what they were to do does not happen, and trying again changes nothing. */
function unsentMessages({ counts: { unsent } }: Peer): string | undefined {
  if (unsent === 0) return undefined;
  return `${unsent} messages to other nodes were too large to send, so a node may be unable to leave, or to be removed: the log names their kinds; delete rooms that are not needed, or start a new mesh`;
}

/** Rules that do not apply for want of a file. */
export function lookupWarnings(rooms: Rooms, has: Pick<Lookups, "addresses">): string[] {
  return rooms
    .all()
    .flatMap(({ room: { name }, ruleFields }) =>
      lacking(ruleFields, has).map(
        ({ field, file }) => `room ${name}: rules ask for ${field}, and this node has no ${file}: they do not apply`,
      ),
    );
}

/** What an operator should know of the rooms' origins at once. */
export function originWarnings(rooms: Rooms, { roomMs }: Peer): string[] {
  return rooms.all().flatMap(({ room, origin }) => {
    const down = origin.all.filter(({ health }) => !health.isUp);
    const words = origin.words(roomMs);
    const told = words === undefined ? [] : [`room ${room.name}: ${words}`];
    if (origin.isReachable(roomMs)) {
      const some = down.map(({ url, health }) => `room ${room.name}: its origin ${url} is down: ${health.reason}`);
      return [...some, ...(room.rollout?.state === "reversed" ? told : [])];
    }
    const reasons = down.map(({ url, health }) => `${url}: ${health.reason}`).join("; ");
    return [`room ${room.name}: no origin answers (${reasons})`, ...told];
  });
}

/** What nobody repeats by hand, and was turned away: payments and log-ins may be lost. */
export function lostWarnings(rooms: Rooms): string[] {
  return rooms.all().flatMap(({ room, counts: { lost } }) => {
    const { calls, forms } = lost;
    return [
      ...(calls.count === 0
        ? []
        : [
            `room ${room.name} turned away ${counted(calls.count, "call")} of programs (such as ${[...calls.paths].join(", ")}): if these are webhooks, such as notices of payments, let them pass by a rule; see docs/first-sale.md`,
          ]),
      ...(forms.count === 0
        ? []
        : [
            `room ${room.name} could not pass on ${counted(forms.count, "form")} of other sites (such as ${[...forms.paths].join(", ")}): visitors who paid or logged in there may have lost it; see docs/first-sale.md`,
          ]),
    ];
  });
}

function counted(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? "" : "s"}`;
}

/** Draws that are due, and wait for their public values. */
export function drawWarnings(rooms: Pick<Rooms, "all">, { roomMs }: Pick<Peer, "roomMs">): string[] {
  return rooms
    .all()
    .flatMap(({ room: { name }, draws }) =>
      draws
        .filter(
          ({ terms, endMs, value }) => roomMs >= terms.startMs + CLOSE_MS && roomMs < endMs && value === undefined,
        )
        .map(
          ({ terms: { event, announced } }) =>
            `the draw of event ${event} of room ${name} is not made, and its visitors wait: give the public value (${announced}) with: anteroom draw value ${name} VALUE`,
        ),
    );
}

export function unreadableRoom({ name, problems, routes }: UnreadableRoom, rooms: Rooms): string {
  const closed =
    routes.length === 0
      ? "it does not apply, and its visitors are not limited"
      : "this node does not know its limits, and answers its visitors with 503";
  const meanwhile =
    rooms.byFirstName(name) === undefined ? closed : "it stays as it was before, until this process ends";
  const repair = `delete it with: anteroom room delete ${name}, or apply it again from its file`;
  return `what is stored of room ${name} cannot be read: ${meanwhile}; ${repair}. ${problems.map(problemText).join(" ")}`;
}

export function looseSecret(path: string): string {
  return `${path} can be read by others on this host: chmod 600 ${path}`;
}
