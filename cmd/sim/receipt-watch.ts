/**
 * Receipts and public logs of a run, checked as anybody can check them, and compared with what happened.
 *
 * A receipt is real, a log does not contradict itself, and where nothing fails nobody is overtaken, no place that was
 * used counts as not called, and a log has let in as many as came in from its line.
 */

import { isGap, type LogReading, readLog } from "../../node/admission/log-check.ts";
import { checkReceipt } from "../../node/admission/receipt-check.ts";
import { checkerOf } from "../../node/notary.ts";
import { requestTo } from "./browser.ts";
import type { SimNode } from "./sim-node.ts";
import type { SimRoom } from "./sim-room.ts";
import type { SimCookie, Visitor } from "./visitor.ts";

/** Receipts that are kept of a run: each is checked against the logs of its locality at the end. */
const RECEIPTS_MAX = 60;

/** An entry of a log covers up to so long, and a keeper begins a moment late. */
const ENTRY_MS = 15_000;

/** From an admission at the node that keeps the line until the visitor hears of it, and more. */
const HOP_MS = 1_000;

/** Simulated signatures are all alike. */
const CHECKER = checkerOf({ verify: () => true });

interface Kept {
  readonly text: string;
  readonly visitor: Visitor;
  readonly room: SimRoom;
  readonly locality: string;
  /** What the cookie of its place said. */
  readonly id: string;
}

export interface ReceiptsWorld {
  readonly nodes: readonly SimNode[];
  readonly rooms: readonly SimRoom[];
  readonly time: { readonly nowMs: number };
  broken(text: string): never;
}

export class ReceiptWatch {
  /** Verdicts on receipts, by word. */
  readonly counts: Record<string, number> = {};
  readonly #world: ReceiptsWorld;
  readonly #kept: Kept[] = [];
  /** By room and locality: when visitors came in from the line. */
  readonly #letIn = new Map<string, number[]>();

  constructor(world: ReceiptsWorld) {
    this.#world = world;
  }

  /** A visitor in line asks a gate for its receipt, a moment after it was shown its place. */
  ask(visitor: Visitor, room: SimRoom, { gate, cookie }: { readonly gate: SimNode; readonly cookie: SimCookie }): void {
    if (!room.settings.publicLog || this.#kept.length >= RECEIPTS_MAX) return;
    gate.later(1, () =>
      gate.serve(
        { request: { ...requestTo(room, cookie.pair), target: "/.anteroom/receipt" }, remoteAddress: "10.0.0.1" },
        (outcome) => {
          if (outcome.kind !== "answer" || outcome.status !== 200) return;
          this.#kept.push({ text: outcome.body, visitor, room, locality: gate.locality, id: cookie.id });
        },
      ),
    );
  }

  /** A visitor comes in with a place of this locality's line. */
  letIn({ id }: SimRoom, locality: string): void {
    this.#letIn.getOrInsertComputed(`${id} ${locality}`, () => []).push(this.#world.time.nowMs);
  }

  /** At the end of a run, when all entries are made. `isCalm`: nothing failed in it. */
  check(isCalm: boolean): void {
    for (const room of this.#world.rooms) if (room.settings.publicLog) this.#checkRoom(room, isCalm);
  }

  #checkRoom(room: SimRoom, isCalm: boolean): void {
    const { nodes, time } = this.#world;
    for (const node of nodes) {
      const log = logOf(node, room);
      if (log === undefined) continue;
      const read = readLog(log, CHECKER);
      if (!("log" in read))
        this.#world.broken(`receipts: the log of ${room.name} at ${node.identity} is ${read.fault}: ${read.problem}`);
      if (isCalm) this.#compare(room, node, read);
      for (const kept of this.#kept) {
        if (kept.room !== room || kept.locality !== node.locality) continue;
        const {
          verdict,
          problem = "",
          log: found,
        } = checkReceipt(kept.text, { log, nowMs: time.nowMs, checker: CHECKER });
        const word = found?.verdict ?? verdict;
        this.counts[word] = (this.counts[word] ?? 0) + 1;
        const isWrong = verdict !== "valid" && (isCalm || verdict !== "foreign");
        if (isWrong) this.#world.broken(`receipts: one of ${kept.id} is ${verdict}: ${problem}`);
        if (isCalm) this.#judge(kept, word, found?.words.join(" ") ?? "");
      }
    }
  }

  #judge({ visitor, id }: Kept, word: string, words: string): void {
    const { admittedMs } = visitor;
    const wasIn = admittedMs !== undefined && admittedMs < this.#world.time.nowMs - ENTRY_MS;
    if (word === "overtaken" || word === "rewritten" || (word === "waiting" && wasIn))
      this.#world.broken(`receipts: the place of ${id}${wasIn ? ", who is in," : ""} is ${word}: ${words}`);
  }

  /** Whether as many were let in up to the last entry as came in by then. */
  #compare({ id, name }: SimRoom, { locality, identity }: SimNode, reading: LogReading): void {
    const chains = "log" in reading ? reading.log.chains : [];
    const entries = chains.flatMap((chain) => chain.entries.map(({ entry }) => entry));
    const hasGap = entries.some((entry, at) => at > 0 && isGap(entries[at - 1], entry));
    const letIn = entries.reduce((sum, { let_in }) => sum + let_in, 0);
    const toMs = Date.parse(entries.at(-1)?.to ?? "");
    const times = this.#letIn.get(`${id} ${locality}`) ?? [];
    const [least, most] = [-HOP_MS, HOP_MS].map((ms) => times.filter((atMs) => atMs <= toMs + ms).length);
    if (hasGap || entries.length === 0 || (letIn >= (least ?? 0) && letIn <= (most ?? 0))) return;
    this.#world.broken(
      `receipts: the log of ${name} at ${identity} has ${letIn} let in from its line, and ${least} to ${most} came in`,
    );
  }
}

/** The public log of a room as a node serves it; undefined if it does not answer. */
function logOf(node: SimNode, room: SimRoom): string | undefined {
  let text: string | undefined;
  node.do(() =>
    node.serve({ request: { ...requestTo(room), target: "/.anteroom/log" }, remoteAddress: "10.0.0.1" }, (outcome) => {
      if (outcome.kind === "answer" && outcome.status === 200) text = outcome.body;
    }),
  );
  return text;
}
