/**
 * The states of single nodes, as the real code makes them.
 *
 * A node is deterministic: what it does follows from its disk at the start and from what has happened to it since. So a
 * state is kept as those two, is recreated by letting the real code go through them, and each step from it is computed
 * once. That is what makes whole worlds cheap: they are combinations of a few thousand such states. Two histories count
 * as one state if the node says the same of itself after both (`digest`) and has the same disk. `recheck` is the proof
 * by trial that it says enough.
 */

import type { NodeId } from "../../mesh/core/ids.ts";
import type { Message, Outbox } from "../../mesh/core/wire/outbox.ts";
import { canonical } from "./canonical.ts";

export type Disk = ReadonlyMap<string, unknown>;

/** A process: the real code of one node, and what the model wants to know of it. */
export interface Process<Event, Facts> {
  readonly outbox: Outbox;
  handle(event: Event): void;
  /** All that its future depends on, the disk apart. */
  digest(): unknown;
  facts(): Facts;
}

export interface Mail {
  readonly from: number;
  readonly to: NodeId;
  readonly message: Message;
}

export interface Local<Event, Facts> {
  readonly node: number;
  /** The disk at the start of the process, and what happened since. */
  readonly booted: Disk;
  readonly history: readonly Event[];
  readonly disk: Disk;
  readonly facts: Facts;
}

export interface Move {
  /** The state afterwards. */
  readonly to: number;
  /** Numbers of the messages sent, in order. */
  readonly sent: readonly number[];
}

/** Worlds name states and messages by one UTF-16 unit each. */
const NUMBERS_MAX = 0xffff;

export class Locals<Event, Facts> {
  readonly #start: (node: number, disk: Disk) => Process<Event, Facts>;
  readonly #states: Local<Event, Facts>[] = [];
  readonly #byKey = new Map<string, number>();
  /** What each state says of itself, and what is on its disk. */
  readonly #texts: { readonly digest: string; readonly disk: string }[] = [];
  /** A process that is in this state, until it continues. */
  readonly #running = new Map<number, Process<Event, Facts>>();
  readonly #moves: Map<string | number, Move>[] = [];
  /** By state: an event that it has gone on by, for rechecks. */
  readonly #tried = new Map<number, Event>();
  readonly #mails: Mail[] = [];
  readonly #mailByKey = new Map<string, number>();
  /** One of so many histories that lead to a known state is checked against the one that is kept; 0 for none. */
  readonly #recheckEvery: number;
  #arrivals = 0;

  constructor(start: (node: number, disk: Disk) => Process<Event, Facts>, recheckEvery = 0) {
    this.#start = start;
    this.#recheckEvery = recheckEvery;
  }

  get size(): number {
    return this.#states.length;
  }

  get(state: number): Local<Event, Facts> {
    const local = this.#states[state];
    if (local === undefined) throw new RangeError(`Cannot find a state: current value is ${state}`);
    return local;
  }

  mail(number: number): Mail {
    const mail = this.#mails[number];
    if (mail === undefined) throw new RangeError(`Cannot find a message: current value is ${number}`);
    return mail;
  }

  /** The state of a node that starts with this disk. */
  boot(node: number, disk: Disk): Move {
    const process = this.#start(node, disk);
    return this.#settle(process, { node, booted: disk, history: [], disk }, canonical(disk));
  }

  /** What `event` does in a state; `key` names the event. The batch is committed, then sent. */
  step(state: number, event: Event, key: string | number): Move {
    const moves = this.#movesOf(state);
    const known = moves.get(key);
    if (known !== undefined) return known;
    const local = this.get(state);
    const process = this.#take(state);
    process.handle(event);
    const history = [...local.history, event];
    const move = this.#settle(process, { ...local, history }, this.#texts[state]?.disk ?? "");
    moves.set(key, move);
    this.#tried.set(state, event);
    return move;
  }

  /** The process of a state is killed and started again: only its disk is left. */
  restart(state: number): Move {
    return this.#movesOf(state).getOrInsertComputed("restart", () =>
      this.boot(this.get(state).node, this.get(state).disk),
    );
  }

  #movesOf(state: number): Map<string | number, Move> {
    const moves = this.#moves[state];
    if (moves === undefined) throw new RangeError(`Cannot find a state: current value is ${state}`);
    return moves;
  }

  #take(state: number): Process<Event, Facts> {
    const running = this.#running.get(state);
    this.#running.delete(state);
    return running ?? this.#replay(this.get(state));
  }

  #replay({ node, booted, history }: Pick<Local<Event, Facts>, "node" | "booted" | "history">): Process<Event, Facts> {
    const process = this.#start(node, booted);
    process.outbox.take();
    for (const event of history) {
      process.handle(event);
      process.outbox.take();
    }
    return process;
  }

  /** Commits what a process wants written, and names the state it is in then. */
  #settle(process: Process<Event, Facts>, before: Omit<Local<Event, Facts>, "facts">, diskBefore: string): Move {
    const { writes, sent } = process.outbox.take();
    const disk = writes.size === 0 ? before.disk : written(before.disk, writes);
    const texts = { digest: canonical(process.digest()), disk: writes.size === 0 ? diskBefore : canonical(disk) };
    const key = `${before.node} ${texts.digest} ${texts.disk}`;
    const known = this.#byKey.get(key);
    const to = known ?? this.#states.length;
    if (known === undefined) {
      checkNumber(to);
      this.#byKey.set(key, to);
      this.#states.push({ ...before, disk, facts: process.facts() });
      this.#texts.push(texts);
      this.#moves.push(new Map());
      this.#running.set(to, process);
    } else if (!this.#recheck(process, known, before.history.at(-1)) && !this.#running.has(to))
      this.#running.set(to, process);
    return { to, sent: sent.map(({ to, message }) => this.#number({ from: before.node, to, message })) };
  }

  /**
   * Has now and then both histories go on by one more event, and expects them to do the same. Returns whether it has.
   */
  #recheck(process: Process<Event, Facts>, known: number, last: Event | undefined): boolean {
    this.#arrivals += 1;
    const event = this.#tried.get(known) ?? last;
    if (this.#recheckEvery === 0 || this.#arrivals % this.#recheckEvery !== 0 || event === undefined) return false;
    const [mine, theirs] = [process, this.#replay(this.get(known))].map((one) => {
      one.handle(event);
      const { writes, sent } = one.outbox.take();
      return canonical([writes, sent, one.digest(), one.facts()]);
    });
    if (mine !== theirs)
      throw new Error(`Cannot take two histories for one state as they go on differently: ${mine} is not ${theirs}`);
    return true;
  }

  #number(mail: Mail): number {
    const key = canonical(mail);
    const known = this.#mailByKey.get(key);
    if (known !== undefined) return known;
    checkNumber(this.#mails.push(structuredClone(mail)));
    this.#mailByKey.set(key, this.#mails.length - 1);
    return this.#mails.length - 1;
  }
}

function checkNumber(number: number): void {
  if (number > NUMBERS_MAX)
    throw new RangeError(
      `Cannot explore as states of nodes and messages must be at most ${NUMBERS_MAX} each: current value is ${number}`,
    );
}

function written(before: Disk, writes: ReadonlyMap<string, unknown>): Disk {
  const disk = new Map(before);
  for (const [key, value] of writes) {
    if (value === undefined) disk.delete(key);
    else disk.set(key, structuredClone(value));
  }
  return disk;
}
