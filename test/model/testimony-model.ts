/**
 * A removed node that comes back and says what it held, by schedules drawn from a seed: X, in some schedules with Y, is
 * cut off from H and S, which have them removed and of which H inherits them. Neither of two may say anything, nor may
 * one that held a pot.
 *
 * Before that X and Y give slots to each other that nobody else hears of, let visitors in, extend them, are killed, and
 * started again, perhaps from an old disk. Afterwards H acknowledges sessions out of the pot, by any cookie that a
 * visitor has; it is killed and started again, or removed in turn, and S inherits all. X and Y learn of their removal,
 * and say what they held: to H or S, once or twice, at once or later. In half of the schedules X has a pot from the
 * start: it inherited from W, which was lost before, and acknowledges sessions of W. What must hold: never more
 * visitors with a good cookie than slots.
 */

import { seededRandom } from "../../cmd/crowd/random.ts";
import type { AccountId, Minute, NodeId } from "../../mesh/core/ids.ts";
import type { RowData } from "../../mesh/core/ledger/row.ts";
import type { Of } from "../../mesh/core/members/member-messages.ts";
import { joinRows } from "../../mesh/core/members/next-view.ts";
import { type Cookie, type Disk, LEASE_MS, MINUTE_MS, ModelNode, SLOTS } from "./testimony-node.ts";

const START_MS = 1_000 * MINUTE_MS;
/** How long W has been lost at the start, at most. Its pot lasts for some five minutes. */
const LOST_MS = 4 * MINUTE_MS;
const STEP_MS = 10_000;
const STEPS = 70;

export interface ScheduleSeen {
  /** The broken law, with what led to it; undefined if all held. */
  readonly broken: string | undefined;
  /** Statements that were taken, and the slots that came free by them. */
  readonly taken: number;
  readonly freed: number;
  readonly steps: number;
}

interface Actor {
  node: ModelNode;
  disk: Disk;
  /** Of an earlier moment, with its row then; whether S, which H hears of, has heard since what it lacks. */
  backup: { readonly disk: Disk; readonly row: string; readonly isHeardSince: boolean } | undefined;
  place: number;
  isUp: boolean;
  /** Until when it may act and extend. */
  actsToMs: number;
  /** What it wrote when it learned that it was removed, pots apart. */
  wrote: readonly AccountId[] | undefined;
}

/** A statement on its way. */
interface Said {
  readonly from: Name;
  readonly to: Name;
  readonly message: Of<"testimony">;
}

type Name = "H" | "S" | "X" | "Y";
const NAMES: readonly Name[] = ["H", "S", "X", "Y"];
const LOST = "W" as AccountId;
/** Of so many schedules, one has Y. */
const TOGETHER_EACH = 4;

export function runSchedule(seed: number): ScheduleSeen {
  return new Schedule(seed).run();
}

class Schedule {
  readonly #random: () => number;
  readonly #actors = new Map<Name, Actor>();
  readonly #log: string[] = [];
  /** By visitor: every cookie that was told. */
  readonly #cookies = new Map<string, Cookie[]>();
  /** Gifts on their way between X and Y, and statements on their way to anybody. */
  #gifts: { readonly to: Name; readonly row: Parameters<ModelNode["merge"]>[0] }[] = [];
  #said: Said[] = [];
  #nowMs = START_MS;
  /** Whether Y is there. */
  readonly #isTogether: boolean;
  /** Whether X has inherited from W. */
  readonly #hasPot: boolean;
  #isCut = false;
  #cutMs = START_MS;
  #isRemoved = false;
  #isHeirRemoved = false;
  #taken = 0;
  #visitors = 0;
  #broken: string | undefined;

  constructor(seed: number) {
    const random = seededRandom(seed);
    this.#random = random;
    this.#isTogether = seed % TOGETHER_EACH === 0;
    for (const name of NAMES) {
      const actor: Actor = {
        node: undefined as unknown as ModelNode,
        disk: new Map(),
        backup: undefined,
        place: 0,
        isUp: true,
        actsToMs: Number.POSITIVE_INFINITY,
        wrote: undefined,
      };
      this.#actors.set(name, actor);
      actor.node = this.#start(name, actor);
    }
    const second = this.#isTogether ? "Y" : "X";
    this.#hasPot = random() < 0.3;
    this.#deal(this.#hasPot ? ["S", "X", second, LOST, LOST, LOST] : ["S", "X", "X", "X", second, second]);
    if (this.#hasPot) this.#lose();
    for (let visits = this.#random() * 16; visits > 0; visits--) this.#visit();
  }

  run(): ScheduleSeen {
    let steps = 0;
    for (; steps < STEPS && this.#broken === undefined; steps++) {
      this.#step();
      for (const actor of this.#actors.values()) if (actor.isUp) actor.node.tick();
    }
    const freed = [...this.#actors.values()].reduce((sum, { node }) => sum + node.tookBack, 0);
    return { broken: this.#broken, taken: this.#taken, freed, steps };
  }

  /** H deals slots out, and all know of it. */
  #deal(accounts: readonly string[]): void {
    const h = this.#of("H").node;
    for (const to of accounts as AccountId[]) {
      const row = h.give(to);
      if (row !== undefined) for (const name of NAMES) this.#of(name).node.merge([row]);
    }
  }

  /** W was lost a while ago, with a session on each of its slots, and X inherited. */
  #lose(): void {
    const passedMs = this.#random() * LOST_MS;
    const { node } = this.#of("X");
    node.written = [...node.written, LOST];
    const now = { wallMs: this.#nowMs, steadyMs: this.#nowMs };
    node.pots.add({ accounts: [LOST], group: "view 1", passedMs }, now);
    node.tick();
    const lastGood = (Math.floor((this.#nowMs - passedMs) / MINUTE_MS) + 3) as Minute;
    for (let slot = 0; slot < 3; slot++) {
      const cookie = { id: `v${++this.#visitors}`, home: LOST, lastGood };
      this.#tell("X", cookie);
      if (this.#random() < 0.8) this.#tell("X", node.checkIn(cookie));
    }
  }

  #step(): void {
    const dice = this.#random();
    if (dice < 0.16) this.#pass();
    else if (dice < 0.36) this.#visit();
    else if (dice < 0.56) this.#browse();
    else if (dice < 0.64) this.#give();
    else if (dice < 0.7) this.#deliver();
    else if (dice < 0.82) this.#turn();
    else if (dice < 0.87) this.#fault();
    else this.#testify();
  }

  #pass(): void {
    this.#nowMs += STEP_MS * (1 + Math.floor(this.#random() * 4));
    this.#of("H").node.merge(this.#known("S"));
    this.#note("time passes");
  }

  #visit(name = this.#any(this.#isRemoved ? (["H", "H", "S"] as const) : this.#names)): void {
    const { node, isUp } = this.#of(name);
    if (!isUp) return;
    this.#tell(name, node.admit(`v${++this.#visitors}`));
  }

  /** A visitor shows any cookie that is good to any node. */
  #browse(): void {
    const minute = Math.floor(this.#nowMs / MINUTE_MS);
    const all = [...this.#cookies.values()].map((told) => told.filter(({ lastGood }) => lastGood >= minute));
    const good = this.#any(all.filter((told) => told.length > 0));
    if (good === undefined) return;
    // Mostly the newest one, and at its home or at the heir's.
    const cookie = this.#random() < 0.7 ? good.at(-1) : this.#any(good);
    const home = cookie?.home === LOST ? "X" : (cookie?.home as string as Name);
    const name = this.#random() < 0.5 ? home : this.#any(["H", "H", "S"] as const);
    const { node, isUp } = this.#of(name);
    if (cookie !== undefined && isUp) this.#tell(name, node.checkIn(cookie));
  }

  #give(): void {
    const from = this.#any(this.#isCut ? this.#away : this.#names);
    const to = this.#any(this.#names.filter((name) => name !== from));
    const { node, isUp } = this.#of(from);
    if (!isUp || (this.#isRemoved && (to === "X" || to === "Y") && (from === "H" || from === "S"))) return;
    const row = node.give(to as string as AccountId);
    if (row === undefined) return;
    this.#note(`${from} gives to ${to}`);
    if (!this.#isCut || (to !== "H" && to !== "S")) this.#gifts.push({ to, row: [row] });
    if (!this.#isCut && this.#random() < 0.5) this.#publish(from);
  }

  #deliver(): void {
    const gift = this.#any(this.#gifts);
    if (gift === undefined) return;
    const { node, isUp } = this.#of(gift.to);
    if (!isUp || (this.#isCut && (gift.to === "H" || gift.to === "S"))) return;
    node.merge(gift.row);
    this.#note(`${gift.to} hears of a gift`);
    this.#gifts = this.#gifts.filter((other) => other !== gift);
  }

  /** The cut, the removal, that of the heir, and what X and Y hear of them. */
  #turn(): void {
    if (!this.#isCut) this.#cut();
    else if (!this.#isRemoved) this.#remove();
    else if (this.#random() < 0.2 && !this.#isHeirRemoved) this.#removeHeir();
    else this.#learn(this.#any(this.#away));
  }

  #cut(): void {
    this.#isCut = true;
    this.#cutMs = this.#nowMs;
    for (const name of this.#away) {
      const actor = this.#of(name);
      actor.actsToMs = this.#nowMs + LEASE_MS * 0.99;
    }
    this.#note(`${this.#away.join(" and ")} cut off`);
    for (let burst = this.#random() * 16; burst > 0; burst--) {
      if (this.#random() < 0.3) this.#give();
      else if (this.#random() < 0.5) this.#deliver();
      else this.#visit(this.#any(this.#away));
    }
  }

  /** Those that are cut off, and removed. */
  get #away(): readonly Name[] {
    return this.#isTogether ? ["X", "Y"] : ["X"];
  }

  get #names(): readonly Name[] {
    return this.#isTogether ? NAMES : NAMES.filter((name) => name !== "Y");
  }

  /** A removal is decided when the leases are over. What those know that stay is decided with it. */
  #remove(): void {
    if (this.#nowMs < this.#cutMs + LEASE_MS) return;
    this.#isRemoved = true;
    const stay = ["H", "S"] as const;
    const rows = joinRows(stay.flatMap((name) => this.#known(name)));
    for (const name of stay) this.#of(name).node.merge(rows);
    const mayReport = this.#away.length === 1 && !this.#hasPot;
    const returning = mayReport ? [["X" as NodeId, this.#runs.get("X") ?? 0] as const] : [];
    this.#inherit("H", "view 2", [...this.#away, LOST] as AccountId[], returning);
    this.#note(`${this.#away.join(" and ")} removed, and H inherits`);
  }

  /** What a node knows of all rows. */
  #known(name: Name): RowData[] {
    const { ledger } = this.#of(name).node;
    return ledger.accounts().map((account) => ledger.row(account));
  }

  #removeHeir(): void {
    const heir = this.#of("H");
    if (heir.actsToMs === Number.POSITIVE_INFINITY) {
      heir.actsToMs = this.#nowMs + LEASE_MS * 0.99;
      this.#note("H is cut off");
      return;
    }
    if (this.#nowMs < heir.actsToMs + LEASE_MS * 0.02) return;
    this.#isHeirRemoved = true;
    // It held a pot.
    this.#inherit("S", "view 3", ["H", ...this.#away, LOST] as AccountId[], []);
    this.#note("H is removed, and S inherits");
  }

  #inherit(
    name: Name,
    group: string,
    accounts: AccountId[],
    returning: readonly (readonly [node: NodeId, run: number])[],
  ): void {
    const { node } = this.#of(name);
    node.written = [...node.written, ...accounts];
    const now = { wallMs: this.#nowMs, steadyMs: this.#nowMs };
    node.pots.add({ accounts, group, passedMs: 0 }, now, returning);
  }

  /** A removed node hears of it: nothing changes there any more. */
  #learn(name: Name): void {
    const actor = this.#of(name);
    if (!actor.isUp || actor.wrote !== undefined) return;
    const inPots = actor.node.potAccounts;
    actor.wrote = actor.node.written.filter((account) => !inPots.includes(account));
    actor.actsToMs = Number.NEGATIVE_INFINITY;
    actor.node.witness.removed(actor.wrote);
    this.#note(`${name} learns that it was removed`);
  }

  #fault(): void {
    const name = this.#any(["X", "X", this.#away.at(-1) ?? "X", "H"] as const);
    const actor = this.#of(name);
    const dice = this.#random();
    if (dice < 0.25) {
      const row = JSON.stringify(actor.node.ledger.row(actor.node.account));
      actor.backup = { disk: actor.node.disk(), row, isHeardSince: false };
      this.#note(`a copy is made of the disk of ${name}`);
    } else if (dice < 0.45 && actor.backup !== undefined && this.#isCut && name !== "H") {
      // A copy lies elsewhere. One that is put back in its place is found out if others have heard of what it lacks.
      const isInPlace = actor.backup.isHeardSince && this.#random() < 0.5;
      if (!isInPlace) actor.place += 1;
      this.#restart(name, actor.backup.disk);
      this.#note(`${name} is started from a copy of its disk${isInPlace ? " in its place" : ""}`);
    } else {
      this.#restart(name, actor.node.disk());
      this.#note(`${name} is killed and started again`);
    }
  }

  #restart(name: Name, disk: Disk): void {
    const actor = this.#of(name);
    actor.disk = disk;
    // Without a lease nothing is given or extended by a process that has had none.
    if (actor.actsToMs !== Number.POSITIVE_INFINITY) {
      actor.actsToMs = Number.NEGATIVE_INFINITY;
    }
    actor.node = this.#start(name, actor);
    // A disk has no rows of others: S tells H again what it knows.
    if (name === "H") actor.node.merge(this.#known("S"));
    if (actor.wrote !== undefined) actor.node.witness.removed(actor.wrote);
  }

  #testify(): void {
    const waiting = this.#any(this.#said);
    if (waiting !== undefined && this.#random() < 0.5) {
      if (this.#random() < 0.7) this.#said = this.#said.filter((other) => other !== waiting);
      this.#hear(waiting);
      return;
    }
    const from = this.#any(this.#away);
    const to = this.#any(["H", "S"] as const);
    const { node, isUp } = this.#of(from);
    const { node: heir, isUp: isHeirUp } = this.#of(to);
    if (!this.#isRemoved || !isUp || !isHeirUp) return;
    const answer = heir.hearing.returned(from as string as NodeId);
    if (answer?.kind !== "testimony-wanted") return;
    node.said.length = 0;
    node.witness.asked(to as string as NodeId, answer.nonce, { wallMs: this.#nowMs, steadyMs: this.#nowMs });
    const [message] = node.said as unknown as Of<"testimony">[];
    if (message === undefined) return;
    const said = { from, to, message: JSON.parse(JSON.stringify(message)) as Of<"testimony"> };
    this.#said.push(said);
    this.#note(`${from} says to ${to} what it held`);
  }

  #hear({ from, to, message }: Said): void {
    const { node, isUp } = this.#of(to);
    if (!isUp || !node.hear(from as string as NodeId, message)) return;
    this.#taken += 1;
    this.#note(`${to} takes it from ${from}`);
    // Whatever came free is wanted.
    for (let visitor = 0; visitor < SLOTS; visitor++) this.#visit(to);
  }

  #publish(name: Name): void {
    const actor = this.#of(name);
    const row = actor.node.publish();
    this.#runs.set(name, actor.node.run);
    const { backup } = actor;
    for (const other of this.#names) {
      if (other === name || this.#random() >= 0.8) continue;
      this.#of(other).node.merge([row]);
      // An old disk is found out by gifts and counts that others have heard of.
      const isNews = backup !== undefined && backup.row !== JSON.stringify(row);
      if (other === "S" && isNews) actor.backup = { ...backup, isHeardSince: true };
    }
  }

  /** The newest start of each that others have heard of. */
  readonly #runs = new Map<Name, number>();

  #tell(name: Name, cookie: Cookie | undefined): void {
    if (cookie === undefined) return;
    this.#note(`${name} tells ${cookie.id}: to ${cookie.lastGood - START_MS / MINUTE_MS}`);
    this.#cookies.getOrInsertComputed(cookie.id, () => []).push(cookie);
    if (!this.#isCut && this.#random() < 0.6) this.#publish(name);
    const minute = Math.floor(this.#nowMs / MINUTE_MS);
    const inside = [...this.#cookies.values()].filter((told) => told.some(({ lastGood }) => lastGood >= minute)).length;
    if (inside > SLOTS) this.#broken = `${inside} inside, ${SLOTS} allowed:\n  ${this.#log.join("\n  ")}`;
  }

  #note(text: string): void {
    this.#log.push(`${((this.#nowMs - START_MS) / MINUTE_MS).toFixed(2)} ${text}`);
  }

  #start(name: Name, actor: Actor): ModelNode {
    const node = new ModelNode(name as string as NodeId, actor.disk, `place ${actor.place}`, {
      now: () => ({ wallMs: this.#nowMs, steadyMs: this.#nowMs }),
      mayAct: () => this.#nowMs < actor.actsToMs,
      mayExtend: () => this.#nowMs < actor.actsToMs,
      random: this.#random,
    });
    // It is heard of by those that it can reach.
    if (!this.#isCut) this.#runs.set(name, node.run);
    return node;
  }

  #of(name: Name): Actor {
    const actor = this.#actors.get(name);
    if (actor === undefined) throw new Error("Broken: there are four");
    return actor;
  }

  #any<Item>(items: readonly Item[]): Item {
    return items[Math.floor(this.#random() * items.length)] as Item;
  }
}
