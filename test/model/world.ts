/**
 * A world of nodes whose messages may take any way: each that was ever sent may arrive at any time later, any number of
 * times, or never. So loss, delay, doubling and reordering need no steps of their own.
 *
 * A node may be killed before the commit of a step (it starts from the disk as it was), or between the commit and the
 * sending. Killed after the sending it is in the first case again. How often is bounded, as is all that nodes do of
 * their own accord.
 */

import type { NodeId } from "../../mesh/core/ids.ts";
import type { Message } from "../../mesh/core/wire/outbox.ts";
import { RECHECK_EVERY } from "./bounds.ts";
import { canonical } from "./canonical.ts";
import { explore, type Model, type Step, type WorldExplored } from "./explore.ts";
import { type Disk, type Local, Locals, type Mail, type Move, type Process } from "./local.ts";
import { MailSets } from "./mail-sets.ts";

/** What a node may do of its own accord, or what happens to all of them. */
export interface Choice<Event> {
  readonly name: string;
  /** What it is remembered by, if not its name. */
  readonly key?: number;
  readonly event: Event;
  /** Which budget it takes one of; undefined for none. */
  readonly takes?: string | undefined;
}

export interface Hear {
  readonly kind: "hear";
  readonly from: NodeId;
  readonly message: Message;
}

/** How often each thing may happen; never if it is left out. */
type Left = Readonly<Partial<Record<string, number>>>;

export interface Rules<Event, Facts> {
  readonly nodes: readonly NodeId[];
  /** The disk of each node at the beginning. */
  readonly disks: readonly Disk[];
  readonly start: (self: NodeId, disk: Disk) => Process<Event | Hear, Facts>;
  /** Whether a node can hear messages at all; it can if this is left out. */
  readonly hears?: (facts: Facts, mail: Mail) => boolean;
  /**
   * How often each thing may happen that takes from a budget, `restart` and `kill` (between commit and sending) among
   * them.
   */
  readonly budgets: Left;
  /** Whether a node may be killed, once its budgets allow; it may if this is left out. */
  readonly mayDie?: (node: number) => boolean;
  readonly choices: (local: Local<Event | Hear, Facts>, left: Left, sent: readonly Mail[]) => Choice<Event>[];
  /** What happens to all nodes at once. */
  readonly common?: (all: readonly Facts[], left: Left) => Choice<Event>[];
  /** Which law is broken, given what all nodes know and what was ever sent to others than nodes. */
  readonly broken: (all: readonly Facts[], told: readonly Mail[]) => string | undefined;
  /** The same for one step of one node. */
  readonly brokenStep?: (before: Facts, after: Facts) => string | undefined;
}

interface State {
  readonly locals: readonly number[];
  /** All messages ever sent, as the number of their set. */
  readonly sent: number;
  readonly left: readonly number[];
  readonly broken?: string | undefined;
}

/** Explores all that can happen within the budgets. */
export function exploreWorld<Event, Facts>(rules: Rules<Event, Facts>): WorldExplored {
  const world = new World(rules);
  const explored = explore(world);
  return { ...explored, locals: world.nodes.size };
}

class World<Event, Facts> implements Model<State> {
  readonly initial: State;
  readonly nodes: Locals<Event | Hear, Facts>;
  readonly #rules: Rules<Event, Facts>;
  readonly #budgets: readonly string[];
  readonly #sets = new MailSets();
  readonly #arrivals = new Map<number, Choice<Event | Hear>>();
  /** Told to others than nodes, by set. */
  readonly #told = new Map<number, { readonly key: string; readonly mails: readonly Mail[] }>();
  /** Laws broken by a step, by the states before and after; empty for none. */
  readonly #steps = new Map<number, Map<number, string>>();
  readonly #laws = new Map<string, string | undefined>();
  readonly #lefts = new Map<string, Left>();

  constructor(rules: Rules<Event, Facts>) {
    this.#rules = rules;
    this.#budgets = Object.keys(rules.budgets);
    this.nodes = new Locals((node, disk) => rules.start(this.#nodeAt(node), disk), RECHECK_EVERY);
    const boots = rules.disks.map((disk, node) => this.nodes.boot(node, disk));
    const sent = boots.reduce((set, move) => this.#sets.with(set, move.sent), 0);
    this.initial = {
      locals: boots.map(({ to }) => to),
      sent,
      left: this.#budgets.map((name) => rules.budgets[name] ?? 0),
    };
  }

  key({ locals, sent, left }: State): string {
    return `${nameOfNumbers(locals)}${nameOfNumbers([sent & 0x7fff, sent >>> 15])}${nameOfNumbers(left)}`;
  }

  broken({ locals, sent, broken }: State): string | undefined {
    if (broken !== undefined) return broken;
    const told = this.#toldIn(sent);
    const key = `${nameOfNumbers(locals)}${told.key}`;
    const known = this.#laws.get(key);
    const law = known ?? this.#rules.broken(this.#facts(locals), told.mails);
    if (known === undefined) this.#laws.set(key, law);
    return law;
  }

  *next(state: State): Generator<Step<State>> {
    const { locals, sent } = state;
    const left = this.#leftOf(state);
    for (const number of this.#sets.get(sent)) {
      const at = this.#receiverOf(number);
      const local = locals[at];
      if (local === undefined || !this.#hears(local, number)) continue;
      yield* this.#stepsOf(state, at, this.#arrival(number));
    }
    const mails = this.#toldIn(sent).mails;
    for (const [at, local] of locals.entries()) {
      for (const choice of this.#rules.choices(this.nodes.get(local), left, mails))
        yield* this.#stepsOf(state, at, choice);
      if (this.#mayDie(at, left.restart)) {
        const reached = this.#after(state, [[at, this.nodes.restart(local)]], "restart");
        yield { name: `${nameOf(at)} is killed and starts again`, state: reached };
      }
    }
    for (const { name, event, takes } of this.#rules.common?.(this.#facts(locals), left) ?? []) {
      const moves = locals.map((local, at) => [at, this.nodes.step(local, event, name)] as const);
      yield { name, state: this.#after(state, moves, takes) };
    }
  }

  *#stepsOf(state: State, at: number, { name, key, event, takes }: Choice<Event | Hear>): Generator<Step<State>> {
    const from = state.locals[at] ?? 0;
    const move = this.nodes.step(from, event, key ?? name);
    if (move.to === from && move.sent.length === 0) return;
    yield { name: `${nameOf(at)} ${name}`, state: this.#after(state, [[at, move]], takes) };
    if (!this.#mayDie(at, this.#leftOf(state).kill) || move.sent.length === 0) return;
    const killed = this.#after(state, [[at, this.nodes.restart(move.to)]], takes);
    yield {
      name: `${nameOf(at)} ${name}, is killed before sending and starts again`,
      state: this.#taken(killed, "kill"),
    };
  }

  #after(state: State, moves: readonly (readonly [at: number, move: Move])[], takes: string | undefined): State {
    const locals = [...state.locals];
    let { sent } = state;
    let broken: string | undefined;
    for (const [at, move] of moves) {
      broken ??= this.#brokenStep(locals[at] ?? 0, move.to);
      locals[at] = move.to;
      sent = this.#sets.with(sent, move.sent);
    }
    const reached = { locals, sent, left: state.left, broken };
    return takes === undefined ? reached : this.#taken(reached, takes);
  }

  #brokenStep(from: number, to: number): string | undefined {
    const { brokenStep } = this.#rules;
    if (brokenStep === undefined) return undefined;
    const law = this.#steps
      .getOrInsertComputed(from, () => new Map<number, string>())
      .getOrInsertComputed(to, () => brokenStep(this.nodes.get(from).facts, this.nodes.get(to).facts) ?? "");
    return law === "" ? undefined : law;
  }

  #taken(state: State, budget: string): State {
    const at = this.#budgets.indexOf(budget);
    return { ...state, left: state.left.map((count, index) => (index === at ? count - 1 : count)) };
  }

  #leftOf({ left }: State): Left {
    return this.#lefts.getOrInsertComputed(left.join(), () =>
      Object.fromEntries(this.#budgets.map((name, at) => [name, left[at] ?? 0])),
    );
  }

  #facts(locals: readonly number[]): Facts[] {
    return locals.map((local) => this.nodes.get(local).facts);
  }

  #nodeAt(index: number): NodeId {
    const node = this.#rules.nodes[index];
    if (node === undefined) throw new RangeError(`Cannot find a node: current value is ${index}`);
    return node;
  }

  /** The index of a receiver; -1 for one that is no node. */
  #receiverOf(number: number): number {
    return this.#rules.nodes.indexOf(this.nodes.mail(number).to);
  }

  #hears(local: number, number: number): boolean {
    return this.#rules.hears?.(this.nodes.get(local).facts, this.nodes.mail(number)) ?? true;
  }

  #mayDie(node: number, left = 0): boolean {
    return left > 0 && (this.#rules.mayDie?.(node) ?? true);
  }

  #toldIn(sent: number): { readonly key: string; readonly mails: readonly Mail[] } {
    return this.#told.getOrInsertComputed(sent, () => {
      const numbers = this.#sets.get(sent).filter((number) => this.#receiverOf(number) < 0);
      return { key: nameOfNumbers(numbers), mails: numbers.map((number) => this.nodes.mail(number)) };
    });
  }

  #arrival(number: number): Choice<Event | Hear> {
    return this.#arrivals.getOrInsertComputed(number, () => {
      const mail = this.nodes.mail(number);
      const name = `hears #${number} of ${nameOf(mail.from)}: ${canonical(mail.message)}`;
      return { name, key: number, event: { kind: "hear", from: this.#nodeAt(mail.from), message: mail.message } };
    });
  }
}

/** Short, as there are millions of them. */
function nameOfNumbers(numbers: readonly number[]): string {
  return String.fromCharCode(...numbers);
}

function nameOf(at: number): string {
  return "ABCDEFGH".charAt(at);
}
