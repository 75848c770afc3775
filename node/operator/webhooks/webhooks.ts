/**
 * The webhooks of the mesh, as this node reads and changes them in their registers.
 *
 * Each has a slot. The slot of a deleted webhook is used again, so deleted ones do not accumulate.
 */

import { type RegisterKey, WEBHOOKS_MAX, webhookKey } from "../../../mesh/core/replica/register-keys.ts";
import type { Register } from "../../../mesh/core/replica/registers.ts";
import type { RoomRegisters } from "../../rooms/room-registers.ts";
import {
  newWebhookId,
  type Webhook,
  type WebhookFields,
  type WebhookOwner,
  webhookIn,
  webhookRegister,
} from "./webhook.ts";
import type { WebhookSecrets } from "./webhook-secret.ts";

/** How long the secret before a rotation still signs: a day, in which an operator changes a receiver. */
const PREVIOUS_MS = 24 * 60 * 60_000;

/** By slot. All of them are looked at once a second, and nearly all are empty. */
const KEYS = Array.from({ length: WEBHOOKS_MAX }, (_, slot) => webhookKey(slot));

export interface WebhooksParts {
  readonly registers: RoomRegisters;
  readonly secrets: WebhookSecrets;
  readonly clock: () => number;
}

/** A webhook and its slot. */
export interface Slot {
  readonly slot: number;
  readonly webhook: Webhook;
}

/** A webhook with a secret that nobody gets to see again. */
export interface WithSecret {
  readonly slot: Slot;
  readonly secret: string;
}

export class Webhooks {
  readonly #parts: WebhooksParts;
  readonly #read = new Map<
    RegisterKey,
    { readonly register: Register | undefined; readonly webhook: Webhook | undefined }
  >();

  constructor(parts: WebhooksParts) {
    this.#parts = parts;
  }

  /** All of them, in the order in which they were made. */
  all(): Slot[] {
    const slots: Slot[] = [];
    for (const [slot, key] of KEYS.entries()) {
      const webhook = this.#at(key);
      if (webhook !== undefined) slots.push({ slot, webhook });
    }
    return slots.sort(
      ({ webhook: one }, { webhook: other }) => one.createdMs - other.createdMs || (one.id < other.id ? -1 : 1),
    );
  }

  byId(id: string): Slot | undefined {
    return this.all().find(({ webhook }) => webhook.id === id);
  }

  /** A new webhook and its secret; undefined if there are too many. Throws `NotStored`. */
  create(fields: WebhookFields, owner: WebhookOwner): WithSecret | undefined {
    const free = KEYS.flatMap((key, slot) => (this.#at(key) === undefined ? [slot] : []));
    const id = newWebhookId();
    // Two nodes that make one at the same time rarely choose the same slot, of which only one would remain.
    const slot = free[Number.parseInt(id.slice(-6), 16) % free.length];
    if (slot === undefined) return undefined;
    const { secrets, clock } = this.#parts;
    const secret = secrets.make();
    const webhook = { id, ...fields, createdMs: clock(), owner, secret: secrets.sealed(secret, id) };
    this.#write(slot, webhook);
    return { slot: { slot, webhook }, secret };
  }

  /** Throws `NotStored`. */
  update({ slot, webhook }: Slot, fields: WebhookFields): Slot {
    const changed = { ...webhook, ...fields };
    if (JSON.stringify(changed) !== JSON.stringify(webhook)) this.#write(slot, changed);
    return { slot, webhook: changed };
  }

  /** Gives it a new secret; the one until now signs as well for a day. Throws `NotStored`. */
  rotate({ slot, webhook }: Slot): WithSecret {
    const { secrets, clock } = this.#parts;
    const secret = secrets.make();
    const previous = { secret: webhook.secret, untilMs: clock() + PREVIOUS_MS };
    const rotated = { ...webhook, secret: secrets.sealed(secret, webhook.id), previous };
    this.#write(slot, rotated);
    return { slot: { slot, webhook: rotated }, secret };
  }

  /** Throws `NotStored`. */
  remove({ slot }: Slot): void {
    this.#write(slot, undefined);
  }

  /** The secrets that sign now, the newest first. None: it cannot be sent by this node. */
  signing({ id, secret, previous }: Webhook): string[] {
    const { secrets, clock } = this.#parts;
    const sealed = [secret, ...(previous !== undefined && clock() < previous.untilMs ? [previous.secret] : [])];
    return sealed.flatMap((each) => secrets.opened(each, id) ?? []);
  }

  #write(slot: number, webhook: Webhook | undefined): void {
    this.#parts.registers.set(new Map([[webhookKey(slot), webhookRegister(webhook, this.#parts.clock())]]));
  }

  #at(key: RegisterKey): Webhook | undefined {
    const register = this.#parts.registers.get(key);
    const known = this.#read.get(key);
    if (known !== undefined && known.register === register) return known.webhook;
    const webhook = webhookIn(register);
    this.#read.set(key, { register, webhook });
    return webhook;
  }
}
