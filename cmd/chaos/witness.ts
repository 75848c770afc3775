/** What one visitor of a run sees of gates and origin, for the judge. */

import type { Minute } from "../../mesh/core/ids.ts";
import { startOfMinuteMs } from "../../mesh/core/minute.ts";
import type { VisitorCookie } from "../../node/cookie/seal.ts";
import { fieldValue } from "../../node/http/fields.ts";
import type { Got } from "../crowd/browser.ts";
import type { Seen } from "../crowd/seen.ts";
import type { Witness } from "../crowd/visitor.ts";
import type { Judge } from "./judge.ts";
import { ANSWERED_AT } from "./origin.ts";

export interface WitnessParts {
  readonly judge: Judge;
  /** What a cookie's value says; undefined for one that does not open. */
  readonly open: (cookie: string) => VisitorCookie | undefined;
  readonly minuteMs: number;
}

export class ChaosWitness implements Witness {
  readonly #parts: WitnessParts;
  readonly #name: string;
  /** End of the cookie of its session; undefined without one. */
  #goodToMs: number | undefined;
  /** The pause that it was last asked to make. */
  #intervalMs = 0;

  constructor(parts: WitnessParts, name: string) {
    this.#parts = parts;
    this.#name = name;
  }

  sees(seen: Seen, { got, browser }: Parameters<Witness["sees"]>[1]): void {
    const { judge, open } = this.#parts;
    // A busy gate's answer is the visitor's only after the last try.
    if (got === undefined || got.status >= 500) {
      judge.unanswered += 1;
      return;
    }
    judge.answered({ locality: got.gate.locality, askedMs: got.askedMs, ms: got.ms }, this.#goodToMs !== undefined);
    const cookie = browser.roomCookie === undefined ? undefined : open(browser.roomCookie);
    const originMs = fieldValue(got.headers, ANSWERED_AT);
    if (originMs !== undefined) this.#isInside(cookie, Number(originMs));
    else if (seen.kind === "waiting") this.#waits(seen, cookie, got);
  }

  ends(): void {
    this.#parts.judge.lines.left(this.#name);
  }

  /** A gate failed: perhaps the visitor was admitted, and does not know. */
  failed(): void {
    if (this.#goodToMs === undefined) this.#parts.judge.lost(this.#name, Date.now());
  }

  /** The origin has answered. */
  #isInside(stay: VisitorCookie | undefined, originMs: number): void {
    const { judge, minuteMs } = this.#parts;
    if (stay?.kind !== "inside") {
      judge.strays += 1;
      return;
    }
    judge.served(this.#name, stay, originMs);
    this.#goodToMs = startOfMinuteMs((stay.lastGood + 1) as Minute, minuteMs);
  }

  /** The gate has answered that it must wait. */
  #waits(
    { position, refreshSeconds }: Extract<Seen, { kind: "waiting" }>,
    place: VisitorCookie | undefined,
    { askedMs, gate }: Got,
  ): void {
    const { judge } = this.#parts;
    const nowMs = Date.now();
    if (this.#goodToMs !== undefined) judge.thrownOut[this.#goodToMs > nowMs ? "refused" : "ranOut"] += 1;
    this.#goodToMs = undefined;
    const [visitor, intervalMs] = [this.#name, this.#intervalMs];
    this.#intervalMs = refreshSeconds * 1_000;
    if (place?.kind !== "waiting" || position === 0) return;
    const locality = place.line ?? gate.locality;
    judge.waits({ visitor, position, locality, key: place.key, askedMs, intervalMs }, nowMs);
  }
}
