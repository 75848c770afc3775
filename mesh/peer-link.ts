/**
 * One connection to a peer: from the greeting to the last frame.
 *
 * The node with the smaller id opens both streams and speaks first, whichever side dialled:
 *
 *     opener   hello ->
 *     other             <- hello, or refusal
 *     opener   welcome ->, or refusal; is up
 *     other    is up
 *
 * A refusal may also come at any later time. It carries the hello of the refusing node, so that each side words the
 * reason for its own operator. A side with nothing to send pings, and a side that hears nothing for too long ends the
 * connection: a network that drops packets ends none by itself.
 */

import type { NodeId } from "./core/ids.ts";
import type { Hello } from "./core/wire/hello.ts";
import type { Framed, Kind } from "./frames.ts";
import { readHello, readRefusal, writeHello, writeRefusal } from "./hello-frame.ts";
import { wordsFor } from "./judge-hello.ts";
import { type ByteStream, PeerStream } from "./peer-stream.ts";
import type { Purpose } from "./transport.ts";

/**
 * How a connection ends: at once, after sent data has left, or when the other side has received it and ends the
 * connection itself.
 */
export type Ending = "now" | "after sending" | "when heard";

/** What a link learns about its connection. */
export interface Line {
  readonly self: NodeId;
  readonly peer: NodeId;
  /** The address of the other end, for people. */
  readonly address: string;
  readonly clock: () => number;
  readonly end: (how: Ending) => void;
}

export interface LinkEvents {
  /** Our own hello. */
  readonly ours: () => Hello;
  /** Why we refuse a peer with this hello; undefined if we accept it. */
  readonly objectionTo: (theirs: Hello, link: PeerLink) => string | undefined;
  /** Higher at each call. */
  readonly nextRank: () => number;
  readonly up: (link: PeerLink) => void;
  readonly frame: (link: PeerLink, purpose: Purpose, frame: Uint8Array) => void;
  readonly refused: (link: PeerLink, reason: string) => void;
  /** When the process that serves this peer's identity started; undefined while none does. */
  readonly servingSince: (peer: NodeId) => number | undefined;
  /** The peer knows of a later process of our own identity, started at `newest`. */
  readonly outrun: (newest: number) => void;
  /** Called once, after everything else. */
  readonly closed: (link: PeerLink) => void;
}

/** Layers above send heartbeats every 5 s at least, and then no ping is needed. */
const PING_AFTER_MS = 6_000;

/**
 * The next heartbeat is 6 s late. A cut that heals earlier costs nothing. Doubled, what TCP has queued meanwhile is
 * retried so rarely that a new connection is quicker anyway; halved, a peer in a long garbage collection counts as dead.
 */
export const SILENT_MS = 12_000;

/**
 * From a connection to acceptance by both sides. Generous, because a hundred nodes may connect at once on few cores.
 */
const GREETING_MS = 10_000;

const UNREADABLE = "its hello cannot be read";

const EMPTY = new Uint8Array(0);

export class PeerLink {
  readonly #line: Line;
  readonly #events: LinkEvents;
  readonly #streams = new Map<Purpose, PeerStream>();
  readonly #sinceMs: number;
  #state: "greeting" | "up" | "closed" = "greeting";
  #hello: Hello | undefined;
  #rank = 0;
  /** The opener's hello, if it came before both streams were there. */
  #early: Framed | undefined;
  #heardMs: number;
  #sentMs: number;

  constructor(line: Line, events: LinkEvents) {
    this.#line = line;
    this.#events = events;
    this.#sinceMs = line.clock();
    this.#heardMs = this.#sinceMs;
    this.#sentMs = this.#sinceMs;
  }

  get peer(): NodeId {
    return this.#line.peer;
  }

  get address(): string {
    return this.#line.address;
  }

  get isOpener(): boolean {
    return this.#line.self < this.#line.peer;
  }

  get isUp(): boolean {
    return this.#state === "up";
  }

  get isClosed(): boolean {
    return this.#state === "closed";
  }

  /** The peer's hello; undefined until it was accepted. */
  get hello(): Hello | undefined {
    return this.#hello;
  }

  /** Which of two links to one peer serves: see serving-links.ts. */
  get rank(): number {
    return this.#rank;
  }

  /** Ms since the peer was last heard. */
  get silentMs(): number {
    return this.#line.clock() - this.#heardMs;
  }

  /** Starts using a stream; each purpose has one. */
  attach(purpose: Purpose, stream: ByteStream): void {
    if (this.isClosed || this.#streams.has(purpose)) {
      stream.abort(new Error("Cannot use a stream as a connection has one for each purpose"));
      return;
    }
    const framed = (each: Framed) => this.#take(purpose, each);
    this.#streams.set(purpose, new PeerStream(stream, purpose, { framed, broken: () => this.#end("now") }));
    if (this.#streams.size < 2) return;
    if (this.isOpener) this.#say("hello", writeHello(this.#events.ours()));
    else if (this.#early !== undefined) this.#take("protocol", this.#early);
  }

  /** Sends a frame; false if it was dropped. */
  send(purpose: Purpose, frame: Uint8Array): boolean {
    if (this.#state !== "up") return false;
    const isSent = this.#streams.get(purpose)?.send({ kind: "data", frame }) ?? false;
    if (isSent && purpose === "protocol") this.#sentMs = this.#line.clock();
    return isSent;
  }

  /**
   * Pings or gives up, when it is time. `stoppedMs`: for how long this process was just suspended, and so could hear
   * nothing.
   */
  tick(stoppedMs: number): void {
    const nowMs = this.#line.clock();
    this.#heardMs += stoppedMs;
    if (this.#state === "greeting" && nowMs - this.#sinceMs > GREETING_MS) this.#end("now");
    if (this.#state !== "up") return;
    if (this.silentMs > SILENT_MS) this.#end("now");
    else if (nowMs - this.#sentMs >= PING_AFTER_MS) this.#say("ping", EMPTY);
  }

  /** Ends the connection with a reason for the other side; no callback is called here. */
  refuse(reason: string): void {
    this.#say("refusal", writeRefusal(reason, this.#events.ours(), this.#events.servingSince(this.peer)));
    this.#end("when heard");
  }

  close(): void {
    this.#end("after sending");
  }

  /** The connection is gone. */
  lost(): void {
    this.#end("now");
  }

  #take(purpose: Purpose, framed: Framed): void {
    if (this.isClosed) return;
    this.#heardMs = this.#line.clock();
    const { kind, frame } = framed;
    if (kind === "data" && this.#state === "up") this.#events.frame(this, purpose, frame);
    else if (purpose === "protocol" && kind === "ping") return;
    else if (purpose === "protocol" && kind === "hello" && this.#state === "greeting" && this.#hello === undefined)
      this.#greet(framed);
    else if (purpose === "protocol" && kind === "welcome" && this.#hello !== undefined && !this.isOpener)
      this.#rise(Number(new TextDecoder().decode(frame)));
    else if (purpose === "protocol" && kind === "refusal") this.#refusedBy(frame);
    else this.#end("now");
  }

  #greet(framed: Framed): void {
    if (this.#streams.size < 2) {
      this.#early = framed;
      return;
    }
    const theirs = readHello(framed.frame);
    const objection = theirs && this.#events.objectionTo(theirs, this);
    if (theirs === undefined || objection !== undefined) {
      const reason = objection ?? UNREADABLE;
      this.#events.refused(this, reason);
      this.refuse(reason);
      return;
    }
    this.#hello = theirs;
    if (!this.isOpener) {
      this.#say("hello", writeHello(this.#events.ours()));
      return;
    }
    const rank = this.#events.nextRank();
    this.#say("welcome", new TextEncoder().encode(`${rank}`));
    this.#rise(rank);
  }

  #rise(rank: number): void {
    if (this.#state !== "greeting") return;
    this.#state = "up";
    this.#rank = rank;
    this.#events.up(this);
  }

  #refusedBy(frame: Uint8Array): void {
    const { reason, hello, newest } = readRefusal(frame);
    if (newest !== undefined && newest > this.#events.ours().incarnation) this.#events.outrun(newest);
    this.#events.refused(this, wordsFor(hello && this.#events.objectionTo(hello, this), reason));
    this.#end("now");
  }

  #say(kind: Kind, frame: Uint8Array): void {
    this.#streams.get("protocol")?.sendNow({ kind, frame });
    this.#sentMs = this.#line.clock();
  }

  #end(how: Ending): void {
    if (this.isClosed) return;
    this.#state = "closed";
    try {
      this.#line.end(how);
    } finally {
      // Otherwise a connection that cannot be ended would serve for ever.
      this.#events.closed(this);
    }
  }
}
