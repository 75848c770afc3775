/** What is said about a kind of message, and the phrases that several kinds share. */

import type { MessageKind } from "../../node/peer/message-kinds.ts";

export interface Words {
  readonly sent: string;
  readonly lost: string;
  readonly doubled: string;
  readonly late: string;
}

/** Words about some kinds; those about a kind that is no more do not compile. */
export type WordsByKind = Readonly<Partial<Record<MessageKind, Words>>>;

export const AGAIN_SOON = "it is sent again within seconds.";
export const SAME = "nothing: it says the same again.";
export const OLD_VIEW = "it counts for nothing in a newer view.";
export const ASKS_AGAIN = "the sender asks again while it has no answer.";
export const BALLOT = "an answer for another ballot is ignored.";
