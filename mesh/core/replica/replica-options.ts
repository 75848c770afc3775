/** What a replica needs from its node. */

import type { AccountId, NodeId, RoomId } from "../ids.ts";
import type { Puts } from "../wire/outbox.ts";
import type { Signatures } from "../wire/signed.ts";
import type { RegisterKey } from "./register-keys.ts";
import type { Register } from "./registers.ts";

export interface ReplicaOptions {
  readonly self: NodeId;
  readonly founder: AccountId;
  /** The mesh's id; signed with everything, so that nothing from another mesh is ever accepted. */
  readonly mesh: string;
  readonly minuteMs: number;
  /** Unix ms of the start, above those of earlier ones. */
  readonly incarnation: number;
  readonly outbox: Puts;
  /** Everything that was put and not removed; it may include entries of other parts of the node. */
  readonly stored: ReadonlyMap<string, unknown>;
  readonly signatures: Signatures;
  /** Who writes for an account: its node, or who has taken over what it held; undefined if its name is not known. */
  readonly writerOf: (account: AccountId) => NodeId | undefined;
  /** The accounts that this node writes; its own one is always among them. */
  readonly writes: () => readonly AccountId[];
  /** Whether nothing more is accepted from an account. */
  readonly isFenced: (account: AccountId) => boolean;
  /**
   * Another node holds a newer version of an own row than this node has written: its disk is old or a copy. It must
   * give up its identity.
   */
  readonly outdated: (reason: string) => void;
  /** The disk has lost what this node had counted in a room: all its slots there may be in use. */
  readonly forgot: (room: RoomId) => void;
  /** A register written elsewhere has won. */
  readonly registerChanged: (key: RegisterKey, register: Register) => void;
  /** A register applies here, from any writer, also as read from disk at the start. */
  readonly registerKept?: (key: RegisterKey, register: Register) => void;
  /** Unix ms by which a register's stamp is too far ahead; if left out, the time that comes with the message. */
  readonly judgeMs?: () => number;
  /** Minutes of counts that are published: the longest window in use. */
  readonly countMinutes?: number;
  /** Whether this node has heard since its start what others know, as digests say; if left out, it has. */
  readonly isInStep?: () => boolean;
}
