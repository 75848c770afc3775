/**
 * The gate as the queue of the published connector: visitors go from the site to the gate and back, by both sides' own
 * code.
 */

import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { CONFIGS_PER_SECOND, type QueueItAccount } from "../../../../node/adapters/queue-it/queue-it.ts";
import { QueueItKeys } from "../../../../node/adapters/queue-it/token.ts";
import { type Answered, type Asked, cookieIn, fieldOf, fieldsOf } from "../../gate/fake-exchange.ts";
import { GateWorld, MINUTE_MS, SHOP, START_MS } from "../../gate/gate-world.ts";
import { ConnectorSite, CUSTOMER, type Jar, SECRET } from "./connector.ts";

const API_KEY = "the api key of this test";
const SITE = "https://www.shop.example/tickets";
const BROWSER = { Accept: "text/html" };

const TICKETS = {
  name: "tickets",
  host: "queue.shop.example",
  path: "/tickets",
  total_active_users: 2,
  new_users_per_minute: 10,
  session_duration: 4,
  queue_it: { event_id: "tickets", protects: [SITE] },
};

function account(secret = SECRET): QueueItAccount {
  return { customer: CUSTOMER, keys: new QueueItKeys({ secret, apiKey: API_KEY }) };
}

/** A gate, a site behind a connector, and browsers between them. */
class Shop {
  readonly world: GateWorld;
  readonly site: ConnectorSite;
  #config = "";

  constructor({ rooms = [TICKETS], ...rest }: { rooms?: readonly object[]; secret?: string; address?: string } = {}) {
    this.world = new GateWorld({ rooms, origin: null, queueIt: account() });
    this.site = new ConnectorSite(() => this.#config, rest);
    vi.setSystemTime(this.world.nowMs);
  }

  async fetchConfig(): Promise<string> {
    const { status, body } = await this.world.answered({
      host: "queue.shop.example",
      target: `/status/integrationconfig/secure/${CUSTOMER}`,
      headers: { "api-key": API_KEY },
    });
    if (status !== 200) throw new Error(`The config was answered with ${status}`);
    this.#config = String(body);
    return this.#config;
  }

  pass(ms: number): void {
    this.world.nowMs += ms;
    vi.setSystemTime(this.world.nowMs);
  }

  /** What a browser asks the gate for. */
  toGate(location: string, cookie: string, more: Partial<Asked> = {}): Asked {
    const { host, pathname, search } = new URL(location);
    return {
      host,
      target: pathname + search,
      headers: { ...BROWSER, ...(cookie && { Cookie: cookie }) },
      tls: true,
      ...more,
    };
  }

  /** What the gate answers at an address. */
  atGate(location: string, cookie = "", more: Partial<Asked> = {}): Promise<Answered> {
    return this.world.answered(this.toGate(location, cookie, more));
  }

  /** Whether the connector would let a browser in now, asked without a trace. */
  async isInside(browser: Browser): Promise<boolean> {
    return (await this.site.visit(SITE, new Map(browser.site))).kind === "page";
  }
}

class Browser {
  readonly shop: Shop;
  readonly site: Jar = new Map();
  gate = "";
  /** Where it was sent, in order. */
  readonly trail: string[] = [];

  constructor(shop: Shop) {
    this.shop = shop;
  }

  /** Opens an address of the site, and follows where it is sent; `page`: of the site, `waiting`: of the gate. */
  async open(url = `${SITE}/show?id=7`): Promise<{ at: "page" | "gate"; status: number; url: string }> {
    let at = url;
    for (let hop = 0; hop < 12; hop++) {
      this.trail.push(at);
      if (new URL(at).host === "queue.shop.example") {
        const answer = await this.shop.atGate(at, this.gate);
        const [set] = fieldsOf(answer.headers, "Set-Cookie").filter((value) => value.startsWith("__anteroom_"));
        if (set !== undefined) this.gate = set.includes("Max-Age=0") ? "" : cookieIn(["Set-Cookie", set]);
        const location = fieldOf(answer.headers, "Location");
        if (location === undefined) return { at: "gate", status: answer.status, url: at };
        at = new URL(location, at).href;
      } else {
        const answer = await this.shop.site.visit(at, this.site);
        if (answer.kind === "page") return { at: "page", status: 200, url: at };
        at = answer.location;
      }
    }
    throw new Error(`Sent in circles: ${this.trail.slice(-4).join(" → ")}`);
  }
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"], now: START_MS });
});

afterEach(() => {
  vi.useRealTimers();
});

describe("a visitor of a site behind the connector", () => {
  test("goes to the queue and back while there is room, and sees the page that was asked for", async () => {
    const shop = new Shop();
    await shop.fetchConfig();
    const anna = new Browser(shop);
    expect(await anna.open()).toEqual({ at: "page", status: 200, url: `${SITE}/show?id=7` });
    expect(anna.trail[1]).toMatch(/^https:\/\/queue\.shop\.example\/tickets\/\?c=acme&e=tickets&ver=javascript-5/);
    expect(anna.trail[2]).toMatch(/^https:\/\/www\.shop\.example\/tickets\/show\?id=7&queueittoken=e_tickets~q_/);
    expect(anna.trail).toHaveLength(4);
    await anna.open();
    expect(anna.trail).toHaveLength(5);
  });

  test("stays inside for as long as it asks again, by way of the gate every few minutes", async () => {
    const shop = new Shop();
    await shop.fetchConfig();
    const anna = new Browser(shop);
    for (let at = 0; at < 40; at++) {
      expect(await anna.open()).toMatchObject({ at: "page" });
      shop.pass(30_000);
    }
    const tokens = anna.trail.filter((url) => url.includes("queueittoken"));
    expect(tokens.length).toBeGreaterThan(5);
    expect(new Set(tokens.map((url) => /q_[^~]*/.exec(url)?.[0])).size).toBe(1);
    expect(shop.world.room("tickets").counts.requests.admitted).toBe(1);
  });

  test("leaves by a cancel of the connector: the cookies end, and the slot is held on", async () => {
    const shop = new Shop();
    await shop.fetchConfig();
    const anna = new Browser(shop);
    await anna.open();
    const room = shop.world.room("tickets");
    const queueId = /~q_([^~]*)/.exec(anna.trail.join())?.[1] ?? "";
    const cancel = (id: string) =>
      `https://queue.shop.example/tickets/cancel/multiple/acme?wrl=tickets~${id}&r=${encodeURIComponent(`${SITE}/bye`)}`;
    const strange = await shop.atGate(cancel("0000-0000"), anna.gate);
    expect([strange.status, fieldOf(strange.headers, "Set-Cookie")]).toEqual([302, undefined]);
    const gone = await shop.atGate(cancel(queueId), anna.gate);
    expect(fieldOf(gone.headers, "Location")).toBe(`${SITE}/bye`);
    expect(fieldOf(gone.headers, "Set-Cookie")).toMatch(/Max-Age=0/);
    expect(room.admission.inside(shop.world.nowMs)).toBe(1);
    const older = `https://queue.shop.example/tickets/cancel/acme/tickets/${queueId}?c=acme&e=tickets&r=${encodeURIComponent(SITE)}`;
    expect(fieldOf((await shop.atGate(older, anna.gate)).headers, "Set-Cookie")).toMatch(/Max-Age=0/);
  });
});

describe("the limit, counted by the connector", () => {
  test("is never exceeded, whatever visitors do and when", async () => {
    const action = fc.record({
      who: fc.integer({ min: 0, max: 7 }),
      what: fc.constantFrom("open", "open", "open", "queue", "forget", "cancel", "late token"),
      afterMs: fc.oneof(fc.integer({ min: 0, max: 5_000 }), fc.integer({ min: 0, max: 180_000 })),
    });
    const worlds = fc.record({
      session: fc.integer({ min: 2, max: 6 }),
      isFixed: fc.boolean(),
      atMs: fc.integer({ min: 0, max: 59_999 }),
      actions: fc.array(action, { minLength: 10, maxLength: 60 }),
    });
    await fc.assert(
      fc.asyncProperty(worlds, async ({ session, isFixed, atMs, actions }) => {
        const shop = new Shop({ rooms: [{ ...TICKETS, session_duration: session, disable_session_renewal: isFixed }] });
        shop.pass(atMs);
        await shop.fetchConfig();
        const browsers = Array.from({ length: 8 }, () => new Browser(shop));
        for (const { who, what, afterMs } of actions) {
          shop.pass(afterMs);
          const browser = browsers[who];
          if (browser === undefined) continue;
          if (what === "open") await browser.open();
          else if (what === "queue") await browser.open("https://queue.shop.example/tickets/?c=acme&e=tickets");
          else if (what === "forget") browser.gate = "";
          else if (what === "cancel") {
            const id = /~q_([^~]*)/.exec(browser.trail.findLast((url) => url.includes("queueittoken")) ?? "")?.[1];
            await browser.open(`https://queue.shop.example/tickets/cancel/multiple/acme?wrl=tickets~${id}`);
          } else {
            // The latest token of the browser, once more: a token says nothing about how often it was used.
            const again = browser.trail.findLast((url) => url.includes("queueittoken"));
            browser.site.clear();
            if (again !== undefined) await browser.open(again);
          }
          const inside = await Promise.all(browsers.map((each) => shop.isInside(each)));
          expect(inside.filter(Boolean).length).toBeLessThanOrEqual(TICKETS.total_active_users);
        }
      }),
      { numRuns: 60 },
    );
  });
});

describe("a token", () => {
  test("of another secret is refused without going round in circles, and the log says so", async () => {
    const shop = new Shop({ secret: "a secret that only the connector has" });
    await shop.fetchConfig();
    const anna = new Browser(shop);
    expect(await anna.open()).toMatchObject({ at: "gate", status: 502 });
    expect(anna.trail.length).toBeLessThan(6);
    expect(shop.world.logged.filter(({ level }) => level === "warn")).toMatchObject([{ fields: { reason: "hash" } }]);
  });
});

describe("the gate gives no token", () => {
  const queue = (t: string, more = "") =>
    `https://queue.shop.example/tickets/?c=acme&e=tickets&t=${encodeURIComponent(t)}${more}`;

  test.each(["https://evil.example/", "//evil.example", "javascript:alert(1)", "https://www.shop.example:444/"])(
    "for %s, and nobody waits for it",
    async (target) => {
      const shop = new Shop();
      const { world } = shop;
      const answer = await shop.atGate(queue(target));
      expect([answer.status, fieldOf(answer.headers, "Location")]).toEqual([404, undefined]);
      expect(world.room("tickets").admission.inside(world.nowMs)).toBe(0);
      const cancel = `https://queue.shop.example/tickets/cancel/multiple/acme?wrl=tickets~x&r=${encodeURIComponent(target)}`;
      expect(fieldOf((await shop.atGate(cancel)).headers, "Location")).toBeUndefined();
      const error = `https://queue.shop.example/tickets/error/hash/?c=acme&e=tickets&t=${encodeURIComponent(target)}`;
      expect(fieldOf((await shop.atGate(error)).headers, "Location")).toBeUndefined();
    },
  );

  const OF_ANOTHER_SITE = { ...BROWSER, "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Site": "cross-site" };

  test.each<[string, Partial<Asked>]>([
    ["an image", { headers: { Accept: "image/*" } }],
    ["a HEAD", { method: "HEAD" }],
    ["a prefetch", { headers: { ...BROWSER, "Sec-Purpose": "prefetch" } }],
    ["a frame of another site", { headers: { ...OF_ANOTHER_SITE, "Sec-Fetch-Dest": "iframe" } }],
    ["a form of another site", { method: "POST", headers: { ...OF_ANOTHER_SITE, "Sec-Fetch-Dest": "document" } }],
  ])("to %s, with a session or without", async (_, more) => {
    const shop = new Shop();
    const { world } = shop;
    const cookie = cookieIn((await shop.atGate(queue(SITE))).headers);
    for (const shown of ["", cookie]) {
      const headers = { ...(more.headers as Record<string, string>), ...(shown && { Cookie: shown }) };
      const answer = await world.answered({ ...shop.toGate(queue(SITE), shown), ...more, headers });
      expect(fieldOf(answer.headers, "Location") ?? "").not.toContain("queueittoken");
      expect(answer.status).not.toBe(200);
    }
    expect(world.room("tickets").admission.inside(world.nowMs)).toBe(1);
  });

  test.each([
    ["of another customer", "c=other&e=tickets"],
    ["of no room", "c=acme&e=other"],
  ])("to a visitor %s", async (_, query) => {
    const shop = new Shop();
    const answer = await shop.atGate(`https://queue.shop.example/tickets/?${query}`);
    expect(answer.status).toBe(404);
  });

  test("where this node has no account", async () => {
    const world = new GateWorld({ rooms: [TICKETS], origin: null });
    const answer = await world.answered({ host: "queue.shop.example", target: "/tickets/?c=acme", headers: BROWSER });
    // Nobody's customer id is right.
    expect(answer.status).toBe(404);
    const plain = await world.answered({ host: "queue.shop.example", target: "/tickets/", headers: BROWSER });
    expect(plain.status).toBe(503);
    expect(
      world.logged.some(({ level, message }) => level === "error" && message.includes("--queue-it-customer")),
    ).toBe(true);
  });

  test("before the operator's hold ends; but to all of a suspended room, and past it by a rule", async () => {
    const rules = [{ expression: 'http.user_agent contains "probe"', action: "bypass_waiting_room" }];
    const shop = new Shop({ rooms: [{ ...TICKETS, rules }] });
    const { world } = shop;
    world.rooms.order("tickets", "hold");
    expect((await shop.atGate(queue(SITE))).status).toBe(200);
    const probe = { headers: { ...BROWSER, "User-Agent": "probe" } };
    const past = await shop.atGate(queue(SITE), "", probe);
    expect(fieldOf(past.headers, "Location")).toContain("~rt_disabled~");
    world.rooms.order("tickets", undefined);
    world.rooms.update("tickets", { suspended: true });
    const suspended = await shop.atGate(queue(SITE));
    expect(fieldOf(suspended.headers, "Location")).toContain("~rt_disabled~");
    expect(world.room("tickets").admission.inside(world.nowMs)).toBe(0);
  });
});

test.each([null, "http://origin.internal:3000"])(
  "no origin is asked, and none holds visitors back; the node's is %s",
  (origin) => {
    const world = new GateWorld({ rooms: [TICKETS], origin });
    const { origin: targets } = world.room("tickets");
    expect([targets.all, targets.isReachable(world.nowMs)]).toEqual([[], true]);
    world.rooms.update("tickets", { queue_it: null, origin: "http://10.0.0.1" });
    expect(targets.all).toHaveLength(1);
    const without = new GateWorld({ rooms: [SHOP], origin: "http://origin.internal:3000" });
    expect(without.room().origin.all).toHaveLength(1);
  },
);

describe("a room is found", () => {
  const ROOMS = [
    TICKETS,
    {
      ...TICKETS,
      name: "fans",
      path: "/fans",
      queue_it: { event_id: "fans", protects: ["https://fans.shop.example/"] },
    },
  ];

  test("by its event at the host alone, as connectors without a path for it ask", async () => {
    const shop = new Shop({ rooms: ROOMS });
    const answer = await shop.atGate("https://queue.shop.example/?c=acme&e=fans&t=https%3A%2F%2Ffans.shop.example%2Fa");
    expect(fieldOf(answer.headers, "Location")).toBe("/fans?c=acme&e=fans&t=https%3A%2F%2Ffans.shop.example%2Fa");
    const next = await shop.atGate(`https://queue.shop.example${fieldOf(answer.headers, "Location")}`);
    expect(fieldOf(next.headers, "Location")).toMatch(/^https:\/\/fans\.shop\.example\/a\?queueittoken=e_fans~/);
  });

  test("by its event also at the path of another one, and no shop's own `e` is touched", async () => {
    const PLAIN = { ...TICKETS, name: "plain", path: "/plain", queue_it: null, origin: "http://10.0.0.1" };
    const shop = new Shop({ rooms: [...ROOMS, PLAIN] });
    const { world } = shop;
    const answer = await shop.atGate("https://queue.shop.example/tickets?e=fans");
    expect(fieldOf(answer.headers, "Location")).toBe("/fans?e=fans");
    await world.forwarded(shop.toGate("https://queue.shop.example/plain?e=nothing&t=x", ""));
    expect(world.room("plain").counts.requests.admitted).toBe(1);
  });
});

describe("the integration config", () => {
  test("is given with the API key only, for this customer only", async () => {
    const { world } = new Shop();
    const ask = (target: string, key?: string, more: Asked = {}) =>
      world.answered({
        host: "queue.shop.example",
        target,
        headers: { ...(key !== undefined && { "api-key": key }) },
        ...more,
      });
    const path = `/status/integrationconfig/secure/${CUSTOMER}`;
    expect((await ask(path, API_KEY)).status).toBe(200);
    expect((await ask(`/status/integrationconfig/${CUSTOMER}`, API_KEY)).status).toBe(200);
    for (const key of [undefined, "", "wrong", `${API_KEY} `]) expect((await ask(path, key)).status).toBe(404);
    expect((await ask("/status/integrationconfig/secure/other", API_KEY)).status).toBe(404);
    expect((await ask(path, API_KEY, { method: "POST", headers: { "api-key": API_KEY } })).status).toBe(405);
    expect((await ask(path, API_KEY, { host: "nowhere.example" })).status).toBe(404);
    const floods = await Promise.all(Array.from({ length: CONFIGS_PER_SECOND + 5 }, () => ask(path, API_KEY)));
    expect(floods.at(-1)?.status).toBe(503);
  });

  test("protects what the rooms name, the longest path first, and nothing of a suspended one", async () => {
    const protecting = (name: string, site: string) => ({ event_id: name, protects: [`https://${site}/`] });
    const rooms = [
      { ...TICKETS, name: "all", path: "/", queue_it: protecting("all", "www.shop.example") },
      TICKETS,
      { ...TICKETS, name: "off", path: "/off", suspended: true, queue_it: protecting("off", "off.example") },
    ];
    const shop = new Shop({ rooms });
    await shop.fetchConfig();
    const event = async (url: string) => {
      const answer = await shop.site.visit(url, new Map());
      return answer.kind === "page" ? "none" : new URL(answer.location).searchParams.get("e");
    };
    const asked = ["www.shop.example/tickets", "www.shop.example/TICKETS/a", "www.shop.example/tickets?x"];
    for (const url of asked) expect(await event(`https://${url}`)).toBe("tickets");
    for (const url of ["ticketsandmore", ""]) expect(await event(`https://www.shop.example/${url}`)).toBe("all");
    for (const url of ["off.example/", "elsewhere.example/tickets"]) expect(await event(`https://${url}`)).toBe("none");
  });

  test("has a version that changes with the rooms only, within 32 bits", async () => {
    const shop = new Shop();
    const version = async (): Promise<number> => JSON.parse(await shop.fetchConfig()).Version;
    const before = await version();
    shop.pass(MINUTE_MS);
    expect(await version()).toBe(before);
    shop.world.rooms.update("tickets", { session_duration: 10 });
    expect(await version()).not.toBe(before);
    expect(before).toBeGreaterThan(0);
    expect(before).toBeLessThan(2 ** 31);
  });
});
