/**
 * The writing side of one socket: small writes are gathered, and bytes that the socket does not accept at once wait
 * here.
 *
 * Heads and small bodies are kept as latin1 text, so that head and body leave in one system call without copies. A
 * writer checks `blocked` afterwards and pauses its own source (back-pressure): that bounds the waiting bytes to about
 * `backlogBytesMax`.
 */

/** The part of a Bun socket that is used here; `write` returns the bytes taken, -1 when the socket is closed. */
export interface WritableSocket {
  write(text: string, encoding: "latin1"): number;
  write(bytes: Uint8Array): number;
}

/** Up to this size copying bytes next to held ones is cheaper than a separate system call. */
const GATHERED_BYTES_MAX = 16 * 1024;
/** Held text leaves at this size even without `flush`. */
const HELD_BYTES_MAX = 64 * 1024;

/** So many outlets do not wait for the end of a long turn: the first one's client would wait for all the others. */
const WAITING_MAX = 32;

/** Outlets whose text leaves at the end of this turn of the event loop, at the latest. */
const waiting: Outlet[] = [];

function flushWaiting(): void {
  for (const outlet of waiting.splice(0)) outlet.flush();
}

export class Outlet {
  /** Bytes handed in so far. */
  total = 0;
  /** Bytes that the socket has not accepted yet, held ones not counted. */
  backlog = 0;
  #socket: WritableSocket | undefined;
  #held = "";
  #queue: Uint8Array[] = [];
  /** How long the socket has accepted nothing while something waits, in ticks of the sweep. */
  stalledMs = 0;
  readonly #backlogBytesMax: number;

  constructor(socket: WritableSocket | undefined, backlogBytesMax: number) {
    this.#socket = socket;
    this.#backlogBytesMax = backlogBytesMax;
  }

  /** Whether the writer should pause its source. */
  get blocked(): boolean {
    return this.backlog > this.#backlogBytesMax;
  }

  /** Whether the socket has accepted all that was written. */
  get isSent(): boolean {
    return this.#held === "" && this.backlog === 0;
  }

  /** Writes latin1 text; it leaves with the next `flush`. */
  text(text: string): void {
    this.total += text.length;
    this.#held += text;
    if (this.#held.length > HELD_BYTES_MAX) this.flush();
  }

  bytes(bytes: Buffer): void {
    if (bytes.length <= GATHERED_BYTES_MAX) {
      this.text(bytes.toString("latin1"));
      return;
    }
    this.flush();
    this.total += bytes.length;
    this.#send(bytes);
  }

  /** A piece of a body in the chunked transfer coding. */
  chunk(piece: Buffer): void {
    this.text(`${piece.length.toString(16)}\r\n`);
    this.bytes(piece);
    this.text("\r\n");
  }

  /** Sends what is held. Before the socket is open it waits. */
  flush(): void {
    if (this.#held === "") return;
    const text = this.#held;
    this.#held = "";
    if (this.backlog > 0 || this.#socket === undefined) {
      this.#enqueue(Buffer.from(text, "latin1"));
      return;
    }
    const taken = this.#socket.write(text, "latin1");
    this.stalledMs = 0;
    if (taken >= 0 && taken < text.length) this.#enqueue(Buffer.from(text.slice(taken), "latin1"));
  }

  /**
   * Sends what is held at the end of this turn of the event loop, or as soon as many wait for that. The answers to the
   * requests of a turn then leave one after another, and wake up a program on the same host once, not each time.
   */
  flushAtTurnEnd(): void {
    if (this.#held === "") return;
    const count = waiting.push(this);
    if (count === 1) setImmediate(flushWaiting);
    else if (count >= WAITING_MAX) flushWaiting();
  }

  /** Gives the outlet its socket and sends what has waited for it. */
  open(socket: WritableSocket): void {
    this.#socket = socket;
    this.flush();
    this.drain();
  }

  /** The socket accepts bytes again. */
  drain(): void {
    const queue = this.#queue;
    if (queue.length === 0) return;
    this.#queue = [];
    this.backlog = 0;
    for (const bytes of queue) this.#send(bytes);
  }

  /** Counts a tick; true when the socket has accepted nothing for `stallMs` although bytes wait. */
  stalls(tickMs: number, stallMs: number): boolean {
    this.stalledMs = this.backlog === 0 ? 0 : this.stalledMs + tickMs;
    return this.stalledMs > stallMs;
  }

  /** Forgets everything: the socket is gone. */
  close(): void {
    this.#held = "";
    this.#queue = [];
    this.backlog = 0;
    this.#socket = { write: () => -1 };
  }

  #send(bytes: Uint8Array): void {
    if (this.backlog > 0 || this.#socket === undefined) {
      this.#enqueue(bytes);
      return;
    }
    const taken = this.#socket.write(bytes);
    if (taken > 0) this.stalledMs = 0;
    if (taken >= 0 && taken < bytes.length) this.#enqueue(bytes.subarray(taken));
  }

  #enqueue(bytes: Uint8Array): void {
    this.#queue.push(bytes);
    this.backlog += bytes.length;
  }
}
