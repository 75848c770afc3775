/**
 * What the tests of the HTTP layer stand on: raw origins, and listeners whose every report is kept.
 *
 * Nothing here knows HTTP beyond what a test spells out.
 */

import { type HttpListener, type ListenOptions, listen } from "../../../node/http/listener.ts";
import type { Exchange, ExchangeEnd, ForwardFailure, ForwardPlan, OriginTarget } from "../../../node/http/message.ts";
import { parseOrigin } from "../../../node/http/origin-target.ts";
import { later, Peer } from "./peer.ts";
import { settled } from "./settled.ts";
import { TestClock } from "./test-clock.ts";

/** A request, and one after which the connection ends. */
export const GET = "GET /a HTTP/1.1\r\nHost: shop.example\r\n\r\n";
export const LAST = "GET /last HTTP/1.1\r\nHost: shop.example\r\nConnection: close\r\n\r\n";
/** An origin's answer, and one that makes a WebSocket of its connection. */
export const OK = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
export const SWITCH = "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n";

export interface RawOrigin {
  readonly target: OriginTarget;
  readonly port: number;
  /** Connections in the order in which they came. */
  readonly peers: Peer[];
  /** Waits for connection number `index`. */
  peer(index?: number): Promise<Peer>;
  stop(): void;
}

/** An origin that does nothing but listen; `onData` may answer by what has come on a connection so far. */
export function origin(onData?: (peer: Peer) => void, tls?: Bun.TLSOptions): RawOrigin {
  const peers: Peer[] = [];
  const server = Bun.listen<Peer>({
    hostname: "127.0.0.1",
    port: 0,
    allowHalfOpen: true,
    ...(tls === undefined ? {} : { tls }),
    socket: {
      ...Peer.handlers,
      open(socket) {
        const peer = new Peer();
        socket.data = peer;
        peers.push(peer);
        peer.attach(socket);
      },
      data(socket, bytes) {
        Peer.handlers.data?.(socket, bytes);
        onData?.(socket.data);
      },
    },
  });
  later(() => server.stop(true));
  return {
    target: target(`${tls === undefined ? "http" : "https"}://127.0.0.1:${server.port}`),
    port: server.port,
    peers,
    async peer(index = 0) {
      await eventually(() => peers.length > index, `connection ${index} to the origin`);
      return peers[index] as Peer;
    },
    stop: () => server.stop(true),
  };
}

/** An origin that answers every whole head with `answer`. */
export function answering(answer: string): RawOrigin {
  let answered = 0;
  const seen = new Map<Peer, number>();
  return origin((peer) => {
    const heads = peer.text.split("\r\n\r\n").length - 1;
    for (let had = seen.get(peer) ?? 0; had < heads; had += 1) {
      answered += 1;
      peer.send(answer.replace("{n}", String(answered)));
    }
    seen.set(peer, heads);
  });
}

export function target(url: string): OriginTarget {
  const parsed = parseOrigin(url);
  if (parsed === undefined) throw new Error(`Broken: ${url} is an origin`);
  return parsed;
}

export interface TestGate {
  readonly port: number;
  readonly listener: HttpListener;
  /** By which the gate counts how long it is kept waiting: it stands still unless the test moves it. */
  readonly clock: TestClock;
  /** Lets time pass once all that is on its way has come, and waits for what follows from it. */
  pass(ms: number): Promise<void>;
  readonly ends: ExchangeEnd[];
  readonly exchanges: Exchange[];
  readonly failures: ForwardFailure[];
  /** Answers that the origin broke off. */
  readonly broken: ForwardFailure[];
  readonly errors: unknown[];
  readonly refusals: number[];
}

/** A listener whose handler is `onExchange`; the default answers 200 with the method and target. */
export function gate(
  onExchange: (exchange: Exchange, gate: TestGate) => void = (exchange) =>
    exchange.answer(200, ["Content-Type", "text/plain"], `${exchange.request.method} ${exchange.request.target}`),
  options: Partial<ListenOptions> = {},
): TestGate {
  const ends: ExchangeEnd[] = [];
  const exchanges: Exchange[] = [];
  const failures: ForwardFailure[] = [];
  const broken: ForwardFailure[] = [];
  const errors: unknown[] = [];
  const refusals: number[] = [];
  const clock = new TestClock();
  const listener = listen({
    hostname: "127.0.0.1",
    port: 0,
    clock,
    onExchange(exchange) {
      exchanges.push(exchange);
      onExchange(exchange, made);
    },
    onEnd: (_exchange, end) => ends.push(end),
    onRefusal: (refusal) => refusals.push(refusal.status),
    onError: (error) => errors.push(error),
    ...options,
  });
  const pass = async (ms: number): Promise<void> => {
    await settled();
    clock.pass(ms);
    await settled();
  };
  const reports = { ends, exchanges, failures, broken, errors, refusals };
  const made: TestGate = { port: listener.port, listener, clock, pass, ...reports };
  later(() => listener.stop());
  return made;
}

/**
 * A listener that forwards everything to `to`, or as `plan` says; failures are answered 502 or 504 with their detail.
 */
export function proxy(
  to: OriginTarget,
  { plan, ...options }: Partial<ListenOptions> & { plan?: (exchange: Exchange) => Partial<ForwardPlan> } = {},
): TestGate {
  return gate((exchange, { failures, broken }) => {
    exchange.forward({
      origin: to,
      headers: exchange.request.headers,
      onResponse: ({ headers }) => headers,
      onBroken: (failure) => broken.push(failure),
      onFailure(failure) {
        failures.push(failure);
        exchange.answer(failure.kind === "timeout" ? 504 : 502, ["Content-Type", "text/plain"], failure.detail);
      },
      ...plan?.(exchange),
    });
  }, options);
}

/** The same before `behind`, which the test looks at as well. */
export function through(behind: RawOrigin, options: Parameters<typeof proxy>[1] = {}) {
  return { behind, ...proxy(behind.target, options) };
}

/** The status line's code of an answer. */
export function statusOf(answer: string): number {
  return Number(/^HTTP\/1\.1 ([0-9]{3}) /.exec(answer)?.[1]);
}

/** What follows the first empty line. */
export function bodyOf(answer: string): string {
  return answer.slice(answer.indexOf("\r\n\r\n") + 4);
}

/** A minute. Looks are counted and not time: on a host that stands still or is busy, they take longer. */
const LOOKS_MAX = 30_000;

/** Waits until `condition` holds; fails after a minute of this process's time. */
export async function eventually(condition: () => boolean, what = "the condition"): Promise<void> {
  for (let looks = 0; !condition(); looks++) {
    if (looks === LOOKS_MAX) throw new Error(`${what} did not come true`);
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}
