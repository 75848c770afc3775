import { beforeEach, expect, test } from "vitest";
import { cookieIn } from "../../node/gate/fake-exchange.ts";
import { GateWorld } from "../../node/gate/gate-world.ts";
import { adminWorld } from "../../node/operator/admin-world.ts";
import { startStranger } from "../admin-node.ts";

let there: ReturnType<typeof adminWorld>;
let node: ReturnType<typeof startStranger>;
/** What the audit log has of orders. */
let audited: unknown[];
/** Polls after the first call, as the visitor's page does. */
let page: () => Promise<unknown>;

beforeEach(() => {
  audited = [];
  const note = (fields: object): void => {
    if ("audit" in fields) audited.push(fields);
  };
  there = adminWorld(new GateWorld(), { note });
  page = async () => undefined;
  node = startStranger(async (request) => {
    const answer = await there.app.fetch(request);
    if (node.served.calls === 1) await page();
    return answer;
  });
});

const visitor = (...words: string[]) => node.run(["visitor", "shop", ...words]);

/** The number of a visitor who waits, whose page asks while somebody looks. */
async function waiting(): Promise<string> {
  const { world } = there;
  await world.joinLine({ headers: { Accept: "application/json" } });
  const { headers, body } = await world.answered({ headers: { Accept: "application/json" } });
  page = () => world.exchange({ headers: { Cookie: cookieIn(headers), Accept: "application/json" } });
  return JSON.parse(body).anteroom.supportId;
}

test("a visitor who waits is found, with place and wait, put at the front, and removed", async () => {
  await there.world.fill();
  const number = await waiting();
  const { exit, answer, talk } = await visitor(number.toLowerCase());
  expect([exit, talk]).toEqual([0, `Looking for ${number}: until the visitor's page asks the next time.\n`]);
  expect(answer).toMatch(
    new RegExp(
      `^${number} waits at place 2 since 2026-09-11 11:45:00 UTC, for (about .* more|a time that is not known)\\n$`,
    ),
  );
  node.served.calls = 0;
  const json = JSON.parse((await visitor(number, "--json")).answer);
  expect(json).toMatchObject({ visitor: number, state: "waiting", position: 2, done: false });
  node.served.calls = 0;
  const front = /waits at place 1 .*; put at the front, for the next free slot\n$/;
  expect(await visitor(number, "--admit")).toMatchObject({ exit: 0, answer: expect.stringMatching(front) });
  node.served.calls = 0;
  expect(await visitor(number, "--remove")).toMatchObject({
    exit: 0,
    answer: `${number} was in line, and is removed\n`,
  });
});

test("a visitor is put back to an earlier moment, and keeps a place that is better", async () => {
  await there.world.fill();
  const number = await waiting();
  there.world.nowMs += 2_000;
  expect(await visitor(number, "--put-back", "2026-09-11T11:45:01Z")).toMatchObject({
    exit: 0,
    answer: expect.stringMatching(/waits at place 2 .*; keeps this place, as that moment gives no better one\n$/),
  });
  node.served.calls = 0;
  expect(await visitor(number, "--put-back", "2026-09-11T13:40:30+02:00")).toMatchObject({
    exit: 0,
    answer: expect.stringMatching(/waits at place 1 since 2026-09-11 11:40:30 UTC, .*; put back\n$/),
  });
  expect((await visitor(number, "--put-back", "10:02", "--admit")).talk).toContain("--admit: comes with --put-back");
});

test("a visitor is blocked until a moment, and unblocked, without the page", async () => {
  await there.world.fill();
  const number = await waiting();
  const blocked = `${number} is blocked since 2026-09-11 11:45:00 UTC, until`;
  expect(await visitor(number, "--block")).toMatchObject({ exit: 0, answer: `${blocked} 2026-09-12 11:45:00 UTC\n` });
  expect((await visitor(number, "--block", "--for", "12h")).answer).toBe(`${blocked} 2026-09-11 23:45:00 UTC\n`);
  for (const words of [[], ["--admit"], ["--remove"]])
    expect((await visitor(number, ...words)).answer).toBe(`${blocked} 2026-09-11 23:45:00 UTC\n`);
  const json = JSON.parse((await visitor(number, "--json")).answer);
  expect(json).toMatchObject({ visitor: number, state: "blocked", done: false });
  const line = { audit: "visitor blocked", room: "shop", visitor: number };
  expect(audited).toMatchObject(
    ["2026-09-12T11:45:00.000Z", "2026-09-11T23:45:00.000Z"].map((until) => ({ ...line, until })),
  );
  const freed = `${number} is not blocked any more, and may join again\n`;
  expect(await visitor(number, "--unblock")).toMatchObject({ exit: 0, answer: freed });
  expect(audited.at(-1)).toMatchObject({ ...line, audit: "visitor unblocked" });
  // Also by a clock that is behind.
  expect(there.world.room().blockOf(number, there.world.nowMs - 1_000)).toBeUndefined();
  const again = await visitor(number, "--unblock");
  expect([again.exit, again.talk]).toEqual([1, expect.stringContaining("no block is in force")]);
});

test("a visitor whose page does not ask is not found", async () => {
  page = async () => {
    there.world.nowMs += 80_000;
  };
  const { exit, answer } = await visitor("4QK7-X2MD");
  expect([exit, answer]).toEqual([
    1,
    "4QK7-X2MD has not asked in room shop: the page is closed, or shows another number\n",
  ]);
});

test.each([
  ["a word", ["hello"], "is not such a number"],
  ["a room whose places are drawn", ["4QK7-X2MD", "--admit"], "its places are drawn"],
  ["a drawn place of an earlier moment", ["4QK7-X2MD", "--put-back", "2026-09-11T11:40:00Z"], "its places are drawn"],
  ["a moment in the future", ["4QK7-X2MD", "--put-back", "2026-09-11T11:45:01Z"], "is in the future"],
  ["a moment long ago", ["4QK7-X2MD", "--put-back", "2026-09-10T11:44:59Z"], "is more than 24 hours ago"],
  ["two orders", ["4QK7-X2MD", "--block", "--unblock"], "--block: comes with --unblock"],
  ["an order of two kinds", ["4QK7-X2MD", "--remove", "--admit"], "--admit: comes with --remove"],
  ["a block of four days", ["4QK7-X2MD", "--block", "--for", "4d"], "is more than 3 days ahead"],
  ["a block of no time", ["4QK7-X2MD", "--block", "--for", "long"], "write a span such as 12h or 3d"],
  ["a time for nothing", ["4QK7-X2MD", "--for", "12h"], "--for: comes without --block"],
  ["a moment that is none", ["4QK7-X2MD", "--put-back", "yesterday"], "2026-11-27T10:02:00Z"],
])("%s is refused", async (_, words, text) => {
  there.world.rooms.update("shop", { queueing_method: "random" });
  const { exit, talk } = await visitor(...words);
  expect([exit > 0, talk]).toEqual([true, expect.stringContaining(text)]);
});
