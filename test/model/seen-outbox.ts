/** An outbox that lets the model see what goes through it, and lose what it does not look at. */

import type { NodeId } from "../../mesh/core/ids.ts";
import type { MemberMessage } from "../../mesh/core/members/member-messages.ts";
import { type Message, Outbox } from "../../mesh/core/wire/outbox.ts";

export interface Seen {
  readonly put: (key: string, value: unknown) => void;
  /** What is carried of the message, most often itself; undefined if it is lost. */
  readonly sent: (to: NodeId, message: MemberMessage) => Message | undefined;
}

export class SeenOutbox extends Outbox {
  readonly #seen: Seen;

  constructor(seen: Seen) {
    super();
    this.#seen = seen;
  }

  override put(key: string, value: unknown): void {
    super.put(key, value);
    this.#seen.put(key, value);
  }

  override send(to: NodeId, message: Message): void {
    const carried = this.#seen.sent(to, message as MemberMessage);
    if (carried !== undefined) super.send(to, carried);
  }
}
