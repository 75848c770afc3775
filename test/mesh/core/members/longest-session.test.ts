import { describe, expect, test } from "vitest";
import type { NodeId, RoomId } from "../../../../mesh/core/ids.ts";
import type { Instant } from "../../../../mesh/core/instant.ts";
import { LongestSession } from "../../../../mesh/core/members/longest-session.ts";
import { Outbox } from "../../../../mesh/core/wire/outbox.ts";
import { following } from "./following.ts";

const SHOP = "shop" as RoomId;
const BAR = "bar" as RoomId;
const BERT = "bert" as NodeId;
const CORA = "cora" as NodeId;
const MINUTE_MS = 60_000;
const TIMES = { minuteMs: MINUTE_MS, leaseMs: 30_000 };
/**
 * What a node that is cut off gives last is over so long after it was cut off: lease, session and the minute it began
 * in, grace; a minute more.
 */
const TWENTY_MS = 30_000 + 22 * MINUTE_MS + 5_000;

function at(ms: number): Instant {
  return { wallMs: 1_000_000_000 + ms, steadyMs: ms };
}

function open(restored: ReadonlyMap<string, unknown> = new Map()) {
  const outbox = new Outbox();
  return { outbox, sessions: new LongestSession({ ...TIMES, restored, outbox, now: at(0) }) };
}

/** A node whose room had sessions of twenty minutes, which has made them five at 0. */
function shortened() {
  const { sessions, outbox } = open();
  sessions.allow(SHOP, 20, at(0));
  sessions.allow(SHOP, 5, at(0));
  return { sessions, outbox };
}

describe("the longest session that may be about", () => {
  test("is the longest that any room allows", () => {
    const { sessions } = open();
    expect(sessions.mayBeAbout(at(0))).toBe(0);
    sessions.allow(SHOP, 5, at(0));
    sessions.allow(BAR, 7, at(0));
    expect([sessions.allowed, sessions.mayBeAbout(at(0)), sessions.longestEarlier(at(0))]).toEqual([7, 7, 0]);
  });

  test("is the earlier one where a room made its sessions shorter, until the last of those is over", () => {
    const { sessions } = shortened();
    expect([sessions.allowed, sessions.mayBeAbout(at(0))]).toEqual([5, 20]);
    expect(sessions.mayBeAbout(at(TWENTY_MS - 1))).toBe(20);
    expect(sessions.mayBeAbout(at(TWENTY_MS))).toBe(5);
  });

  test("is that of a room that was deleted, until the last of its sessions is over", () => {
    const { sessions } = open();
    sessions.allow(SHOP, 20, at(0));
    sessions.allow(SHOP, 0, at(0));
    expect([sessions.allowed, sessions.mayBeAbout(at(0)), sessions.mayBeAbout(at(TWENTY_MS))]).toEqual([0, 20, 0]);
  });

  test("is what another member's rooms allow, and stays so after that is over", () => {
    const { sessions } = shortened();
    sessions.heard(BERT, { sessionMinutes: 12 }, at(0));
    sessions.tick(following(BERT), at(TWENTY_MS));
    expect(sessions.mayBeAbout(at(TWENTY_MS))).toBe(12);
    sessions.heard(BERT, { sessionMinutes: 5 }, at(TWENTY_MS));
    expect(sessions.mayBeAbout(at(TWENTY_MS + MINUTE_MS))).toBe(12);
    expect(sessions.mayBeAbout(at(2 * TWENTY_MS))).toBe(5);
  });

  test("ends with no silence of a member: of two nodes, one that is cut off continues as before", () => {
    const { sessions } = shortened();
    sessions.heard(BERT, { sessionMinutes: 20 }, at(0));
    for (let ms = 0; ms <= 3 * TWENTY_MS; ms += MINUTE_MS) sessions.tick(following(BERT), at(ms));
    expect(sessions.mayBeAbout(at(3 * TWENTY_MS))).toBe(20);
    sessions.tick(following(), at(3 * TWENTY_MS));
    expect(sessions.mayBeAbout(at(4 * TWENTY_MS))).toBe(5);
  });

  test("ends while no member is unheard that was there before a restart", () => {
    const first = shortened();
    const { sessions } = open(first.outbox.take().writes);
    sessions.allow(SHOP, 5, at(0));
    for (let ms = 0; ms <= TWENTY_MS; ms += MINUTE_MS) sessions.tick(following(BERT), at(ms));
    expect(sessions.mayBeAbout(at(TWENTY_MS))).toBe(20);
    sessions.heard(BERT, { sessionMinutes: 5 }, at(TWENTY_MS));
    sessions.tick(following(BERT), at(TWENTY_MS));
    expect(sessions.mayBeAbout(at(2 * TWENTY_MS))).toBe(5);
  });

  test("is known to a member that hears of it, as one that joined since", () => {
    const { sessions: newcomer } = open();
    newcomer.heard(BERT, shortened().sessions.word(at(MINUTE_MS)), at(MINUTE_MS));
    expect([newcomer.mayBeAbout(at(TWENTY_MS - 1)), newcomer.mayBeAbout(at(TWENTY_MS))]).toEqual([20, 5]);
  });

  test("is not put off by two members that tell each other of it late", () => {
    const [one, other] = [shortened().sessions, shortened().sessions];
    for (let ms = 0; ms < TWENTY_MS; ms += 2_000) {
      other.heard(CORA, one.word(at(ms)), at(ms + 30_000));
      one.heard(BERT, other.word(at(ms)), at(ms + 30_000));
    }
    expect(one.longestEarlier(at(TWENTY_MS + MINUTE_MS))).toBe(0);
  });

  test("is put off by no member for longer than it can last", () => {
    const { sessions } = open();
    sessions.heard(BERT, { earlier: [[20, Number.MAX_SAFE_INTEGER]] }, at(0));
    expect([sessions.mayBeAbout(at(TWENTY_MS - 1)), sessions.mayBeAbout(at(TWENTY_MS))]).toEqual([20, 0]);
  });

  test("is on disk, with what is left of its time", () => {
    const first = shortened();
    const { writes } = first.outbox.take();
    const again = open(writes);
    expect(again.sessions.mayBeAbout(at(TWENTY_MS - 1))).toBe(20);
    expect(again.sessions.mayBeAbout(at(TWENTY_MS))).toBe(0);
    first.sessions.tick(following(), at(600_000));
    const later = open(first.outbox.take().writes);
    expect(later.sessions.mayBeAbout(at(TWENTY_MS - 600_000 - 1))).toBe(20);
    expect(later.sessions.mayBeAbout(at(TWENTY_MS - 600_000))).toBe(0);
  });
});

describe("how long a session may last that is given here", () => {
  test("is as long as a majority knows, a minute at least", () => {
    const { sessions } = open();
    expect(sessions.most).toBe(1);
    sessions.allow(SHOP, 20, at(0));
    expect(sessions.most).toBe(1);
    sessions.agree(20, at(0));
    expect(sessions.most).toBe(20);
  });

  test("is after a restart what was agreed on last, though the room on the disk allows more", () => {
    const first = open();
    first.sessions.agree(5, at(0));
    const { sessions } = open(first.outbox.take().writes);
    sessions.allow(SHOP, 20, at(0));
    expect(sessions.most).toBe(5);
  });
});
