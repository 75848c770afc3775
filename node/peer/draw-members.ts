/** What a draw needs to know of the members of its mesh, and where its secrets come from. */

import type { NodeId } from "../../mesh/core/ids.ts";
import type { Instant } from "../../mesh/core/instant.ts";
import type { Members } from "../../mesh/core/members/members.ts";
import type { DrawsParts } from "./draws.ts";

const SECRET_BYTES = 32;

export function newSecret(): string {
  return crypto.getRandomValues(new Uint8Array(SECRET_BYTES)).toHex();
}

export function drawMembers(
  { self }: { readonly self: NodeId },
  members: Members,
  now: () => Instant,
): DrawsParts["members"] {
  return {
    get voters() {
      return members.isMember() ? (members.view?.voters ?? []) : [];
    },
    get others() {
      return members.others;
    },
    get rollKeepers() {
      return [...new Set([...this.voters, ...members.reach.alive(now())])].filter((node) => node !== self);
    },
    isMember: (node) => members.isMember(node),
    isAnswering: (node) => node === self || members.reach.alive(now()).includes(node),
  };
}
