/**
 * What the tables do not say of each kind of message: when it is sent, and what happens if it is lost, doubled or late.
 * A kind without words does not compile.
 */

import type { MessageKind } from "../../node/peer/message-kinds.ts";
import { MEMBER_WORDS } from "./member-words.ts";
import { PEER_WORDS } from "./peer-words.ts";
import { REPLICA_WORDS } from "./replica-words.ts";
import { ROOM_WORDS } from "./room-words.ts";
import type { Words } from "./words.ts";

export const WORDS: Readonly<Record<MessageKind, Words>> = {
  ...MEMBER_WORDS,
  ...REPLICA_WORDS,
  ...ROOM_WORDS,
  ...PEER_WORDS,
};
