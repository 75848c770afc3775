import { expect, test } from "vitest";
import type { NodeId, RoomId } from "../../../../mesh/core/ids.ts";
import { LongestSession, type SessionsOf } from "../../../../mesh/core/members/longest-session.ts";
import type { View } from "../../../../mesh/core/members/view.ts";

const MINUTE_MS = 60_000;
const LEASE_MS = 30_000;
const SHOP = "shop" as RoomId;
const BERT = "bert" as NodeId;
const CORA = "cora" as NodeId;
/** After a node without a lease has given its last session of 20 minutes. */
const OVER_MS = LEASE_MS + 22 * MINUTE_MS + 5_000;

function at(ms: number) {
  return { wallMs: 1_790_000_000_000 + ms, steadyMs: ms };
}

/** A node whose rooms let sessions last `allowed` minutes, and that learns views with bert and cora at 0. */
function node(allowed: number, ...views: SessionsOf[]) {
  const sessions = new LongestSession({ minuteMs: MINUTE_MS, leaseMs: LEASE_MS });
  let number = 1;
  const learn = (said: SessionsOf, { atMs = 0, others = [BERT, CORA] } = {}): void =>
    sessions.learned({ number: number++, ...said } as View, others, at(atMs));
  /** All answer at `ms`, and time passes from then on. */
  const hear = (ms: number, ...nodes: readonly NodeId[]): void => {
    for (const each of nodes) sessions.answered(each, at(ms));
    sessions.tick(at(ms));
  };
  sessions.allow(SHOP, allowed);
  for (const said of views) learn(said);
  return { sessions, learn, hear };
}

test("a longer duration is for the next view at once, and counts with it", () => {
  const { sessions, learn } = node(20, { sessionMinutes: 5 });
  expect([sessions.most, sessions.longest, sessions.next(at(0))]).toEqual([5, 5, { sessionMinutes: 20 }]);
  learn({ sessionMinutes: 20 });
  expect([sessions.most, sessions.longest, sessions.next(at(0))]).toEqual([20, 20, undefined]);
});

test("all rooms count together, and one that was deleted does not", () => {
  const { sessions } = node(5, { sessionMinutes: 5 });
  sessions.allow("fair" as RoomId, 20);
  expect(sessions.next(at(0))).toEqual({ sessionMinutes: 20 });
  sessions.allow("fair" as RoomId, 0);
  expect(sessions.next(at(0))).toBeUndefined();
});

test("where no view says anything, a session lasts a minute", () => {
  expect([node(0).sessions.most, node(0, {}).sessions.most, node(0, {}).sessions.next(at(0))]).toEqual([
    1,
    1,
    undefined,
  ]);
});

test("a shorter one comes when nothing longer has been allowed for as long as a session can last, and keeps the longer", () => {
  const { sessions, hear } = node(20, { sessionMinutes: 20 });
  hear(0, BERT, CORA);
  sessions.allow(SHOP, 5);
  hear(1_000);
  expect(sessions.next(at(1_000 + OVER_MS - 1))).toBeUndefined();
  expect(sessions.next(at(1_000 + OVER_MS))).toEqual({ sessionMinutes: 5, earlierMinutes: 20 });
});

test("the longer one goes when all who knew it have answered, and the last of its sessions is over", () => {
  const { sessions, hear } = node(5, { sessionMinutes: 20 }, { sessionMinutes: 5, earlierMinutes: 20 });
  expect([sessions.most, sessions.longest]).toEqual([5, 20]);
  hear(0, BERT);
  hear(OVER_MS, CORA);
  expect(sessions.next(at(2 * OVER_MS - 1))).toBeUndefined();
  hear(2 * OVER_MS);
  expect(sessions.next(at(2 * OVER_MS))).toEqual({ sessionMinutes: 5 });
});

test("of those that know nothing else nobody waits, nor of members that are gone", () => {
  const said = { sessionMinutes: 5, earlierMinutes: 20 };
  const { sessions, learn, hear } = node(5, said);
  hear(0, BERT);
  learn(said, { others: [BERT, "dora" as NodeId] });
  hear(0);
  hear(OVER_MS);
  expect(sessions.next(at(OVER_MS))).toEqual({ sessionMinutes: 5 });
});

test("the time begins again with a view that this node has missed, as sessions may have been longer in it", () => {
  const said = { sessionMinutes: 5, earlierMinutes: 20 };
  const { sessions, hear } = node(5, said);
  hear(0, BERT, CORA);
  sessions.learned({ number: 3, ...said } as View, [BERT, CORA], at(OVER_MS));
  hear(OVER_MS, BERT, CORA);
  expect(sessions.next(at(2 * OVER_MS - 1))).toBeUndefined();
  expect(sessions.next(at(2 * OVER_MS))).toEqual({ sessionMinutes: 5 });
});

test("a longer one meanwhile keeps what is still longer", () => {
  const { sessions } = node(10, { sessionMinutes: 5, earlierMinutes: 20 });
  expect(sessions.next(at(0))).toEqual({ sessionMinutes: 10, earlierMinutes: 20 });
});

test("all sessions are over after a lease, the longest of them, and two minutes and the grace", () => {
  expect(node(5, { sessionMinutes: 5, earlierMinutes: 20 }).sessions.overMinutes).toBe(23);
});
