/**
 * The tokens of the mesh, at every node: found by their secrets, made, rotated and deleted.
 *
 * A name belongs to one token. Where two nodes have made one of the same name at once, the later one counts. Tokens
 * end by the time of the rooms, as sessions do: setting back the clock of the host does not bring a token back.
 */

import { randomInt } from "node:crypto";
import { type RegisterKey, TOKEN_SLOTS, tokenKey } from "../../../mesh/core/replica/register-keys.ts";
import type { Register } from "../../../mesh/core/replica/registers.ts";
import type { RoomRegisters } from "../../rooms/room-registers.ts";
import { type Token, tokenIn, tokenRegister } from "./token.ts";
import { hashOfToken, newTokenText } from "./token-text.ts";

/** Most tokens of a mesh: one for each program, person and customer. Each request looks at all. */
export const TOKENS_MAX = 256;

export interface TokensParts {
  readonly registers: RoomRegisters;
  /** The time of the rooms, in Unix ms. */
  readonly roomMs: () => number;
}

/** A token, and the secret that is shown once. */
export interface MadeToken {
  readonly token: Token;
  readonly secret: string;
}

export type TokenPlan = Pick<Token, "name" | "scopes" | "namespace" | "rooms" | "expiresMs">;

interface Held {
  readonly slot: number;
  readonly token: Token;
}

export class Tokens {
  readonly #parts: TokensParts;
  /** By hash: when a secret was last used at this node. */
  readonly #usedMs = new Map<string, number>();

  constructor(parts: TokensParts) {
    this.#parts = parts;
  }

  /** All tokens by name, expired ones included. */
  all(): readonly Token[] {
    return [...this.#byName().values()].map(({ token }) => token).sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  named(name: string): Token | undefined {
    return this.#byName().get(name)?.token;
  }

  /** Whether this token counts now: not deleted, nor expired. */
  stands({ name, createdMs }: Pick<Token, "name" | "createdMs">): boolean {
    const token = this.named(name);
    const isOver = token?.expiresMs !== undefined && this.#parts.roomMs() >= token.expiresMs;
    return token?.createdMs === createdMs && !isOver;
  }

  /** The token of a secret, if it counts now; "expired" if it did. */
  holderOf(secret: string): Token | "expired" | undefined {
    return this.byHash(hashOfToken(secret));
  }

  /** The same by the hash of the secret. */
  byHash(hash: string): Token | "expired" | undefined {
    const nowMs = this.#parts.roomMs();
    for (const { token } of this.#byName().values()) {
      const { previous } = token;
      if (hash !== token.hash && hash !== previous?.hash) continue;
      const untilMs = hash === token.hash ? token.expiresMs : previous?.untilMs;
      if (untilMs !== undefined && nowMs >= untilMs) return "expired";
      this.#usedMs.set(hash, nowMs);
      return token;
    }
    return undefined;
  }

  /** When the secret with this hash was last used at this node, since its start; undefined if it was not. */
  lastUsedMs(hash: string): number | undefined {
    return this.#usedMs.get(hash);
  }

  /** Whether there is no place for another one. */
  get isFull(): boolean {
    return this.#held().length >= TOKENS_MAX;
  }

  create(plan: TokenPlan, createdBy: string): MadeToken {
    const secret = newTokenText();
    const token = {
      ...plan,
      hash: hashOfToken(secret),
      createdMs: this.#parts.roomMs(),
      createdBy,
      previous: undefined,
    };
    this.#write(new Map([[this.#freeSlot(), tokenRegister(token)]]));
    return { token, secret };
  }

  /**
   * Gives a token another secret. The one before counts for `graceMs` more, and no longer than it
   * would have, or the token does.
   */
  rotate(
    token: Token,
    { graceMs, expiresMs }: { readonly graceMs: number; readonly expiresMs: number | undefined },
  ): MadeToken {
    const secret = newTokenText();
    const nowMs = this.#parts.roomMs();
    const ends = [nowMs + graceMs, token.expiresMs, expiresMs].filter((atMs) => atMs !== undefined);
    const untilMs = Math.min(...ends);
    const previous = untilMs <= nowMs ? undefined : { hash: token.hash, untilMs };
    const rotated = { ...token, hash: hashOfToken(secret), expiresMs, previous };
    const slot = this.#byName().get(token.name)?.slot ?? this.#freeSlot();
    this.#write(new Map([[slot, tokenRegister(rotated)]]));
    return { token: rotated, secret };
  }

  /** Deletes all tokens of this name: where two nodes made one at once, the other one must not come back. */
  remove({ name, createdMs }: Token): void {
    const slots = this.#held().filter(({ token }) => token.name === name);
    this.#write(new Map(slots.map(({ slot }) => [slot, { firstName: "", document: undefined, createdMs }])));
  }

  #write(values: ReadonlyMap<number, Omit<Register, "stamp">>): void {
    const keyed = [...values].map(([slot, register]): [RegisterKey, typeof register] => [tokenKey(slot), register]);
    this.#parts.registers.set(new Map(keyed));
    this.#forgetUses();
  }

  #forgetUses(): void {
    const hashes = new Set(this.#held().flatMap(({ token }) => [token.hash, token.previous?.hash]));
    for (const hash of this.#usedMs.keys()) if (!hashes.has(hash)) this.#usedMs.delete(hash);
  }

  #byName(): ReadonlyMap<string, Held> {
    const named = new Map<string, Held>();
    for (const held of this.#held()) {
      const other = named.get(held.token.name);
      if (other === undefined || isLater(held.token, other.token)) named.set(held.token.name, held);
    }
    return named;
  }

  #held(): Held[] {
    const held: Held[] = [];
    for (let slot = 0; slot < TOKEN_SLOTS; slot++) {
      const token = tokenIn(this.#parts.registers.get(tokenKey(slot)));
      if (token !== undefined && token !== "unreadable") held.push({ slot, token });
    }
    return held;
  }

  /** A slot by chance, so that two nodes that make a token at once seldom take the same. */
  #freeSlot(): number {
    const free = Array.from({ length: TOKEN_SLOTS }, (_, slot) => slot).filter(
      (slot) => tokenIn(this.#parts.registers.get(tokenKey(slot))) === undefined,
    );
    const slot = free.length === 0 ? undefined : free[randomInt(free.length)];
    if (slot === undefined) throw new RangeError(`Cannot make a token as all ${TOKEN_SLOTS} slots are in use`);
    return slot;
  }
}

function isLater(one: Token, other: Token): boolean {
  return one.createdMs > other.createdMs || (one.createdMs === other.createdMs && one.hash > other.hash);
}
