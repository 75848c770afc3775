/**
 * The webhooks of the mesh, as this node reads and changes them in their registers.
 *
 * Each has a slot. The slot of a deleted webhook is used again, so deleted ones do not accumulate.
 */

import { WEBHOOKS_MAX, type WebhookKey, webhookKey } from "../../../mesh/core/replica/register-keys.ts";
import type { RoomRegisters } from "../../rooms/room-registers.ts";
import type { Tokens } from "../tokens/tokens.ts";
import {
  newWebhookId,
  type StoredWebhook,
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
  readonly tokens: Pick<Tokens, "stands">;
  readonly clock: () => number;
}

/** A webhook with a secret that nobody gets to see again. */
export interface WithSecret {
  readonly webhook: Webhook;
  readonly secret: string;
}

export class Webhooks {
  readonly #parts: WebhooksParts;

  constructor(parts: WebhooksParts) {
    this.#parts = parts;
  }

  /** All of them, in the order in which they were made. */
  all(): Webhook[] {
    return KEYS.flatMap((key) => this.#at(key) ?? []).sort(
      (one, other) => one.createdMs - other.createdMs || (one.id < other.id ? -1 : 1),
    );
  }

  byId(id: string): Webhook | undefined {
    return this.all().find((webhook) => webhook.id === id);
  }

  /** A new webhook and its secret; undefined if there are too many. Throws `NotStored`. */
  create(fields: WebhookFields, owner: WebhookOwner): WithSecret | undefined {
    const free = KEYS.filter((key) => this.#at(key) === undefined);
    const id = newWebhookId();
    // Two nodes that make one at the same time rarely choose the same slot, of which only one would remain.
    const key = free[Number.parseInt(id.slice(-6), 16) % free.length];
    if (key === undefined) return undefined;
    const { secrets, clock } = this.#parts;
    const secret = secrets.make();
    const webhook = { key, id, ...fields, createdMs: clock(), owner, secret: secrets.sealed(secret, id) };
    return { webhook: this.#write(webhook), secret };
  }

  /** Whether the token counts with which it was made or changed last: without one it gets no notices. */
  isOwned({ owner: { token } }: StoredWebhook): boolean {
    return token === undefined || this.#parts.tokens.stands(token);
  }

  /** Changes it by a token, on which it depends from now on. Throws `NotStored`. */
  update(webhook: Webhook, fields: WebhookFields, { token }: Pick<WebhookOwner, "token">): Webhook {
    const { namespace, rooms } = webhook.owner;
    const changed = { ...webhook, ...fields, owner: { namespace, rooms, token } };
    return JSON.stringify(changed) === JSON.stringify(webhook) ? webhook : this.#write(changed);
  }

  /** Gives it a new secret; the one until now signs as well for a day. Throws `NotStored`. */
  rotate(webhook: Webhook): WithSecret {
    const { secrets, clock } = this.#parts;
    const secret = secrets.make();
    const previous = { secret: webhook.secret, untilMs: clock() + PREVIOUS_MS };
    return { webhook: this.#write({ ...webhook, secret: secrets.sealed(secret, webhook.id), previous }), secret };
  }

  /** Throws `NotStored`. */
  remove({ key }: Webhook): void {
    this.#set(key, undefined);
  }

  /** The secrets that sign now, the newest first. None: it cannot be sent by this node. */
  signing({ id, secret, previous }: Webhook): string[] {
    const { secrets, clock } = this.#parts;
    const sealed = [secret, ...(previous !== undefined && clock() < previous.untilMs ? [previous.secret] : [])];
    return sealed.flatMap((each) => secrets.opened(each, id) ?? []);
  }

  #write({ key, ...stored }: Webhook): Webhook {
    this.#set(key, stored);
    return { key, ...stored };
  }

  #set(key: WebhookKey, stored: StoredWebhook | undefined): void {
    this.#parts.registers.set(new Map([[key, webhookRegister(stored, this.#parts.clock())]]));
  }

  #at(key: WebhookKey): Webhook | undefined {
    const stored = webhookIn(this.#parts.registers.get(key));
    return stored && { key, ...stored };
  }
}
