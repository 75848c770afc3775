/**
 * All bounds of the HTTP layer: how much a peer may send or hold, how long it may keep us waiting, and the clock by
 * which that is counted.
 *
 * The gate stands in front of a flood by design, so everything that a stranger can make us keep is bounded. One sweep
 * counts times for all connections, so they are exact only to `sweepMs`.
 */

export interface HttpLimits {
  /** Most open client connections. At the maximum a useless one is ended to make room (`listener.ts`). */
  readonly connectionsMax: number;
  /** Longest wait for a whole request head, from the connection's start or the head's first byte. */
  readonly headMs: number;
  /** Longest pause between two requests of a connection. */
  readonly idleMs: number;
  /** A request body may take this long, and a second more for each `bodyBytesPerSecond` received. */
  readonly bodyMs: number;
  readonly bodyBytesPerSecond: number;
  /** Longest wait for a client that reads nothing of what we have for it. */
  readonly stallMs: number;
  /** A client that stalls this long in the middle of an exchange may be ended to make room. */
  readonly standstillMs: number;
  /** A client whose body comes more slowly than this counts as stalled. */
  readonly standstillBytesPerSecond: number;
  /** A WebSocket without traffic either way for this long may be ended to make room. */
  readonly silenceMs: number;
  /** Longest wait for the rest of an unwanted body and, half closed, for the client to read our last answer. */
  readonly lingerMs: number;
  /** Most bytes that are read and dropped meanwhile. */
  readonly lingerBytesMax: number;
  /** Most bytes of a request's head, of its target, and most fields. */
  readonly headBytesMax: number;
  readonly targetBytesMax: number;
  readonly fieldsMax: number;
  /** Most bytes of an origin's head: it may set many cookies, and is trusted more. */
  readonly originHeadBytesMax: number;
  /** Most interim (1xx) answers before the final one. */
  readonly interimMax: number;
  /** Most bytes of trailers, and of chunk extensions, in one body. */
  readonly trailerBytesMax: number;
  readonly chunkExtensionBytesMax: number;
  /** Most bytes of an unwanted request body that are read and dropped to keep the connection. */
  readonly discardBytesMax: number;
  /** Most bytes of further requests that are kept while one is being answered. */
  readonly pipelinedBytesMax: number;
  /** Most requests of one connection that start in one turn of the event loop. */
  readonly requestsPerTurnMax: number;
  /** Bytes that may wait on their way in or out before the sending side is held back. */
  readonly backlogBytesMax: number;
  /** Longest wait for a connection to the origin, TLS included. */
  readonly connectMs: number;
  /** Longest wait for the origin's head once it has the request. */
  readonly originMs: number;
  /** How long an unused origin connection is kept, and how many for each origin. */
  readonly originIdleMs: number;
  readonly originIdleMax: number;
  /** Most idle time of an origin connection for a request that cannot be sent a second time. */
  readonly originIdleUnsafeMs: number;
  /** Time between two sweeps. */
  readonly sweepMs: number;
}

export const DEFAULT_HTTP_LIMITS: HttpLimits = {
  // Below the usual limit of 65,536 files with as many connections to origins. Each idle one costs about 1 KB here.
  connectionsMax: 30_000,
  // A head is one packet or a few; 10 s let two of them be lost on a phone. A longer time helps only attackers that
  // hold sockets.
  headMs: 10_000,
  // nginx's default. Shorter than most browsers keep a connection, so that it is mostly we who close.
  idleMs: 75_000,
  // Apache's mod_reqtimeout rule: 500 bytes a second is below any modem, and above an attacker that drips.
  bodyMs: 30_000,
  bodyBytesPerSecond: 500,
  // A phone in a tunnel comes back within minutes; a client that reads no byte for longer has gone without closing.
  stallMs: 300_000,
  // Matters only when there are no connections left, and then the longest stalled go first. With a longer time, an
  // attacker that holds all of them would lock out all others for that long.
  standstillMs: 1_000,
  // To hold 10,000 connections above this takes more than a gigabit a second. A phone on the slowest networks is below,
  // and goes last of all.
  standstillBytesPerSecond: 16 * 1024,
  // Twice the longest pause that servers of WebSockets leave between two pings.
  silenceMs: 120_000,
  // nginx's lingering_timeout.
  lingerMs: 5_000,
  // What is in transit when an upload is refused: some round trips of a fast line. Dropping more costs more than the
  // answer is worth.
  lingerBytesMax: 4 * 1024 * 1024,
  // Four times what browsers send at worst (4 KB of target, 8 KB of cookies); half would refuse real visitors.
  headBytesMax: 32 * 1024,
  targetBytesMax: 16 * 1024,
  fieldsMax: 200,
  originHeadBytesMax: 64 * 1024,
  // One 100, a few 103 and a 102 now and then; a stream of them would never end.
  interimMax: 32,
  trailerBytesMax: 8 * 1024,
  // Node's bound since CVE-2024-22019: extensions are dropped, so they only cost.
  chunkExtensionBytesMax: 16 * 1024,
  discardBytesMax: 64 * 1024,
  // Browsers send no second request before the answer to the first; some tools send dozens.
  pipelinedBytesMax: 64 * 1024,
  // About a millisecond: others wait no longer for one connection.
  requestsPerTurnMax: 16,
  // One full TCP window of a slow line; each of thousands of streams may hold this much.
  backlogBytesMax: 64 * 1024,
  // Longer than two lost SYNs (3 s), shorter than a visitor's patience.
  connectMs: 5_000,
  originMs: 300_000,
  // Many origins close at 5 s (Node's default): a second less, so that it is we who close.
  originIdleMs: 4_000,
  originIdleMax: 256,
  originIdleUnsafeMs: 1_000,
  sweepMs: 1_000,
};

export type Awaited = "head" | "body" | "goodbye";

type Times = Pick<HttpLimits, "headMs" | "idleMs" | "bodyMs" | "bodyBytesPerSecond" | "lingerMs">;

/**
 * How long one client may keep us waiting: for a head, for the next request, for a body, for its close.
 *
 * It counts ticks of the sweep while we wait for the client; so a client that we hold back, or whose bytes were not
 * read because this process was busy, is not charged. Slow bodies are judged by their rate, not by their pauses: an
 * attacker that drips a byte now and then gains nothing.
 */
export class Patience {
  #waitedMs = 0;
  #headBegun = true;
  readonly #times: Times;

  constructor(times: Times) {
    this.#times = times;
  }

  /** Waiting for something new begins. */
  restart(): void {
    this.#waitedMs = 0;
  }

  /** A client that was answered may take its time to send the next request. */
  betweenRequests(): void {
    this.#headBegun = false;
  }

  /** The first bytes of a head have come. */
  headBegins(): void {
    if (!this.#headBegun) this.#waitedMs = 0;
    this.#headBegun = true;
  }

  /** Whether a body is `lagMs` behind a rate: the required one, if none is given. */
  lags(lagMs: number, bodyBytes: number, bytesPerSecond = this.#times.bodyBytesPerSecond): boolean {
    return this.#waitedMs > lagMs + (bodyBytes * 1_000) / bytesPerSecond;
  }

  /** Counts a tick of waiting; true when the client's time is up. `bodyBytes` are those received so far. */
  runsOut(tickMs: number, awaited: Awaited, bodyBytes: number): boolean {
    this.#waitedMs += tickMs;
    const { headMs, idleMs, bodyMs, lingerMs } = this.#times;
    switch (awaited) {
      case "head":
        return this.#waitedMs > (this.#headBegun ? headMs : idleMs);
      case "body":
        return this.lags(bodyMs, bodyBytes);
      default:
        return this.#waitedMs > lingerMs;
    }
  }
}

/**
 * The time by which the HTTP layer counts all its waiting, and what calls its sweep.
 *
 * It is an argument of the listener: a test moves it by hand, so no verdict depends on the speed of its machine.
 */
export interface SteadyClock {
  /** Milliseconds since some moment; never goes back. */
  now(): number;
  /** Calls `act` every `everyMs`, until the function that it returns is called. */
  every(everyMs: number, act: () => void): () => void;
}

/** That of the process. */
export const PROCESS_CLOCK: SteadyClock = {
  now: () => performance.now(),
  every(everyMs, act) {
    const timer = setInterval(act, everyMs);
    return () => clearInterval(timer);
  },
};
