/**
 * What a visitor left to be told of the turn: whether it can be one, and how it is sealed.
 *
 * Only the shape is checked. Whether anybody reads it there, the operator's mail or message finds out.
 */

import { CONTACT_KINDS, type ContactKind } from "../config/notify-fields.ts";
import type { MeshSecret } from "./derived-keys.ts";
import { type MayPush, subscriptionIn } from "./push-subscription.ts";
import { SealedTexts } from "./sealed-text.ts";

export interface Contact {
  readonly by: ContactKind;
  /** An address or a number, or a push subscription as JSON. */
  readonly text: string;
}

/**
 * The longest address that mail takes (RFC 5321, section 4.5.3.1.3), as UTF-8. Doubled, one that is sealed would not fit
 * into a message between nodes.
 */
const BYTES_MAX = 254;

/** With a domain of at least two names; without spaces, controls and characters that begin another address or field. */
const EMAIL =
  /^[^\s\p{C}@,;:<>()[\]"\\]{1,64}@[^\s\p{C}@,;:<>()[\]"\\.]{1,63}(?:\.[^\s\p{C}@,;:<>()[\]"\\.]{1,63}){1,8}$/u;

/** With or without its country; at most 15 digits (E.164) once all else is left out. */
const PHONE = /^\+?\d{5,15}$/;

/** What was left, if it is of a kind that the room allows. */
export function contactIn(written: string, kinds: readonly ContactKind[], mayPush?: MayPush): Contact | undefined {
  if (kinds.includes("push") && written.startsWith("{")) {
    const subscription = subscriptionIn(written, mayPush);
    return subscription && { by: "push", text: JSON.stringify(subscription) };
  }
  if (Buffer.byteLength(written) > BYTES_MAX) return undefined;
  const text = written.trim();
  if (kinds.includes("email") && EMAIL.test(text)) return { by: "email", text };
  const digits = text.replace(/[\s()./-]/g, "");
  return kinds.includes("phone") && PHONE.test(digits) ? { by: "phone", text: digits } : undefined;
}

export class ContactSeal {
  readonly #texts: SealedTexts;

  constructor(mesh: MeshSecret) {
    this.#texts = new SealedTexts(mesh, "anteroom contacts");
  }

  /** As it is stored, for one visitor of one room. */
  sealed({ by, text }: Contact, room: string, visitor: string): string {
    return this.#texts.sealed(`${by} ${text}`, `${room} ${visitor}`);
  }

  opened(sealed: string, room: string, visitor: string): Contact | undefined {
    const [kind, text] = this.#texts.opened(sealed, `${room} ${visitor}`)?.split(" ", 2) ?? [];
    const by = CONTACT_KINDS.find((known) => known === kind);
    return by === undefined || text === undefined ? undefined : { by, text };
  }
}
