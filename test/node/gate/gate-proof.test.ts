/** Proof of work at the gate: who owes one, what happens until it comes, and what is counted. */

import { describe, expect, test } from "vitest";
import { fieldOf } from "./fake-exchange.ts";
import { GateWorld, SHOP } from "./gate-world.ts";
import { type Challenge, proofOf } from "./page-solver.ts";

const JSON_ACCEPT = { Accept: "application/json" };
const HARD = { ...SHOP, proof_of_work_mode: "always", proof_of_work_action: "infinite_queue" };
const LOGGED = { ...HARD, proof_of_work_action: "log" };
const FULL = { queue_all: true };

interface Waiting {
  readonly cookie: string;
  readonly challenge: Challenge;
  readonly position: number;
  readonly infiniteQueue: boolean;
  readonly proofRefused: string | undefined;
}

/** What a visitor in line is told, who may have a proof. */
async function asks(world: GateWorld, cookie = "", proof?: string): Promise<Waiting> {
  const { cookie: next, cfWaitingRoom, anteroom } = await world.told(cookie, proving(proof));
  const { challenge, position, proofRefused } = anteroom;
  return { cookie: next, challenge, position, proofRefused, infiniteQueue: cfWaitingRoom.infiniteQueue };
}

const proving = (proof?: string) => ({ headers: { ...(proof !== undefined && { "Anteroom-Proof": proof }) } });

function asking(cookie: string, proof?: string): { readonly headers: Record<string, string> } {
  return { headers: { ...JSON_ACCEPT, Cookie: cookie, ...proving(proof).headers } };
}

describe("a room without proof of work", () => {
  test("asks nobody for anything", async () => {
    const world = new GateWorld({ rooms: [{ ...SHOP, ...FULL }] });
    for (let index = 0; index < 200; index++) await world.answered({ headers: JSON_ACCEPT });
    const { body } = await world.answered({ headers: JSON_ACCEPT });
    expect(body).not.toMatch(/challenge|"infiniteQueue":true/);
    expect(world.room().counts.proofs).toEqual({ given: 0, solved: 0, failed: 0, unsolved: 0 });
  });
});

describe("infinite_queue", () => {
  test("keeps a visitor out for as long as there is no proof, though slots are free", async () => {
    const world = new GateWorld({ rooms: [HARD] });
    let { cookie } = await asks(world);
    for (let minute = 0; minute < 60; minute++) {
      world.nowMs += 60_000;
      const again = await asks(world, cookie);
      expect(again).toMatchObject({ infiniteQueue: true, position: 0 });
      cookie = again.cookie;
    }
    const { admission, counts } = world.room();
    expect(admission.inside(world.nowMs)).toBe(0);
    expect(counts.proofs).toMatchObject({ given: 1, solved: 0, failed: 0 });
  });

  test("lets the visitor in with the proof, and asks no second time", async () => {
    const world = new GateWorld({ rooms: [HARD] });
    const { cookie, challenge } = await asks(world);
    const { plan } = await world.forwarded(asking(cookie, proofOf(challenge)));
    expect(JSON.stringify(plan.headers)).not.toMatch(/anteroom-proof/i);
    expect(world.room().counts.proofs).toEqual({ given: 1, solved: 1, failed: 0, unsolved: 0 });
  });

  test("gives the place of the time of joining to one who solves late", async () => {
    const world = new GateWorld({ rooms: [{ ...HARD, ...FULL }] });
    const anna = await asks(world);
    world.nowMs += 1_000;
    const bob = await asks(world);
    const bobIn = await asks(world, bob.cookie, proofOf(bob.challenge));
    expect(bobIn).toMatchObject({ position: 1, infiniteQueue: false, challenge: undefined });
    world.nowMs += 5_000;
    const annaIn = await asks(world, anna.cookie, proofOf(anna.challenge));
    expect(annaIn).toMatchObject({ position: 1, infiniteQueue: false, challenge: undefined });
    // The new cookie says that nothing is owed.
    expect(await asks(world, annaIn.cookie)).toMatchObject({ position: 1, challenge: undefined });
  });

  test("refuses one visitor's proof for another, says why, and gives a new challenge", async () => {
    const world = new GateWorld({ rooms: [HARD] });
    const [anna, bob] = [await asks(world), await asks(world)];
    const refused = await asks(world, bob.cookie, proofOf(anna.challenge));
    expect(refused).toMatchObject({ infiniteQueue: true, proofRefused: "foreign" });
    expect(refused.challenge).toBeDefined();
    expect(world.room().counts.proofs).toMatchObject({ solved: 0, failed: 1 });
    expect((await asks(world, bob.cookie, "junk")).proofRefused).toBe("malformed");
    await world.forwarded(asking(bob.cookie, proofOf(bob.challenge)));
  });

  test("counts a visitor once whose proof is sent again and again", async () => {
    const world = new GateWorld({ rooms: [{ ...HARD, ...FULL }] });
    const { cookie, challenge } = await asks(world);
    const proof = proofOf(challenge);
    const inside = world.room().admission.admittedInMinute(world.nowMs);
    for (let time = 0; time < 20; time++) await world.answered(asking(cookie, proof));
    const { id, admission } = world.room();
    expect(world.peer.roomNode.counted(id, "seen", admission.minuteAt(world.nowMs))).toBe(inside + 1);
    expect(world.room().admission.waiting).toBe(1);
  });

  test("a proof without a cookie is worth nothing", async () => {
    const world = new GateWorld({ rooms: [HARD] });
    const { challenge } = await asks(world);
    expect(await asks(world, "", proofOf(challenge))).toMatchObject({ infiniteQueue: true, position: 0 });
  });

  test("asks nobody where the room neither lets in by slots nor keeps a line", async () => {
    const open = new GateWorld({ rooms: [{ ...HARD, queueing_method: "passthrough" }] });
    await open.forwarded({ headers: JSON_ACCEPT });
    const closed = new GateWorld({ rooms: [{ ...HARD, queueing_method: "reject" }] });
    expect((await closed.answered({ headers: JSON_ACCEPT })).body).not.toMatch(/challenge/);
  });
});

describe("visitors who join and never ask again", () => {
  /** Twenty-five a second, of one network, before a room of a hundred free slots that held its visitors until now. */
  const BIG = {
    ...HARD,
    total_active_users: 100,
    new_users_per_minute: 1_000,
    refresh_interval_seconds: 5,
    proof_of_work_mode: "auto",
  };

  async function bots(world: GateWorld, seconds: number, addressOf: (index: number) => string): Promise<void> {
    for (let index = 0; index < 25 * seconds; index++) {
      world.nowMs += 40;
      await world.exchange({ headers: JSON_ACCEPT, from: addressOf(index) });
      world.room().meshRoom.tick(world.nowMs);
    }
  }

  test("keep no free slot from those who are there", async () => {
    const world = new GateWorld({ rooms: [{ ...BIG, ...FULL }] });
    const ofOneNetwork = (index: number): string => `198.51.100.${index % 250}`;
    await bots(world, 20, ofOneNetwork);
    expect(world.rooms.update("shop", { queue_all: false }).ok).toBe(true);
    await bots(world, 20, ofOneNetwork);
    const { admission, counts } = world.room();
    expect({ waiting: admission.waiting, inside: admission.inside(world.nowMs) }).toEqual({ waiting: 0, inside: 0 });
    expect(counts.proofs.given).toBeGreaterThan(900);
    // Of another, quiet network: no work, no wait.
    await world.forwarded({ headers: JSON_ACCEPT, from: "203.0.113.7" });
  });
});

describe("log", () => {
  test("only counts: a visitor is admitted without the proof", async () => {
    const world = new GateWorld({ rooms: [LOGGED] });
    await world.forwarded({ headers: JSON_ACCEPT });
    expect(world.room().counts.proofs).toEqual({ given: 1, solved: 0, failed: 0, unsolved: 1 });
  });

  test("gives the challenge beside the place, and takes the proof", async () => {
    const world = new GateWorld({ rooms: [{ ...LOGGED, ...FULL }] });
    const { cookie, challenge, ...first } = await asks(world);
    expect(first).toMatchObject({ position: 1, infiniteQueue: false });
    const proved = await asks(world, cookie, proofOf(challenge));
    expect(proved).toMatchObject({ position: 1, challenge: undefined });
    expect(world.rooms.update("shop", { queue_all: false }).ok).toBe(true);
    await world.forwarded(asking(proved.cookie));
    expect(world.room().counts.proofs).toEqual({ given: 1, solved: 1, failed: 0, unsolved: 0 });
  });
});

describe("the page", () => {
  const HTML = { headers: { Accept: "text/html" } };

  test("has challenge and worker where a proof is owed, and a word to those without JavaScript", async () => {
    const world = new GateWorld({ rooms: [{ ...HARD, custom_page_html: "<p>{{position}}</p>" }] });
    const { body, headers } = await world.answered(HTML);
    expect(body).toMatch(/<script id="solver" type="text\/plain" data-challenge="\{&quot;parameters&quot;:/);
    expect(body).toMatch(/<noscript class="needed"><p>[^<]*JavaScript/);
    expect(body).toMatch(/data-state="proving"/);
    expect(fieldOf(headers, "content-security-policy")).toMatch(/; worker-src blob:$/);
  });

  test("of the room's own computes while the room only counts, if it has the script", async () => {
    const page = (html: string): GateWorld =>
      new GateWorld({ rooms: [{ ...LOGGED, ...FULL, custom_page_html: html }] });
    const withScript = await page("<p>{{position}}</p>{{{anteroomScript}}}").answered(HTML);
    expect(withScript.body).toMatch(/^<p>1<\/p>.*id="solver" type="text\/plain" data-challenge="\{/s);
    expect((await page("<p>{{position}}</p>").answered(HTML)).body).toBe("<p>1</p>");
  });
});
