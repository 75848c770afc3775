/**
 * Replaces the network between two nodes: one relay for each node that dials and each that is dialled.
 *
 * During a cut bytes wait, because TCP would send them again: connections do not end, nothing is heard, and bytes in
 * transit arrive when the cut is over. The same holds for the end of a connection. The waiting bytes are bounded:
 * beyond that the sender is stopped.
 */

import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";

/** What the network does to a pair of nodes. */
export interface Weather {
  /** Whether bytes from the dialling node wait. */
  readonly holdsForth: boolean;
  /** Whether bytes from the dialled node wait. */
  readonly holdsBack: boolean;
  /** Added to each direction. */
  readonly delayMs: number;
  /** Part of the connections that break within a second, and of those that fail to be made. */
  readonly loss: number;
}

export const FAIR: Weather = { holdsForth: false, holdsBack: false, delayMs: 0, loss: 0 };

/** Bytes that wait for one direction of a connection before its sender is stopped: some seconds of a busy mesh. */
const WAITING_MAX = 1_048_576;

/** Connections through one relay; two nodes need one, and a second while they agree on which to keep. */
const LINKS_MAX = 16;

/** How often chance decides on connections while there is loss. */
const LOSS_EVERY_MS = 1_000;

interface Link {
  readonly sockets: readonly [Socket, Socket];
  readonly pipes: readonly [Pipe, Pipe];
}

export class Relay {
  readonly #server: Server;
  readonly #random: () => number;
  readonly #links = new Set<Link>();
  #weather = FAIR;
  #losing: ReturnType<typeof setInterval> | undefined;
  /** Port of the dialled node on loopback; undefined while it is down and connections are refused. */
  target: number | undefined;

  private constructor(server: Server, random: () => number) {
    this.#server = server;
    this.#random = random;
    server.on("connection", (near) => this.#accept(near));
  }

  /** A relay on a port of loopback that the system chooses. */
  static async open(random: () => number): Promise<Relay> {
    const server = createServer();
    await new Promise<void>((resolve, reject) => server.once("error", reject).listen(0, "127.0.0.1", resolve));
    return new Relay(server, random);
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** Connections that are open. */
  get connections(): number {
    return this.#links.size;
  }

  set weather(weather: Weather) {
    this.#weather = weather;
    for (const { pipes } of this.#links) for (const pipe of pipes) pipe.flush();
    clearInterval(this.#losing);
    if (weather.loss > 0) this.#losing = setInterval(() => this.#breakSome(), LOSS_EVERY_MS);
  }

  close(): void {
    clearInterval(this.#losing);
    this.#server.close();
    for (const link of this.#links) end(link);
  }

  #accept(near: Socket): void {
    const isLost = this.#random() < this.#weather.loss || this.#links.size >= LINKS_MAX;
    if (this.target === undefined || isLost) {
      near.on("error", () => near.destroy()).destroy();
      return;
    }
    const far = connect(this.target, "127.0.0.1");
    const forth = new Pipe(near, far, () => ({ ...this.#weather, isHeld: this.#weather.holdsForth }));
    const back = new Pipe(far, near, () => ({ ...this.#weather, isHeld: this.#weather.holdsBack }));
    const link: Link = { sockets: [near, far], pipes: [forth, back] };
    this.#links.add(link);
    for (const socket of link.sockets)
      socket.on("close", () => {
        if (near.destroyed && far.destroyed) this.#links.delete(link);
      });
  }

  #breakSome(): void {
    for (const link of this.#links) if (this.#random() < this.#weather.loss) end(link);
  }
}

function end({ sockets }: Link): void {
  for (const socket of sockets) socket.destroy();
}

interface Course {
  readonly isHeld: boolean;
  readonly delayMs: number;
}

/** One direction of a connection. */
class Pipe {
  readonly #from: Socket;
  readonly #to: Socket;
  readonly #course: () => Course;
  /** Bytes in transit; the end of the connection has no bytes. */
  readonly #queue: { readonly bytes: Uint8Array | undefined; readonly dueMs: number }[] = [];
  #waiting = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(from: Socket, to: Socket, course: () => Course) {
    this.#from = from;
    this.#to = to;
    this.#course = course;
    from.setNoDelay(true);
    from.on("data", (bytes: Uint8Array) => this.#put(bytes));
    // An error is followed by the close.
    from.on("error", () => from.destroy());
    from.on("close", () => this.#put(undefined));
    to.on("drain", () => this.flush());
  }

  /** Passes on what is due, if allowed. */
  flush(): void {
    clearTimeout(this.#timer);
    if (this.#course().isHeld) return;
    for (let next = this.#queue[0]; next !== undefined; next = this.#queue[0]) {
      const earlyMs = next.dueMs - performance.now();
      if (earlyMs > 0) {
        this.#timer = setTimeout(() => this.flush(), earlyMs);
        return;
      }
      if (this.#to.writableNeedDrain && next.bytes !== undefined) return;
      this.#queue.shift();
      this.#pass(next.bytes);
    }
  }

  #put(bytes: Uint8Array | undefined): void {
    const dueMs = Math.max(performance.now() + this.#course().delayMs, this.#queue.at(-1)?.dueMs ?? 0);
    this.#queue.push({ bytes, dueMs });
    this.#waiting += bytes?.length ?? 0;
    if (this.#waiting > WAITING_MAX) this.#from.pause();
    this.flush();
  }

  #pass(bytes: Uint8Array | undefined): void {
    if (bytes === undefined) {
      this.#to.destroySoon();
      return;
    }
    this.#waiting -= bytes.length;
    if (!this.#to.destroyed) this.#to.write(bytes);
    if (this.#waiting <= WAITING_MAX && this.#from.isPaused()) this.#from.resume();
  }
}
