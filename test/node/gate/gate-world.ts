/** A whole gate with its rooms, on a clock that only the test moves, with a store in memory and no sockets. */

import { QueueIt, type QueueItAccount } from "../../../node/adapters/queue-it/queue-it.ts";
import { LaneKeys } from "../../../node/cookie/lane-keys.ts";
import { PassMaker } from "../../../node/cookie/pass.ts";
import { AltchaProof } from "../../../node/cookie/proof-of-work.ts";
import { CookieSeal, JweCipher, KeyRing, type VisitorCookie } from "../../../node/cookie/seal.ts";
import type { CrawlerLookup } from "../../../node/gate/crawler-proofs.ts";
import { Gate } from "../../../node/gate/gate.ts";
import { PROCESS } from "../../../node/gate/gate-context.ts";
import { LEVELS, type PressureLevel } from "../../../node/gate/pressure.ts";
import { ProxyWatch } from "../../../node/gate/proxy-watch.ts";
import type { Tracing } from "../../../node/gate/tracing.ts";
import { parseCidr } from "../../../node/http/client.ts";
import { ContactSeal } from "../../../node/keys/contact-seal.ts";
import { PushKeys } from "../../../node/keys/push-keys.ts";
import { VisitorKeys } from "../../../node/keys/visitor-keys.ts";
import { type Fields, isLogged, type Log, type LogLevel } from "../../../node/log.ts";
import type { Peer } from "../../../node/peer/peer.ts";
import { type LiveRoom, originTarget } from "../../../node/rooms/live-room.ts";
import { Rooms } from "../../../node/rooms/rooms.ts";
import { type Lookups, NO_LOOKUPS } from "../../../node/rules/lookups.ts";
import { DiskWatch } from "../../../node/storage/disk-watch.ts";
import { GroupCommit } from "../../../node/storage/group-commit.ts";
import { Store } from "../../../node/storage/store.ts";
import { lonePeer, MESH } from "../peer/lone-peer.ts";
import { type Answered, type Asked, cookieIn, FakeExchange, type Forwarded, type Outcome } from "./fake-exchange.ts";

export interface WorldOptions {
  readonly rooms?: readonly object[];
  /** Origin of rooms that name none; null for none at all. */
  readonly origin?: string | null;
  readonly trustedProxies?: readonly string[];
  readonly clientAddressField?: string;
  readonly originSecret?: string;
  readonly queueIt?: QueueItAccount;
  readonly crawlerLookup?: CrawlerLookup;
  readonly lookups?: Partial<Lookups>;
  readonly lastAliveMs?: number;
  readonly logLevel?: LogLevel;
  readonly accessLog?: boolean;
  readonly tracing?: Tracing;
  /** When the gate starts. */
  readonly nowMs?: number;
  readonly isHealthy?: () => boolean;
}

export const MINUTE_MS = 60_000;

/** By which the gate knows requests that were here before. */
export const LOOP_NAME = "anteroom-0123456789abcdef";
/** The start of a minute, long before any key of today. */
export const START_MS = Date.UTC(2026, 8, 11, 11, 45);

/** One room for everything at shop.example: two inside, ten a minute. */
export const SHOP = {
  name: "shop",
  host: "shop.example",
  total_active_users: 2,
  new_users_per_minute: 10,
  session_duration: 1,
  json_response_enabled: true,
};

/** An event of half an hour, with a pre-queue of five minutes. */
export function saleAt(startMs: number, fields: object = {}) {
  const at = (minutes: number): string => new Date(startMs + minutes * MINUTE_MS).toISOString();
  const times = { prequeue_start_time: at(-5), event_start_time: at(0), event_end_time: at(30) };
  return { name: "sale", ...times, ...fields };
}

export class GateWorld {
  nowMs: number;
  diskIsFull = false;
  pressure: PressureLevel = LEVELS.none;
  readonly logged: { level: string; fields: Fields; message: string }[] = [];
  readonly peer: Peer;
  readonly rooms: Rooms;
  readonly seal: CookieSeal;
  readonly gate: Gate;
  readonly proxies: ProxyWatch;

  constructor({ rooms = [SHOP], origin = "http://origin.internal:3000", ...rest }: WorldOptions = {}) {
    this.nowMs = rest.nowMs ?? START_MS;
    const clock = (): number => this.nowMs;
    const store = new Store(":memory:", "process");
    const refuse = (): void => {
      if (this.diskIsFull) throw new Error("disk is full");
    };
    const disk = new DiskWatch({ log: this.#log(), clock, place: "memory", isThere: () => true });
    const peer = lonePeer({ minuteMs: MINUTE_MS, clock });
    this.peer = peer;
    const defaultOrigin = origin === null ? undefined : originTarget(origin);
    this.rooms = new Rooms({
      roomNode: peer.roomNode,
      attach: (room) => peer.add(room),
      holdAtSite: (left) => peer.holdAtSite(left),
      restored: () => undefined,
      registers: {
        all: () => peer.replica.registers(),
        get: (key) => peer.replica.register(key),
        set: (values) => peer.replica.setRegisters(values, clock(), () => disk.store(refuse)),
      },
      defaultOrigin,
      clock,
      roomMs: clock,
    });
    for (const document of rooms) {
      const created = this.rooms.create(document);
      if (!created.ok) throw new Error(JSON.stringify(created.refusal));
    }
    this.seal = new CookieSeal(new JweCipher(new KeyRing(MESH)));
    const commit = new GroupCommit({
      source: peer,
      commit: ({ batch }) => {
        refuse();
        store.commit(batch);
      },
      send: () => undefined,
      onRefused: () => undefined,
      onFault: (error) => {
        throw error;
      },
    });
    const trusted = (rest.trustedProxies ?? []).map(parseCidr);
    this.proxies = new ProxyWatch({ trusted, log: this.#log() });
    this.gate = new Gate({
      rooms: this.rooms,
      isReady: () => peer.isReady,
      isHealthy: rest.isHealthy ?? (() => true),
      seal: this.seal,
      passes: new PassMaker(MESH),
      laneKeys: new LaneKeys(MESH),
      visitorKeys: new VisitorKeys(MESH),
      proof: new AltchaProof(MESH),
      contactSeal: new ContactSeal(MESH),
      pushKeys: new PushKeys(MESH),
      commit,
      clock: () => {
        peer.visit({ wallMs: this.nowMs, steadyMs: this.nowMs });
        return peer.roomMs;
      },
      surroundings: PROCESS,
      minuteMs: MINUTE_MS,
      defaultOrigin,
      trustedProxies: trusted,
      clientAddressField: rest.clientAddressField,
      crawlerLookup: rest.crawlerLookup ?? (() => () => {}),
      lookups: () => ({ ...NO_LOOKUPS, ...rest.lookups }),
      proxies: this.proxies,
      originSecret: rest.originSecret,
      connectors: (parts) => new QueueIt({ ...parts, account: rest.queueIt }),
      loopName: LOOP_NAME,
      log: this.#log(),
      isLogged: (event) => isLogged(rest.logLevel ?? "info", event),
      hasAccessLog: rest.accessLog ?? false,
      tracing: rest.tracing,
      pressure: () => this.pressure,
      lastAliveMs: rest.lastAliveMs,
    });
  }

  /** A world whose room, the shop with these fields, has visitors in all its slots. */
  static async full(room: object = {}, options: WorldOptions = {}): Promise<GateWorld> {
    const world = new GateWorld({ rooms: [{ ...SHOP, ...room }], ...options });
    await world.fill();
    return world;
  }

  /** The room called `name`. */
  room(name = "shop"): LiveRoom {
    const live = this.rooms.byName(name);
    if (live === undefined) throw new Error(`No room ${name}`);
    return live;
  }

  /** Puts a request through the gate; its exchange once something has become of it. */
  async exchange(asked: Asked = {}): Promise<FakeExchange> {
    const exchange = new FakeExchange(asked);
    this.gate.handle(exchange);
    await exchange.outcome;
    return exchange;
  }

  async ask(asked: Asked = {}): Promise<Outcome> {
    return (await this.exchange(asked)).outcome;
  }

  /** What became of a request that must have been answered by the gate. */
  async answered(asked: Asked = {}): Promise<Answered> {
    const outcome = await this.ask(asked);
    if (outcome.kind !== "answer") throw new Error("Forwarded, where an answer was due");
    return outcome;
  }

  /** What became of a request that must have been let through. */
  async forwarded(asked: Asked = {}): Promise<Forwarded> {
    const outcome = await this.ask(asked);
    if (outcome.kind !== "forward") throw new Error(`Answered with ${outcome.status}, where a forward was due`);
    return outcome;
  }

  /** The cookie of a visitor who has just been admitted. */
  async comeIn(asked: Asked = {}): Promise<string> {
    return cookieIn((await this.forwarded(asked)).plan.onResponse({ status: 200, reason: "OK", headers: [] }));
  }

  /** The cookie of a visitor who has just joined the line. */
  async joinLine(asked: Asked = {}): Promise<string> {
    return cookieIn((await this.answered(asked)).headers);
  }

  /** The answer to a program with this cookie: what it says, how, and the cookie to come back with. */
  async told(cookie = "", asked: Asked = {}) {
    const own = { Accept: "application/json", ...(cookie !== "" && { Cookie: cookie }) };
    const { status, headers, body } = await this.answered({ ...asked, headers: { ...own, ...asked.headers } });
    return { ...JSON.parse(body), status, headers, cookie: cookieIn(headers) || cookie };
  }

  /** Takes all slots of the room. */
  async fill(name = "shop"): Promise<void> {
    const { admission } = this.room(name);
    for (let free = admission.free(this.nowMs); free > 0; free -= 1) await this.comeIn();
  }

  /** Lets the node run to a moment, as its process does. */
  runTo(ms: number): void {
    while (this.nowMs < ms) {
      this.nowMs = Math.min(ms, this.nowMs + 500);
      this.peer.tick({ wallMs: this.nowMs, steadyMs: this.nowMs });
    }
  }

  /** What a cookie of the room says. */
  opened(cookie: string): VisitorCookie {
    const opened = this.seal.open(cookie.slice(cookie.indexOf("=") + 1), this.room().id, this.nowMs);
    if (opened.kind === "bad") throw new Error(`Cannot open the cookie as it is ${opened.reason}`);
    return opened.cookie;
  }

  /** In one word what the room made of a request: the outcome that was counted. */
  async outcome(asked: Asked = {}, name = "shop"): Promise<string> {
    const { requests } = this.room(name).counts;
    const before = { ...requests };
    await this.exchange(asked);
    const changed = Object.keys(requests).filter((key) => Reflect.get(requests, key) !== Reflect.get(before, key));
    return changed.join(" and ");
  }

  #log(): Log {
    const at = (level: string) => (fields: Fields, message: string) => {
      this.logged.push({ level, fields, message });
    };
    return { error: at("error"), warn: at("warn"), info: at("info"), debug: at("debug") };
  }
}
