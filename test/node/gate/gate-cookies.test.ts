import { beforeEach, describe, expect, test } from "vitest";
import { type AccountId, accountOf, type Minute } from "../../../mesh/core/ids.ts";
import { minuteOf, minutePlus } from "../../../mesh/core/minute.ts";
import type { InsideCookie, VisitorCookie } from "../../../node/cookie/seal.ts";
import { sealed } from "../cookie/sealed.ts";
import { SELF } from "../peer/lone-peer.ts";
import { cookieIn, fieldOf, fieldsOf, originAnswers } from "./fake-exchange.ts";
import { GateWorld, MINUTE_MS, SHOP, START_MS, saleAt } from "./gate-world.ts";

const DAY_MS = 86_400_000;

describe("a cookie that does not count makes a new visitor, is counted, and never fails", () => {
  let world: GateWorld;
  let good: string;

  beforeEach(async () => {
    world = new GateWorld({ rooms: [SHOP, { ...SHOP, name: "other", host: "other.example" }] });
    good = await world.comeIn();
    await world.fill();
  });

  const NAME = "__anteroom_shop=";
  const CASES: readonly (readonly [string, string | undefined, (good: string) => string | Promise<string>])[] = [
    ["cut off", "malformed", (value) => value.slice(0, value.length / 2)],
    ["oversized after a good beginning", "malformed", (value) => value + "A".repeat(20_000)],
    ["with one character changed", "forged", (value) => value.replace(/\.([^.])([^.]*\.[^.]*)$/, changeFirst)],
    ["of another room", "wrong-room", async () => (await otherRoomsCookie()).replace("_other=", "_shop=")],
    ["under a key long retired", "unknown-key", () => sealedAt(START_MS - 3 * DAY_MS)],
    ["of a stay that is over", "expired", stayThatIsOver],
    ["of a place that is over", "expired", placeThatIsOver],
    ["with characters that no cookie has", undefined, () => `${NAME}a\\b"c`],
    ["under another name", undefined, (value) => value.replace("__anteroom_shop", "__anteroom_shop2")],
  ];

  test.each(CASES)("%s (%s)", async (_, reason, make) => {
    const { counts, admission } = world.room();
    const cookie = await make(good);
    expect(await world.outcome({ headers: { Cookie: cookie } })).toBe("joined");
    expect(counts.badCookies).toEqual({ ...zeros(counts.badCookies), ...(reason && { [reason]: 1 }) });
    expect([admission.inside(world.nowMs), admission.waiting]).toEqual([2, 1]);
  });

  test("a good one behind bad ones of its name counts, and they are counted", async () => {
    const cookie = `${NAME}x; ${await stayThatIsOver()}; ${good}`;
    expect(await world.outcome({ headers: { Cookie: cookie } })).toBe("inside");
    expect(world.room().counts.badCookies).toMatchObject({ malformed: 1, expired: 1 });
  });

  test.each([
    ["short ones", (count: number) => Array.from({ length: count }, (_, at) => `${NAME}${at}`)],
    ["longer ones", (count: number) => Array.from({ length: count }, (_, at) => `${NAME}${at}${"x".repeat(330)}`)],
    ["forged ones", (count: number) => Array.from({ length: count }, (_, at) => `${good.slice(0, -30)}${1e29 + at}`)],
  ])("a good one behind as many tossed ones as a head holds counts: %s", async (_, junk) => {
    const longest = Math.max(...junk(2_000).map((text) => text.length));
    for (const count of [3, 20, Math.floor((31_900 - good.length) / (longest + 2))]) {
      expect(await world.outcome({ headers: { Cookie: [...junk(count), good].join("; ") } })).toBe("inside");
      expect(await world.outcome({ headers: { Cookie: [good, ...junk(count)].join("; ") } })).toBe("inside");
    }
    expect([world.room().admission.inside(world.nowMs), world.room().admission.waiting]).toEqual([2, 0]);
  });

  async function otherRoomsCookie(): Promise<string> {
    return world.comeIn({ host: "other.example" });
  }

  function stayThatIsOver(): Promise<string> {
    return sealedAt(START_MS, { lastGood: minutePlus(minuteAt(START_MS), -1) });
  }

  function placeThatIsOver(): Promise<string> {
    const { room, id, bucketId } = stay(world);
    const lastCheckInTime = START_MS - DAY_MS;
    return sealedAt(START_MS, { kind: "waiting", room, id, key: bucketId, bucketId, lastCheckInTime });
  }

  async function sealedAt(nowMs: number, fields: Partial<VisitorCookie> = {}): Promise<string> {
    return NAME + (await sealed(world.seal, { ...stay(world), ...fields } as VisitorCookie, nowMs));
  }
});

describe("the cookie of a stay", () => {
  test("is kept for a day after the session's end, which a WebSocket may move, and is the visitor's alone", async () => {
    const world = new GateWorld();
    world.nowMs += 15_000;
    const [value = ""] = fieldsOf(originAnswers(await world.forwarded()), "Set-Cookie");
    expect(value).toMatch(/^__anteroom_shop=[A-Za-z0-9_.-]+; Path=\/; Max-Age=86505; HttpOnly; SameSite=Lax$/);
  });

  test("that is good for longer counts, though a faster clock gave the other one", async () => {
    const world = new GateWorld();
    const { nowMs } = world;
    const lastGood = minuteAt(nowMs);
    const long = await cookieOf(world, { ...stay(world), lastGood: minutePlus(lastGood, 1) });
    const short = await cookieOf(world, { ...stay(world), lastGood, lastCheckInTime: nowMs + 200 });
    for (const cookie of [`${long}; ${short}`, `${short}; ${long}`]) {
      const headers = originAnswers(await world.forwarded({ headers: { Cookie: cookie } }));
      expect(fieldOf(headers, "Set-Cookie")).toBeUndefined();
    }
  });

  test("is good to the last millisecond of its last minute", async () => {
    for (const [ms, outcome, expired] of [
      [2 * MINUTE_MS - 1, "inside", 0],
      [2 * MINUTE_MS, "admitted", 1],
    ] as const) {
      const world = new GateWorld();
      const cookie = await world.comeIn();
      world.nowMs = START_MS + ms;
      expect(await world.outcome({ headers: { Cookie: cookie } })).toBe(outcome);
      expect(world.room().counts.badCookies.expired).toBe(expired);
    }
  });

  test("is renewed once a minute, in time for an origin that answers at once", async () => {
    const world = new GateWorld();
    const first = await world.comeIn();
    expect(fieldsOf(originAnswers(await world.forwarded({ headers: { Cookie: first } })), "Set-Cookie")).toEqual([]);
    world.nowMs += MINUTE_MS;
    const renewed = cookieIn(originAnswers(await world.forwarded({ headers: { Cookie: first } })));
    expect(renewed).toMatch(/^__anteroom_shop=/);
    expect(renewed).not.toBe(first);
    world.nowMs += MINUTE_MS;
    expect(await world.outcome({ headers: { Cookie: renewed } })).toBe("inside");
    expect(world.room().admission.inside(world.nowMs)).toBe(1);
  });

  test("written in this minute is never checked in again", async () => {
    const world = new GateWorld();
    const cookie = await cookieOf(world, stay(world));
    expect(await world.outcome({ headers: { Cookie: cookie } })).toBe("inside");
    expect(world.room().admission.inside(world.nowMs)).toBe(0);
  });

  test("that ends with this minute is checked in again: its home may have been in the minute before", async () => {
    const world = new GateWorld();
    const cookie = await cookieOf(world, { ...stay(world), lastGood: minuteAt(world.nowMs) });
    const renewed = world.opened(cookieIn(originAnswers(await world.forwarded({ headers: { Cookie: cookie } }))));
    expect(renewed).toMatchObject({ lastGood: minuteAt(world.nowMs) + 1 });
  });
});

describe("a place in line", () => {
  test("used once is used up: when its session is over, its bearer is a new visitor", async () => {
    const world = await GateWorld.full();
    const asked = { headers: { Cookie: await world.joinLine() } };
    world.nowMs += 2 * MINUTE_MS + 6_000;
    expect(await world.outcome(asked)).toBe("admitted");
    expect(await world.outcome(asked)).toBe("admitted");
    // A second request withdraws no session that the first one received, though the disk refuses.
    world.diskIsFull = true;
    expect(await world.outcome(asked)).toBe("turned_away");
    expect(world.room().admission.inside(world.nowMs)).toBe(1);
    world.diskIsFull = false;
    world.nowMs += 2 * MINUTE_MS + 6_000;
    await world.fill();
    expect(await world.outcome(asked)).toBe("joined");
    expect(world.room().counts.badCookies.used).toBe(1);
  });

  test("is renewed after half of its grace, with its key and the minute in which its visitor joined", async () => {
    const world = new GateWorld({ rooms: [{ ...SHOP, queue_all: true }] });
    const Cookie = await world.joinLine();
    const place = world.opened(Cookie);
    world.nowMs += 5 * MINUTE_MS - 1;
    expect(fieldsOf((await world.answered({ headers: { Cookie } })).headers, "Set-Cookie")).toEqual([]);
    world.nowMs += 1;
    const { headers } = await world.answered({ headers: { Cookie } });
    expect(world.opened(cookieIn(headers))).toEqual({ ...place, lastCheckInTime: world.nowMs });
  });

  test("is kept for place_kept_minutes beyond the wait, and the answer says how many", async () => {
    // One visitor a minute comes in, so that the wait of each is known in minutes.
    const slow = { ...SHOP, total_active_users: 1_000, new_users_per_minute: 1, place_kept_minutes: 60 };
    const world = new GateWorld({ rooms: [slow] });
    await world.comeIn();
    for (let before = 0; before < 40; before++) await world.joinLine();
    const { anteroom, cookie: Cookie } = await world.told();
    expect(anteroom.placeKeptMinutes).toBe(60);
    world.nowMs += anteroom.waitSeconds75Percentile * 1_000 + 60 * MINUTE_MS;
    expect(await world.outcome({ headers: { Cookie } })).not.toBe("joined");
  });

  test("in a pre-queue is kept until the start and for the minutes", async () => {
    const startMs = START_MS + 3 * 3_600_000;
    const event = saleAt(startMs, { prequeue_start_time: new Date(START_MS).toISOString() });
    const world = new GateWorld({ rooms: [{ ...SHOP, queue_all: true, events: [event] }] });
    const Cookie = await world.joinLine();
    world.nowMs = startMs + 10 * MINUTE_MS;
    expect(await world.outcome({ headers: { Cookie } })).toBe("polled");
  });

  test("outlives a night without the node: the grace runs from when it was last alive", async () => {
    const rooms = [{ ...SHOP, queue_all: true }];
    const place = await new GateWorld({ rooms }).joinLine();
    const night = { rooms, lastAliveMs: START_MS + MINUTE_MS, nowMs: START_MS + 8 * 60 * MINUTE_MS };
    const morning = new GateWorld(night);
    expect(await morning.outcome({ headers: { Cookie: place } })).toBe("polled");
    const noon = new GateWorld(night);
    noon.nowMs += 15 * MINUTE_MS;
    expect(await noon.outcome({ headers: { Cookie: place } })).toBe("joined");
  });

  test("is kept from poll to poll when the clock was set back since the node was last alive", async () => {
    const lastAliveMs = START_MS + 60 * MINUTE_MS;
    const world = new GateWorld({ rooms: [{ ...SHOP, queue_all: true }], lastAliveMs, nowMs: lastAliveMs });
    world.nowMs = START_MS;
    const place = await world.joinLine();
    expect(await world.outcome({ headers: { Cookie: place } })).toBe("polled");
  });
});

test("the cookies of a visitor who came by TLS, to us or to a proxy, are Secure", async () => {
  const world = new GateWorld({ trustedProxies: ["10.0.0.0/8"] });
  for (const asked of [{ tls: true }, { from: "10.0.0.1", headers: { "X-Forwarded-Proto": "https" } }]) {
    const inside = originAnswers(await world.forwarded(asked));
    const { headers: keepingNone } = await world.answered({ ...asked, target: "/?__anteroom=again" });
    // A visitor who comes back by a form of another site is recognised only by a cookie with `None`.
    for (const headers of [inside, keepingNone])
      expect(fieldOf(headers, "Set-Cookie")).toMatch(/; SameSite=None; Secure$/);
  }
});

describe("a visitor by https and by http: no browser lets http change what https has set", () => {
  test("who comes by https first has a place of its own by http, and keeps it", async () => {
    const world = new GateWorld({ rooms: [{ ...SHOP, queue_all: true }] });
    const secure = await world.joinLine({ tls: true });
    // The browser leaves out what is Secure.
    const plain = await world.joinLine();
    expect(plain.split("=")[0]).not.toBe(secure.split("=")[0]);
    const poll = { "Anteroom-Poll": "1", Cookie: plain };
    expect(await world.outcome({ headers: poll })).toBe("polled");
    expect(await world.outcome({ tls: true, headers: { Cookie: `${secure}; ${plain}` } })).toBe("polled");
    expect(world.room().admission.waiting).toBe(2);
  });

  test("who comes back by https has the place of https again, whichever is newer or sent first", async () => {
    const world = new GateWorld({ rooms: [{ ...SHOP, queue_all: true }] });
    const secure = await world.joinLine({ tls: true });
    for (let others = 0; others < 9; others++) await world.joinLine();
    world.nowMs += 1_000;
    const plain = await world.joinLine();
    for (const Cookie of [`${secure}; ${plain}`, `${plain}; ${secure}`]) {
      const { body } = await world.answered({ tls: true, headers: { "Anteroom-Poll": "1", Cookie } });
      expect(JSON.parse(body).anteroom.position).toBe(1);
    }
  });

  test("who comes by http first is the same by https", async () => {
    const world = new GateWorld();
    const plain = await world.comeIn();
    expect(await world.outcome({ tls: true, headers: { Cookie: plain } })).toBe("inside");
    world.nowMs += MINUTE_MS;
    const renewed = cookieIn(originAnswers(await world.forwarded({ tls: true, headers: { Cookie: plain } })));
    expect(await world.outcome({ tls: true, headers: { Cookie: renewed } })).toBe("inside");
    expect(world.room().admission.inside(world.nowMs)).toBe(1);
  });

  test("who leaves the line by https keeps neither", async () => {
    const world = new GateWorld({ rooms: [{ ...SHOP, queue_all: true }] });
    const plain = await world.joinLine();
    const headers = { Accept: "text/html", Origin: "https://shop.example", Cookie: plain };
    const left = await world.answered({ method: "POST", tls: true, target: "/?__anteroom=leave.sure", headers });
    const removed = fieldsOf(left.headers, "Set-Cookie").map((value) => value.split("=")[0]);
    expect(removed).toEqual(["__anteroom_.s_shop", "__anteroom_shop"]);
  });
});

describe("a visitor of several hosts of one room", () => {
  const HOSTS = { ...SHOP, host: "shop.example.com", additional_routes: [{ host: "pay.example.com", path: "/" }] };

  test("with cookie_domain a visitor of two hosts is one person, until the stay is taken back there", async () => {
    const world = new GateWorld({
      rooms: [{ ...HOSTS, cookie_domain: "example.com", enabled_origin_commands: ["revoke"] }],
    });
    const headers = originAnswers(await world.forwarded({ host: "shop.example.com" }));
    expect(fieldOf(headers, "Set-Cookie")).toContain("; Domain=example.com;");
    const asked = { host: "pay.example.com", headers: { Cookie: cookieIn(headers) } };
    const paid = originAnswers(await world.forwarded(asked), ["Anteroom-Command", "revoke"]);
    expect(fieldOf(paid, "Set-Cookie")).toMatch(/^__anteroom_shop=; Path=\/; Max-Age=0; Domain=example.com;/);
    expect(world.room().counts.requests).toMatchObject({ admitted: 1, inside: 1 });
  });
});

describe("a commit that fails", () => {
  test("lets nobody in: 503, no cookie, and the slot is free again", async () => {
    const world = new GateWorld();
    world.diskIsFull = true;
    const { status, headers } = await world.answered();
    expect([status, fieldOf(headers, "Set-Cookie")]).toEqual([503, undefined]);
    expect(fieldOf(headers, "Retry-After")).toBe("20");
    expect(world.room().admission.inside(world.nowMs)).toBe(0);
    world.diskIsFull = false;
    expect([await world.outcome(), await world.outcome()]).toEqual(["admitted", "admitted"]);
    expect(await world.outcome()).toBe("joined");
    expect(world.room().admission.sessions.record.slots).toEqual([[expect.any(Number), 2]]);
  });
});

describe("a stay whose home is silent", () => {
  const LONG = { ...SHOP, session_duration: 4 };

  /**
   * A cookie of another account, which nobody here speaks for: last checked in a minute ago, good for `minutesLeft`
   * more.
   */
  async function homeless(world: GateWorld, { minutesLeft = 0, id = "visitor" } = {}): Promise<string> {
    const lastGood = minuteAt(world.nowMs + minutesLeft * MINUTE_MS);
    return cookieOf(world, {
      ...stay(world),
      id,
      home: "account2" as AccountId,
      lastGood,
      ...checkedInLastMinute(world),
    });
  }

  test("is extended by the origin's answer to the request that brings it", async () => {
    const rooms = [{ ...LONG, disable_session_renewal: true, enabled_origin_commands: ["extend"] }];
    const world = new GateWorld({ rooms });
    const forward = await world.forwarded({ headers: { Cookie: await homeless(world) } });
    const cookie = cookieIn(originAnswers(forward, ["Anteroom-Command", "extend"]));
    world.nowMs += 2 * MINUTE_MS;
    expect(await world.outcome({ headers: { Cookie: cookie } })).toBe("inside");
  });

  test("that ends first gives its bearer a place at the head of the line", async () => {
    const world = await GateWorld.full(LONG);
    world.nowMs += MINUTE_MS;
    const cookie = await homeless(world);
    for (let visitor = 0; visitor < 2; visitor++) expect(await world.outcome()).toBe("joined");
    world.nowMs += 2 * MINUTE_MS;
    expect(await world.outcome({ headers: { Cookie: cookie } })).toBe("polled");
    const told = await world.told(cookie);
    expect(told.anteroom.position).toBe(1);
    expect(world.opened(told.cookie)).toMatchObject({ kind: "waiting", id: "visitor", key: START_MS * 1_000 });
    expect(world.room().counts.badCookies.expired).toBe(0);
  });

  test("keeps its pass at the head of the line: others got it later, and no invitation is asked for again", async () => {
    const world = new GateWorld({ rooms: [{ ...LONG, invite_only: true }] });
    const pass = { name: "a", lane: 1, atMs: world.nowMs - 5 * MINUTE_MS };
    const Cookie = await cookieOf(world, {
      ...stay(world),
      home: "account2" as AccountId,
      lastGood: minuteAt(world.nowMs),
      pass,
    });
    world.rooms.update("shop", { queue_all: true });
    world.nowMs += 2 * MINUTE_MS;
    expect(world.opened((await world.told(Cookie)).cookie)).toMatchObject({ kind: "waiting", id: "visitor", pass });
  });
});

describe("a stay of this node that it knows nothing of", () => {
  test("continues with the old cookie where every slot is taken, and is over with it", async () => {
    const world = await GateWorld.full();
    const cookie = await cookieOf(world, { ...stay(world), ...checkedInLastMinute(world) });
    const forward = await world.forwarded({ headers: { Cookie: cookie } });
    expect(fieldsOf(originAnswers(forward), "Set-Cookie")).toEqual([]);
    expect(world.room().admission.inside(world.nowMs)).toBe(2);
    world.rooms.update("shop", { queue_all: true });
    world.nowMs += 2 * MINUTE_MS;
    expect(await world.outcome({ headers: { Cookie: cookie } })).toBe("joined");
    expect(world.room().counts.badCookies.expired).toBe(1);
  });
});

function stay(world: GateWorld): InsideCookie {
  const { nowMs } = world;
  const times = { bucketId: nowMs, lastCheckInTime: nowMs, acceptedAt: nowMs };
  const lastGood = minuteOf(nowMs + MINUTE_MS, MINUTE_MS);
  return { kind: "inside", room: world.room().id, id: "visitor", home: accountOf(SELF), ...times, lastGood };
}

/** Times of a cookie that was checked in a minute ago. */
function checkedInLastMinute({ nowMs }: GateWorld) {
  return { acceptedAt: nowMs - MINUTE_MS, lastCheckInTime: nowMs - MINUTE_MS };
}

async function cookieOf(world: GateWorld, cookie: InsideCookie): Promise<string> {
  return `__anteroom_shop=${await sealed(world.seal, cookie, world.nowMs)}`;
}

function minuteAt(ms: number): Minute {
  return minuteOf(ms, MINUTE_MS);
}

function changeFirst(_: string, first: string, rest: string): string {
  return `.${first === "A" ? "B" : "A"}${rest}`;
}

function zeros(counts: object): object {
  return Object.fromEntries(Object.keys(counts).map((name) => [name, 0]));
}
