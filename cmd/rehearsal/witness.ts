/** What one visitor of a rehearsal sees, for the tally of all. */

import type { Clock } from "../crowd/clock.ts";
import type { Overtakes } from "../crowd/overtakes.ts";
import type { Seen, Waiting } from "../crowd/seen.ts";
import type { Asked, End, Witness } from "../crowd/visitor.ts";
import type { Latencies } from "./latencies.ts";
import type { AskedFor, Tally } from "./tally.ts";

export interface WitnessParts {
  readonly tally: Tally;
  /** How late requests are sent. */
  readonly lateness: Latencies;
  readonly clock: Clock;
}

/** All stand in one line, as far as they can tell. */
const LINE = "";

export class LoadWitness implements Witness {
  readonly #parts: WitnessParts;
  /** When the last request was sent; when the first one was due, and when it first saw a place in line. */
  #sentMs = 0;
  #cameMs: number | undefined;
  #joinedMs: number | undefined;
  /** The pause that it was last given. */
  #intervalMs = 0;
  #isWaiting = false;
  #isInside = false;
  #wasIn = false;
  #owedProof = false;
  /** The session's cookie is good until then. */
  #goodToMs = 0;

  constructor(parts: WitnessParts) {
    this.#parts = parts;
    parts.tally.arrived += 1;
  }

  sends(lateMs: number): void {
    this.#parts.lateness.add(lateMs);
    this.#sentMs = this.#parts.clock.steadyMs();
    this.#cameMs ??= this.#sentMs - lateMs;
  }

  sees(seen: Seen, { isPoll, ms, browser }: Parameters<Witness["sees"]>[1]): void {
    const { tally, clock } = this.#parts;
    const isOwn = seen.kind === "waiting" || seen.kind === "turn";
    tally.answered(isPoll ? "poll" : seen.kind === "site" ? "site" : isOwn ? "waiting page" : this.#askedFor, ms);
    if (seen.kind === "error") tally.error(seen.what);
    if (seen.kind === "redirect") tally.error("redirect to another host");
    if (seen.kind === "waiting") this.#waits(seen);
    if (seen.kind !== "site") return;
    this.#goodToMs = clock.steadyMs() + browser.goodForMs;
    this.#comesIn();
  }

  unanswered({ isPoll, ms }: Asked): void {
    this.#parts.tally.unanswered(isPoll ? "poll" : this.#askedFor, ms);
  }

  goesOut(): void {
    if (this.#isInside) this.#parts.tally.inside -= 1;
    this.#isInside = false;
  }

  ends(how: End): void {
    const { tally } = this.#parts;
    if (how === "left") tally.left += 1;
    if (how === "impatient") tally.abandoned += 1;
    if (how === "errors") tally.lostToErrors += 1;
    if (how === "elsewhere") tally.sentElsewhere += 1;
    if (how === "stopped" && this.#isWaiting) tally.stillWaiting += 1;
    if (how === "stopped" && this.#isInside) tally.stillInside += 1;
    this.goesOut();
    this.#leavesLine();
  }

  get #askedFor(): AskedFor {
    return this.#isInside ? "site" : "waiting page";
  }

  get #overtakes(): Overtakes<object> {
    return this.#parts.tally.overtakes;
  }

  #comesIn(): void {
    const { tally, clock } = this.#parts;
    const nowMs = clock.steadyMs();
    this.#leavesLine();
    if (!this.#wasIn) {
      const arrivedMs = this.#cameMs ?? nowMs;
      tally.admitted += 1;
      if (this.#joinedMs !== undefined) tally.waits.add(nowMs - arrivedMs);
      // Only those who had a place when this one came know that they were ahead.
      this.#overtakes.letIn(this, { line: LINE, arrivedMs, nowMs });
    }
    this.#wasIn = true;
    if (!this.#isInside) tally.enters();
    this.#isInside = true;
  }

  #waits({ position, owesProof, refreshSeconds }: Waiting): void {
    const { tally, clock } = this.#parts;
    const nowMs = clock.steadyMs();
    if (this.#isInside && nowMs < this.#goodToMs) tally.sentBack += 1;
    this.goesOut();
    if (owesProof && !this.#owedProof) tally.proofAsked += 1;
    this.#owedProof ||= owesProof;
    if (!this.#isWaiting) tally.joins();
    this.#isWaiting = true;
    if (this.#joinedMs === undefined) tally.joined += 1;
    this.#joinedMs ??= nowMs;
    const [askedMs, intervalMs] = [this.#sentMs, this.#intervalMs];
    // One who was in before stands in line again, and gives others no reason to complain.
    if (position > 0 && !this.#wasIn)
      this.#overtakes.waits(this, { line: LINE, key: this.#joinedMs, askedMs, intervalMs, nowMs });
    this.#intervalMs = 1_000 * refreshSeconds;
  }

  #leavesLine(): void {
    this.#overtakes.left(this);
    if (this.#isWaiting) this.#parts.tally.waiting -= 1;
    this.#isWaiting = false;
  }
}
