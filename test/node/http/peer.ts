/**
 * One raw end of a real loopback connection: it says and hears bytes, as latin1 text, and knows nothing of HTTP.
 */

import { onTestFinished } from "vitest";

/** Runs `cleanup` after the test. A hook of this module would run for the first file of a worker alone. */
export function later(cleanup: () => void): void {
  onTestFinished(cleanup);
}

/** Waits are counted, and not time: a host that stands still for seconds makes one wait longer, and no test fail. */
const WAIT_MS = 20;
const WAITS_MAX = 3_000;

/** One end of a connection. */
export class Peer {
  /** All that came, as latin1 text. */
  text = "";
  bytes = 0;
  closed = false;
  ended = false;
  /** Keep the text? Large transfers only count. */
  keep = true;
  #socket: Bun.Socket<Peer> | undefined;
  #out: Buffer[] = [];
  #waiters: (() => void)[] = [];

  attach(socket: Bun.Socket<Peer>): void {
    this.#socket = socket;
    this.#flush();
    this.#changed();
  }

  send(data: string | Uint8Array): void {
    this.#out.push(typeof data === "string" ? Buffer.from(data, "latin1") : Buffer.from(data));
    this.#flush();
  }

  /** Bytes that the other side has not taken yet. */
  get unsent(): number {
    return this.#out.reduce((sum, bytes) => sum + bytes.length, 0);
  }

  pause(): void {
    this.#socket?.pause();
  }

  resume(): void {
    this.#socket?.resume();
  }

  /** Closes in good order. */
  end(): void {
    this.#socket?.end();
  }

  /** Ends the sending side only. */
  shutdown(): void {
    this.#socket?.shutdown();
  }

  /** Resets the connection. */
  reset(): void {
    this.#socket?.terminate();
  }

  /** Waits until `condition` holds; fails after a minute of this process's time with what came so far. */
  async until(condition: (peer: Peer) => boolean, what = "what was expected"): Promise<string> {
    let waits = 0;
    const timer = setInterval(() => {
      waits += 1;
      this.#changed();
    }, WAIT_MS);
    try {
      while (!condition(this)) {
        if (waits >= WAITS_MAX) throw new Error(`${what} did not come: ${JSON.stringify(this.text.slice(0, 500))}`);
        await new Promise<void>((resolve) => this.#waiters.push(resolve));
      }
    } finally {
      clearInterval(timer);
    }
    return this.text;
  }

  /** Waits until the other side has closed; returns all that came. */
  done(): Promise<string> {
    return this.until((peer) => peer.closed || peer.ended, "the end of the connection");
  }

  /** Waits until `part` has come. */
  heard(part: string): Promise<string> {
    return this.until((peer) => peer.text.includes(part), part);
  }

  #flush(): void {
    while (this.#socket !== undefined && this.#out.length > 0) {
      const bytes = this.#out[0] ?? Buffer.alloc(0);
      const taken = this.#socket.write(bytes);
      if (taken < bytes.length) {
        this.#out[0] = bytes.subarray(Math.max(taken, 0));
        return;
      }
      this.#out.shift();
    }
  }

  #changed(): void {
    for (const resolve of this.#waiters.splice(0)) resolve();
  }

  static readonly handlers: Bun.SocketHandler<Peer> = {
    data(socket, bytes) {
      socket.data.bytes += bytes.length;
      if (socket.data.keep) socket.data.text += bytes.toString("latin1");
      socket.data.#changed();
    },
    drain(socket) {
      socket.data.#flush();
      socket.data.#changed();
    },
    end(socket) {
      socket.data.ended = true;
      socket.data.#changed();
    },
    close(socket) {
      socket.data.closed = true;
      socket.data.#changed();
    },
    error() {},
    connectError() {},
  };
}

/** A client of `port` that has sent `first`. */
export async function client(port: number, first = "", tls?: Bun.TLSOptions): Promise<Peer> {
  const peer = new Peer();
  const socket = await Bun.connect<Peer>({
    hostname: "127.0.0.1",
    port,
    data: peer,
    allowHalfOpen: true,
    socket: Peer.handlers,
    ...(tls === undefined ? {} : { tls }),
  });
  later(() => socket.terminate());
  peer.attach(socket);
  if (first !== "") peer.send(first);
  return peer;
}

/** Sends `bytes` to `port` and returns all that comes until the other side closes. */
export async function ask(port: number, bytes: string): Promise<string> {
  return (await client(port, bytes)).done();
}
