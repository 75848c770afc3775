import { beforeEach, describe, expect, test, vi } from "vitest";
import { type Pass, PassMaker } from "../../../node/cookie/pass.ts";
import type { HeaderList } from "../../../node/http/message.ts";
import { MESH } from "../peer/lone-peer.ts";
import { type Asked, fieldOf, fieldsOf, originAnswers } from "./fake-exchange.ts";
import { GateWorld, MINUTE_MS, SHOP, START_MS } from "./gate-world.ts";

const DAY_MS = 86_400_000;
const maker = new PassMaker(MESH);
const NAVIGATION = { "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document", Accept: "text/html" };

let world: GateWorld;
beforeEach(() => {
  world = new GateWorld({ rooms: [SHOP, { ...SHOP, name: "vip", host: "vip.example", invite_only: true }] });
});

function passFor(order: Partial<Pass> = {}, room = "vip", generation = 1, by = maker): string {
  return by.make({ isStaff: false, madeMs: START_MS, expiresMs: START_MS + DAY_MS, ...order }, { room, generation });
}

const shown = (pass: string, more: Asked = {}): Asked => ({ target: `/?anteroom_pass=${pass}`, ...more });
/** A link whose browser has been given the pass before: only then a pass with a key is used. */
const kept = (pass: string, { headers, ...more }: Asked = {}, room = "shop"): Asked => {
  const { Cookie, ...others } = (headers ?? {}) as Record<string, string>;
  const cookies = [`__anteroom_.pass_${room}=${pass}`, ...(Cookie === undefined ? [] : [Cookie])].join("; ");
  return shown(pass, { ...more, headers: { ...others, Cookie: cookies } });
};
const vip = (more: Asked = {}): Asked => ({ host: "vip.example", ...more });

/** What a browser sends back of the cookies that it was given. */
function cookiesOf(headers: HeaderList): string {
  return fieldsOf(headers, "set-cookie")
    .map((value) => value.split(";")[0] ?? "")
    .join("; ");
}

describe("an invite-only room", () => {
  test("has a page of its own for visitors without a pass, and a code for programs", async () => {
    const page = await world.answered(vip({ headers: NAVIGATION }));
    expect([page.status, page.body.includes("By invitation only")]).toEqual([403, true]);
    expect([fieldOf(page.headers, "Retry-After"), fieldOf(page.headers, "Refresh")]).toEqual([undefined, undefined]);
    expect((await world.told("", vip())).error.code).toBe("inviteOnly");
    expect(world.room("vip").counts.requests.uninvited).toBe(2);
  });

  test("passes no asset on without a session, although nobody waits", async () => {
    const { status } = await world.answered(vip({ target: "/logo.png", headers: { "Sec-Fetch-Mode": "no-cors" } }));
    expect(status).toBe(503);
  });

  test("lets a visitor in whose link has a pass; the origin sees neither", async () => {
    const { plan } = await world.forwarded(vip({ target: `/a?x=1&anteroom_pass=${passFor()}&y=2` }));
    expect(plan.target).toBe("/a?x=1&y=2");
    expect(world.room("vip").counts.passes.accepted).toBe(1);
  });

  test("sends a browser that navigates to the address without the pass, with both cookies", async () => {
    const first = await world.answered(vip(shown(passFor(), { headers: NAVIGATION })));
    expect([first.status, fieldOf(first.headers, "Location")]).toEqual([303, "/?__anteroom=again"]);
    const headers = { ...NAVIGATION, Cookie: cookiesOf(first.headers) };
    const second = await world.answered(vip({ target: "/?__anteroom=again", headers }));
    expect([second.status, fieldOf(second.headers, "Location")]).toEqual([303, "/"]);
    expect((await world.forwarded(vip({ headers }))).plan.headers).not.toContain("Cookie");
  });

  test("lets a program in that shows its pass in a field; the origin does not get it", async () => {
    const { plan } = await world.forwarded(vip({ headers: { "Anteroom-Pass": passFor() } }));
    expect(fieldOf(plan.headers, "anteroom-pass")).toBeUndefined();
    expect(fieldsOf(originAnswers({ kind: "forward", plan }), "set-cookie")).toHaveLength(1);
  });

  test("keeps the pass for the visitor's return after the session, until it expires", async () => {
    const headers = originAnswers(await world.forwarded(vip(kept(passFor({ key: "a" }), {}, "vip"))));
    const cookie = cookiesOf(headers);
    world.nowMs += 3 * MINUTE_MS;
    expect(await world.outcome(vip({ headers: { Cookie: cookie } }), "vip")).toBe("admitted");
    world.nowMs += DAY_MS;
    expect(await world.told(cookie, vip())).toMatchObject({ status: 403, error: { code: "passExpired" } });
  });

  test("keeps those in line whose pass expires while they wait", async () => {
    await fillVip();
    const Cookie = await world.joinLine(vip(shown(passFor({ expiresMs: START_MS + 5_000 }))));
    world.nowMs += 20_000;
    expect(await world.outcome(vip({ headers: { Cookie } }), "vip")).toBe("polled");
  });

  test("stops those in line who have no pass when it becomes invite-only", async () => {
    await world.fill();
    const place = await world.joinLine();
    world.rooms.update("shop", { invite_only: true });
    expect(await world.outcome({ headers: { Cookie: place } })).toBe("uninvited");
  });

  test("admits everybody while an operator has opened it", async () => {
    world.rooms.order("vip", "open");
    expect(await world.outcome(vip(), "vip")).toBe("admitted");
  });
});

describe("a pass of a wave", () => {
  const start = new Date(START_MS + 600_000).toISOString();
  const spring = { rate: "2/10m", start };
  const of = (number: number, name = "spring"): string => passFor({ wave: { name, number } });
  const asked = (pass: string): Asked => vip(shown(pass));
  const refused = async (pass: string): Promise<unknown[]> => {
    const { status, headers, error } = await world.told("", asked(pass));
    return [status, error.code, fieldOf(headers, "Retry-After")];
  };
  beforeEach(() => world.rooms.update("vip", { waves: { spring } }));

  test("is good from its step on; before it, its visitor hears when to come", async () => {
    expect(await refused(of(1))).toEqual([403, "passEarly", "600"]);
    expect(await refused(of(3))).toEqual([403, "passEarly", "1200"]);
    expect(await refused(of(10_000))).toEqual([403, "passEarly", "3600"]);
    const page = await world.answered(vip(shown(of(1), { headers: NAVIGATION })));
    expect(page.body).toContain("group by group");
    expect(fieldOf(page.headers, "Refresh")).toMatch(/^600;/);
    world.nowMs += 600_000;
    expect(await world.outcome(asked(of(2)), "vip")).toBe("admitted");
    expect(await refused(of(3))).toEqual([403, "passEarly", "600"]);
    expect(world.room("vip").counts.passes.early).toBe(5);
  });

  test("waits while the wave is paused, although it was sent out before", async () => {
    world.rooms.update("vip", { waves: { spring: { ...spring, open: 1, paused: true } } });
    world.nowMs += 3_600_000;
    expect(await refused(of(2))).toEqual([403, "passEarly", "20"]);
    expect(await world.outcome(asked(of(1)), "vip")).toBe("admitted");
  });

  test("of a wave that the room does not have is as good as one without", async () => {
    expect(await world.outcome(asked(of(9, "constructor")), "vip")).toBe("admitted");
    world.rooms.update("vip", { waves: null });
    expect(await world.outcome(asked(of(9)), "vip")).toBe("admitted");
  });
});

describe("a bad pass", () => {
  const elsewhere = new PassMaker({ ...MESH, meshId: "f".repeat(16) });
  const CASES: readonly (readonly [string, string, string])[] = [
    ["expired", "passExpired", passFor({ expiresMs: START_MS }, "shop")],
    ["foreign", "passForeign", passFor({}, "shop", 1, elsewhere)],
    ["other-room", "passForeign", passFor({}, "vip")],
    ["withdrawn", "passWithdrawn", passFor({}, "shop", 2)],
    ["forged", "passForged", passFor({}, "shop").replace(/.$/, (last) => (last === "A" ? "E" : "A"))],
    ["malformed", "passForged", "hello"],
  ];

  test.each(CASES)("that is %s is answered with %s and counted", async (reason, code, pass) => {
    for (const asked of [shown(pass), { headers: { "Anteroom-Pass": pass } }])
      expect(await world.told("", asked)).toMatchObject({ status: 403, error: { code } });
    const { counts } = world.room();
    expect([counts.passes[reason as "forged"], counts.requests.pass_refused]).toEqual([2, 2]);
    expect(world.room().admission.inside(world.nowMs)).toBe(0);
  });

  test("offers a way on without it, which takes the kept pass away", async () => {
    const page = await world.answered(shown("hello", { target: "/a?x=1&anteroom_pass=hello", headers: NAVIGATION }));
    expect(page.body).toContain('<a href="/a?x=1&amp;anteroom_pass=">');
    const on = await world.answered({ target: "/a?x=1&anteroom_pass=" });
    expect([on.status, fieldOf(on.headers, "Location")]).toEqual([303, "/a?x=1"]);
    expect(fieldOf(on.headers, "set-cookie")).toContain("__anteroom_.pass_shop=; Path=/; Max-Age=0");
  });

  test("that the gate keeps does no harm in a room that needs none", async () => {
    expect(await world.outcome({ headers: { Cookie: "__anteroom_.pass_shop=hello" } })).toBe("admitted");
  });

  test("beside a good one counts for nothing: another host of the site may have set it, and a longer one", async () => {
    const name = "__anteroom_.pass_vip";
    const Cookie = `${name}=${"x".repeat(1_000)}; ${name}=${passFor()}; ${name}=hello`;
    expect(await world.outcome(vip({ headers: { Cookie } }), "vip")).toBe("admitted");
  });

  test("that is empty gives up neither pass nor place where another site or no person asks", async () => {
    await world.fill();
    const joined = await world.answered(shown(passFor({ key: "a" }, "shop"), { headers: NAVIGATION }));
    const headers = { ...NAVIGATION, Cookie: cookiesOf(joined.headers) };
    for (const more of [
      { "Sec-Fetch-Site": "cross-site" },
      { "Sec-Fetch-Dest": "image", "Sec-Fetch-Mode": "no-cors" },
    ]) {
      const answer = await world.answered(shown("", { headers: { ...headers, ...more } }));
      expect(fieldsOf(answer.headers, "set-cookie").filter((value) => value.includes("Max-Age=0"))).toEqual([]);
    }
    expect(await world.outcome(shown("", { headers: { ...headers, "Sec-Fetch-Site": "same-origin" } }))).toBe(
      "sent_back",
    );
  });

  test("takes nothing from a visitor inside", async () => {
    const cookie = await world.comeIn();
    const { plan } = await world.forwarded(shown("hello", { headers: { Cookie: cookie } }));
    expect(plan.target).toBe("/");
  });
});

describe("a staff pass", () => {
  test("bypasses a full, held and closed room, for every kind of request, and is not counted", async () => {
    await world.fill();
    world.rooms.update("shop", { queue_all: true });
    const headers = { "Anteroom-Pass": passFor({ isStaff: true }, "shop") };
    for (const method of ["GET", "HEAD", "DELETE", "POST"])
      expect(await world.outcome({ method, headers: { ...headers, "Sec-Fetch-Mode": "cors" } })).toBe("bypassed");
    const { admission, counts } = world.room();
    expect([admission.inside(world.nowMs), admission.waiting, counts.passes.staff]).toEqual([2, 0, 4]);
  });

  test("stays in the browser, and ends with its generation", async () => {
    await world.fill();
    const headers = originAnswers(await world.forwarded(shown(passFor({ isStaff: true }, "shop"), { tls: true })));
    const back = { tls: true, headers: { Cookie: cookiesOf(headers) } };
    expect(await world.outcome(back)).toBe("bypassed");
    world.rooms.update("shop", { pass_generation: 2 });
    expect(await world.outcome(back)).toBe("joined");
  });
});

describe("a pass with a key", () => {
  const KEYED = (key = "a") => passFor({ key }, "shop");

  test("is good for one visitor at a time; one without a key for any number", async () => {
    expect(await world.outcome(kept(KEYED()))).toBe("admitted");
    expect(await world.told("", kept(KEYED()))).toMatchObject({ status: 409, error: { code: "passInUse" } });
    expect(world.room().counts.passes["in-use"]).toBe(1);
    expect(await world.outcome(kept(KEYED("b")))).toBe("admitted");
    await world.outcome(shown(passFor({}, "shop")));
    expect(await world.outcome(shown(passFor({}, "shop")))).toBe("joined");
  });

  test("is free again when the origin ends the session, as at a logout", async () => {
    world.rooms.update("shop", { enabled_origin_commands: ["revoke"] });
    const came = await world.forwarded(kept(KEYED()));
    const Cookie = cookiesOf(originAnswers(came));
    expect(await world.outcome(kept(KEYED()))).toBe("pass_refused");
    originAnswers(await world.forwarded({ headers: { Cookie } }), ["Anteroom-Command", "revoke"]);
    expect(await world.outcome(kept(KEYED()))).toBe("admitted");
  });

  test("is claimed for the first time once, also where the gate's time stands still", async () => {
    await world.fill();
    const claims = vi.spyOn(world.room().meshRoom, "claimPass");
    const place = cookiesOf((await world.answered(kept(KEYED()))).headers);
    for (const asked of [{}, kept(KEYED())]) await world.answered({ ...asked, headers: { Cookie: place } });
    expect(claims.mock.calls.map(([{ isFirst }]) => isFirst)).toEqual([true, false, false]);
  });

  test("is free soon if its holder never comes back to the place; one who did keeps it", async () => {
    await world.fill();
    const goneMs = 2.5 * world.room().room.refreshIntervalSeconds * 1_000;
    await world.answered(kept(KEYED()));
    world.nowMs += goneMs - 1;
    expect(await world.outcome(kept(KEYED()))).toBe("pass_refused");
    world.nowMs += 1;
    const place = cookiesOf((await world.answered(kept(KEYED()))).headers);
    expect(world.room().counts.passes.accepted).toBe(2);
    await world.answered({ headers: { Cookie: place } });
    world.nowMs += goneMs;
    expect(await world.outcome(kept(KEYED()))).toBe("pass_refused");
  });

  test("is free for one who was turned away, or whose session could not be stored", async () => {
    world.diskIsFull = true;
    for (let time = 0; time < 2; time++) expect(await world.outcome(kept(KEYED()))).toBe("turned_away");
    world.diskIsFull = false;
    world.rooms.update("shop", { queue_max: 1 });
    await world.fill();
    await world.joinLine();
    for (let time = 0; time < 2; time++) expect(await world.outcome(kept(KEYED()))).toBe("full");
  });

  test("takes over a place that its visitor already has", async () => {
    await world.fill();
    const place = await world.joinLine();
    const answer = await world.answered(kept(KEYED(), { headers: { Cookie: place } }));
    expect(world.room().admission.waiting).toBe(1);
    expect(fieldsOf(answer.headers, "set-cookie")).toHaveLength(2);
    expect(await world.outcome(kept(KEYED()))).toBe("pass_refused");
  });
});

describe("a link with an invitation, a pass with a key", () => {
  const LINK = shown(passFor({ key: "a" }, "shop"), { headers: NAVIGATION });
  const actionIn = (page: string): string => (/action="([^"]*)"/.exec(page)?.[1] ?? "").replaceAll("&amp;", "&");
  const FORM = { ...NAVIGATION, "Content-Type": "application/x-www-form-urlencoded", Origin: "http://shop.example" };

  test("that is only opened, as by scanners and previews, uses nothing up", async () => {
    for (let times = 0; times < 5; times++) {
      const { status, body } = await world.answered(LINK);
      expect([status, body.includes("You are invited")]).toEqual([200, true]);
    }
    const { admission, counts } = world.room();
    expect([admission.inside(world.nowMs), counts.passes.accepted, counts.passes["in-use"]]).toEqual([0, 0, 0]);
  });

  test("is used by the button, in the browser that keeps its cookie", async () => {
    const page = await world.answered(LINK);
    const headers = { ...FORM, Cookie: cookiesOf(page.headers) };
    const sent = await world.answered({ method: "POST", target: actionIn(page.body), headers });
    expect([sent.status, fieldOf(sent.headers, "Location")]).toEqual([303, "/"]);
    const Cookie = cookiesOf(sent.headers);
    expect(await world.outcome({ headers: { ...NAVIGATION, Cookie } })).toBe("admitted");
    expect(await world.outcome(kept(passFor({ key: "a" }, "shop")))).toBe("pass_refused");
  });

  test("asks a browser that keeps no cookies to allow them, and uses nothing up", async () => {
    const page = await world.answered(LINK);
    const sent = await world.answered({ method: "POST", target: actionIn(page.body), headers: FORM });
    expect(sent.body).toContain("Please allow cookies");
    expect(world.room().admission.inside(world.nowMs)).toBe(0);
  });

  test("cannot be used by another site's form", async () => {
    const page = await world.answered(LINK);
    await world.fill();
    const headers = { ...FORM, Origin: "http://evil.example", Cookie: cookiesOf(page.headers) };
    const sent = await world.answered({ method: "POST", target: actionIn(page.body), headers, body: "a=1" });
    expect(fieldOf(sent.headers, "Location")).toBeUndefined();
    expect(sent.body).not.toContain("invited");
  });
});

describe("a pass with a lane", () => {
  const LANED = (lane = 1) => passFor({ lane }, "shop");
  const placeOf = async (asked: Asked): Promise<number> => (await world.told("", asked)).anteroom.position;

  beforeEach(async () => {
    world.rooms.update("shop", { lanes: { 1: 50, 2: 10 } });
    await world.fill();
    for (let visitor = 0; visitor < 30; visitor++) await world.joinLine();
  });

  test("gives no second place beyond the limit of its address; the first one is kept", async () => {
    world.rooms.update("shop", { new_places_per_address_per_minute: 40 });
    const from = "198.51.100.7";
    for (let visitor = 0; visitor < 39; visitor++) await world.joinLine({ from });
    const place = await world.joinLine({ from });
    const before = world.room().admission.waiting;
    const asked = shown(LANED(), { from, headers: { Cookie: place } });
    expect(await placeOf(asked)).toBe(70);
    expect(world.room().admission.waiting).toBe(before);
    world.nowMs += MINUTE_MS;
    expect(await placeOf(asked)).toBeLessThan(70);
  });

  test("moves a visitor who is in line already to the front, once", async () => {
    const place = await world.joinLine();
    const answer = await world.answered(shown(LANED(), { headers: { Cookie: place } }));
    const cookie = cookiesOf(answer.headers);
    expect(await placeOf({ headers: { Cookie: cookie } })).toBe(1);
    const { joined } = world.room().counts.requests;
    expect(await placeOf(shown(LANED(), { headers: { Cookie: cookie } }))).toBe(1);
    expect(world.room().counts.requests.joined).toBe(joined);
  });
});

async function fillVip(): Promise<void> {
  for (let slot = 0; slot < 2; slot++) await world.forwarded(vip(shown(passFor())));
}
