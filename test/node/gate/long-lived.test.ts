/**
 * WebSockets, streams, long polls and other exchanges that go on for minutes: whether they keep their session, and when
 * they end.
 */

import { describe, expect, test } from "vitest";
import { supportId } from "../../../node/gate/support-id.ts";
import type { OpenExchange } from "../../../node/http/message.ts";
import type { Closing } from "../../../node/http/websocket-frames.ts";
import { type Asked, cookieIn, type FakeExchange, originAnswers } from "./fake-exchange.ts";
import { GateWorld, MINUTE_MS, SHOP, START_MS } from "./gate-world.ts";

const SWEEP_MS = 1_000;
const ONE = { ...SHOP, total_active_users: 1, new_users_per_minute: 1_000 };
const SOCKET: Asked = { webSocket: true, target: "/live" };

/** An exchange that the origin keeps open. */
class LongExchange {
  readonly exchange: FakeExchange;
  readonly #world: GateWorld;
  readonly #open: { passedBytes: number } & OpenExchange;
  closing: Closing | undefined;

  constructor(world: GateWorld, exchange: FakeExchange) {
    this.#world = world;
    this.exchange = exchange;
    this.#open = {
      passedBytes: 0,
      cut: (closing, answer) => {
        if (this.closing !== undefined) return;
        this.closing = closing;
        this.#answer = answer;
      },
    };
  }

  #answer = (): void => expect.unreachable();

  /** The client has no answer yet: what it gets by the cut. */
  answered(): FakeExchange["outcomes"][number] | undefined {
    this.exchange.cut(this.#answer);
    return this.exchange.outcomes.at(-1);
  }

  moves(): void {
    this.#open.passedBytes += 1;
  }

  /** A sweep of the HTTP layer. */
  async sweep(): Promise<void> {
    const [first] = this.exchange.outcomes;
    if (first?.kind !== "forward") throw new Error("The request was not forwarded");
    first.plan.whileOpen?.(this.#open);
    // The commit of a check-in.
    await new Promise((resolve) => setImmediate(resolve));
  }

  /** Lets `ms` pass, with a sweep every second. `isActive`: something moves before each. */
  async pass(ms: number, isActive = false): Promise<void> {
    for (let left = ms; left > 0; left -= SWEEP_MS) {
      this.#world.nowMs += Math.min(SWEEP_MS, left);
      if (isActive) this.moves();
      await this.sweep();
    }
  }
}

async function opened(world: GateWorld, asked: Asked): Promise<LongExchange> {
  return new LongExchange(world, await world.exchange(asked));
}

/** A visitor inside, with a WebSocket. */
async function inside(room: object = ONE): Promise<{ world: GateWorld; cookie: string; socket: LongExchange }> {
  const world = new GateWorld({ rooms: [room] });
  const cookie = await world.comeIn();
  const socket = await opened(world, { ...SOCKET, headers: { Cookie: cookie } });
  expect(world.room().counts.requests.inside).toBe(1);
  return { world, cookie, socket };
}

describe("a WebSocket of a visitor inside", () => {
  test("keeps the session as long as something moves, and nobody gets in beside it", async () => {
    const { world, cookie, socket } = await inside();
    for (let minute = 0; minute < 10; minute++) {
      await socket.pass(MINUTE_MS, true);
      expect(await world.outcome()).toMatch(/joined|polled/);
      expect([socket.closing, world.room().admission.inside(world.nowMs)]).toEqual([undefined, 1]);
    }
    // Its browser still has the first cookie, as no answer could bring another one.
    const asked = await world.forwarded({ headers: { Cookie: cookie } });
    expect(world.room().counts.badCookies.expired).toBe(0);
    const renewed = cookieIn(originAnswers(asked));
    expect(renewed).toMatch(/^__anteroom_shop=/);
    expect(renewed).not.toBe(cookie);
    expect(world.room().admission.inside(world.nowMs)).toBe(1);
  });

  test("checks in once a minute at most, however much moves", async () => {
    const { world, socket } = await inside();
    const { meshRoom } = world.room();
    const checkIn = meshRoom.checkIn.bind(meshRoom);
    let checkIns = 0;
    meshRoom.checkIn = (...asked) => {
      checkIns += 1;
      checkIn(...asked);
    };
    await socket.pass(MINUTE_MS - SWEEP_MS, true);
    expect(checkIns).toBe(0);
    await socket.pass(3 * MINUTE_MS, true);
    expect(checkIns).toBe(3);
  });

  test("that is silent is ended with its session, before another visitor gets the slot", async () => {
    const { world, socket } = await inside();
    await socket.pass(2 * MINUTE_MS - SWEEP_MS);
    expect(socket.closing).toBeUndefined();
    await socket.pass(SWEEP_MS);
    expect(socket.closing).toEqual({ code: 1001, reason: "session over" });
    // One whose origin has not answered yet gets an answer of the gate.
    expect(socket.answered()).toMatchObject({ kind: "answer", status: 503 });
    expect(world.room().admission.inside(world.nowMs)).toBe(1);
    expect(world.room().counts.cut).toEqual({ over: 1, revoked: 0, full: 0 });
    world.nowMs += 10_000;
    expect(await world.outcome()).toBe("admitted");
  });

  test("that is silent goes on while the visitor's requests extend the session", async () => {
    const { world, cookie, socket } = await inside();
    let newest = cookie;
    for (let minute = 0; minute < 5; minute++) {
      await socket.pass(MINUTE_MS);
      newest = cookieIn(originAnswers(await world.forwarded({ headers: { Cookie: newest } })));
    }
    expect(socket.closing).toBeUndefined();
    await socket.pass(2 * MINUTE_MS);
    expect(socket.closing?.code).toBe(1001);
  });

  test("ends with the session also where nothing extends it", async () => {
    const { world, socket } = await inside({ ...ONE, disable_session_renewal: true });
    await socket.pass(2 * MINUTE_MS - SWEEP_MS, true);
    expect(socket.closing).toBeUndefined();
    await socket.pass(SWEEP_MS, true);
    expect(socket.closing?.code).toBe(1001);
    expect(world.room().counts.cut.over).toBe(1);
  });

  test("ends when its visitor is blocked", async () => {
    const { world, cookie, socket } = await inside();
    world.rooms.block(world.room(), supportId(world.opened(cookie).id), world.nowMs + 3_600_000);
    await socket.pass(SWEEP_MS, true);
    expect([socket.closing?.code, world.room().counts.cut.revoked]).toEqual([1008, 1]);
    // The end of the minute, and a grace.
    world.nowMs += MINUTE_MS + 6_000;
    expect(await world.outcome()).toBe("admitted");
  });

  test("goes on in a room that is suspended or deleted, and asks it nothing", async () => {
    for (const take of [
      (world: GateWorld) => world.rooms.update("shop", { suspended: true }),
      (world: GateWorld) => world.rooms.remove("shop"),
    ]) {
      const { world, socket } = await inside();
      const { meshRoom } = world.room();
      expect(take(world).ok).toBe(true);
      meshRoom.checkIn = () => expect.unreachable();
      await socket.pass(5 * MINUTE_MS, true);
      expect(socket.closing).toBeUndefined();
    }
  });

  test("is not extended by a check-in that is not on the disk", async () => {
    const { world, socket } = await inside();
    world.diskIsFull = true;
    await socket.pass(2 * MINUTE_MS - SWEEP_MS, true);
    expect(socket.closing).toBeUndefined();
    world.diskIsFull = false;
    await socket.pass(MINUTE_MS, true);
    expect(world.room().admission.inside(world.nowMs)).toBeLessThanOrEqual(1);
  });
});

describe("an exchange that began without a session", () => {
  test("goes on while nobody waits, and is told in the next minute", async () => {
    const world = new GateWorld({ rooms: [ONE] });
    const socket = await opened(world, SOCKET);
    expect(world.room().counts.requests.passed).toBe(1);
    await socket.pass(10 * MINUTE_MS, true);
    expect(socket.closing).toBeUndefined();
    await world.comeIn();
    await socket.pass(MINUTE_MS, true);
    expect(socket.closing).toEqual({ code: 1001, reason: "waiting room" });
    expect(world.room().counts.cut.full).toBe(1);
  });

  test.each([
    ["is held", (world: GateWorld) => world.rooms.order("shop", "hold")],
    ["is for invited visitors only", (world: GateWorld) => world.rooms.update("shop", { invite_only: true })],
    ["was suspended", (world: GateWorld) => world.rooms.order("shop", "hold"), { ...ONE, suspended: true }],
  ])("is told when the room %s", async (_, change, room: object = ONE) => {
    const world = new GateWorld({ rooms: [room] });
    const stream = await opened(world, { target: "/events", headers: { Accept: "text/event-stream" } });
    await stream.pass(2 * MINUTE_MS);
    expect(change(world).ok).toBe(true);
    if (world.room().room.suspended) expect(world.rooms.update("shop", { suspended: false }).ok).toBe(true);
    await stream.pass(MINUTE_MS);
    expect(stream.closing?.code).toBe(1001);
  });

  test("goes on where a rule lets it pass", async () => {
    const rules = [{ expression: 'http.request.uri.path eq "/live"', action: "bypass_waiting_room" }];
    const world = new GateWorld({ rooms: [{ ...ONE, rules }] });
    const socket = await opened(world, SOCKET);
    expect(world.room().counts.requests.bypassed).toBe(1);
    await world.comeIn();
    await socket.pass(5 * MINUTE_MS, true);
    expect(socket.closing).toBeUndefined();
  });
});

describe("a cookie that its session has outlived", () => {
  test("is refused where the origin ended the session", async () => {
    const { world, cookie, socket } = await inside({ ...ONE, enabled_origin_commands: ["revoke"] });
    await socket.pass(3 * MINUTE_MS, true);
    originAnswers(await world.forwarded({ headers: { Cookie: cookie } }), ["Cf-Waiting-Room-Command", "revoke"]);
    await world.fill();
    expect(await world.outcome({ headers: { Cookie: cookie } })).toBe("joined");
    expect(world.nowMs).toBe(START_MS + 3 * MINUTE_MS);
  });
});
