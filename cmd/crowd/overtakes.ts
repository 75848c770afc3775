/**
 * True overtakes: a visitor polled, and still had to wait, after a later one in the same line was admitted.
 *
 * That alone may happen by chance: the younger one polled first, and the slot of the older one came a moment later. It
 * is an error once it lasts for longer than one poll interval: the older one has polled since, and was passed over. A
 * line belongs to one locality, so visitors who change their locality are left out.
 */

/** Polls are late by as much as visitors of the simulated world vary them, and a decision takes its time. */
const POLL_SLACK = 1.25;

interface Place {
  readonly key: number;
  readonly joinedMs: number;
  /** When a later visitor was first admitted. */
  overtakenMs: number | undefined;
  /** What was counted of it so far. */
  counted: "nothing" | "overtaken" | "beyond";
}

export interface OvertakeCounts {
  /** Visitors who had polled, and still had to wait, after a later one was admitted. */
  visitors: number;
  /** Of these, the ones who had to wait more than a poll interval later. */
  beyondInterval: number;
  /** The longest from an overtaking to a later answer to wait on. */
  longestMs: number;
}

export class Overtakes<Visitor extends object> {
  readonly counts: OvertakeCounts = { visitors: 0, beyondInterval: 0, longestMs: 0 };
  /** By name of the line: its places by queue key. */
  readonly #lines = new Map<string, Place[]>();
  readonly #places = new Map<Visitor, { readonly line: string; readonly place: Place }>();

  /** A visitor has to wait. `intervalMs`: the pause that it was last given. */
  waits(visitor: Visitor, at: { line: string; key: number; askedMs: number; intervalMs: number; nowMs: number }): void {
    const { line: name, key, askedMs, intervalMs, nowMs } = at;
    const known = this.#places.get(visitor);
    if (known?.place.key !== key || known.line !== name) {
      this.left(visitor);
      const place = { key, joinedMs: nowMs, overtakenMs: undefined, counted: "nothing" as const };
      const line = this.#lines.getOrInsertComputed(name, () => []);
      line.splice(indexOf(line, key), 0, place);
      this.#places.set(visitor, { line: name, place });
      return;
    }
    this.#judge(known.place, { askedMs, intervalMs });
  }

  /** A visitor was admitted: one from the line, or one who came at `arrivedMs` and never waited. */
  letIn(visitor: Visitor, { line, arrivedMs, nowMs }: { line: string; arrivedMs: number; nowMs: number }): void {
    const own = this.#places.get(visitor)?.place;
    for (const place of this.#lines.get(line) ?? []) {
      if (own !== undefined && place.key >= own.key) break;
      if (own === undefined && place.joinedMs >= arrivedMs) continue;
      place.overtakenMs ??= nowMs;
    }
    this.left(visitor);
  }

  /** A visitor is no longer in any line. */
  left(visitor: Visitor): void {
    const known = this.#places.get(visitor);
    if (known === undefined) return;
    this.#places.delete(visitor);
    const line = this.#lines.get(known.line) ?? [];
    const index = line.indexOf(known.place, indexOf(line, known.place.key));
    if (index >= 0) line.splice(index, 1);
  }

  /** All lines start again without anybody in them; what was counted stays. */
  restart(): void {
    this.#lines.clear();
    this.#places.clear();
  }

  #judge(place: Place, { askedMs, intervalMs }: { askedMs: number; intervalMs: number }): void {
    if (place.overtakenMs === undefined || askedMs <= place.overtakenMs) return;
    const ms = askedMs - place.overtakenMs;
    this.counts.longestMs = Math.max(this.counts.longestMs, ms);
    if (place.counted === "nothing") {
      this.counts.visitors += 1;
      place.counted = "overtaken";
    }
    if (place.counted === "beyond" || ms <= POLL_SLACK * intervalMs) return;
    this.counts.beyondInterval += 1;
    place.counted = "beyond";
  }
}

/** Where a key stands in a line, or would. */
function indexOf(line: readonly Place[], key: number): number {
  let low = 0;
  let high = line.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((line[middle]?.key ?? 0) < key) low = middle + 1;
    else high = middle;
  }
  return low;
}
