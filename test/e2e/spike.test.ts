/**
 * A spike at one gate: its limits hold as the origin counts, and its line is called in the order of arrival.
 *
 * Nothing here depends on how fast the machine is. Places do not lapse, because the refresh interval is long; and the
 * origin counts a visitor only for as long as the session surely lasts.
 */

import { describe, expect, test } from "vitest";
import { GRACE_MS } from "../../mesh/core/minute.ts";
import { Origin, TestNode, until } from "./process.ts";
import { Visitor } from "./visitor.ts";

const LIMIT = 3;
const ROOM = {
  name: "shop",
  host: "*",
  total_active_users: LIMIT,
  new_users_per_minute: 1_000,
  session_duration: 30,
  refresh_interval_seconds: 600,
  json_response_enabled: true,
  enabled_origin_commands: ["revoke"],
};

/** Slots come free when the minute of the sign-out is over, so this test waits for some minutes. */
const MINUTE_MS = 4_000;

/** The visitors inside, as an origin counts them: to the end of what they got, unless they signed out. */
class Heads {
  readonly #insideUntilMs = new Map<string, number>();
  readonly calledIn: string[] = [];
  peak = 0;

  seen(visitor: string, askedMs: number): void {
    if (!this.calledIn.includes(visitor)) this.calledIn.push(visitor);
    // The gate let the visitor in after the request was sent, so the session lasts at least as long as this.
    const minute = Math.floor(askedMs / MINUTE_MS);
    this.#insideUntilMs.set(visitor, (minute + ROOM.session_duration + 1) * MINUTE_MS);
    const inside = [...this.#insideUntilMs.values()].filter((untilMs) => untilMs > Date.now());
    this.peak = Math.max(this.peak, inside.length);
  }

  signedOut(visitor: string): void {
    this.#insideUntilMs.delete(visitor);
  }
}

describe("a spike", () => {
  test.concurrent("lets in no more than the limit at once, and the others in the order of arrival as those inside sign out", async () => {
    const heads = new Heads();
    const origin = await Origin.start(({ url, headers }, response) => {
      const visitor = String(headers["x-visitor"]);
      if (url === "/leave") {
        heads.signedOut(visitor);
        response.setHeader("Anteroom-Command", "revoke");
      } else heads.seen(visitor, Number(headers["x-asked-ms"]));
      response.end("welcome");
    });
    const node = await TestNode.start({ origin: origin.url, rooms: [ROOM], minuteMs: MINUTE_MS });
    const visitors = Array.from({ length: 4 * LIMIT }, (_, at) => new Visitor(node.gate, String(at)));
    const isIn = async (visitor: Visitor): Promise<boolean> =>
      (await visitor.get("/", { "x-asked-ms": String(Date.now()) })).text === "welcome";

    const answers = await Promise.all(visitors.map(async (visitor) => ({ visitor, isIn: await isIn(visitor) })));
    let inside = answers.filter((each) => each.isIn).map(({ visitor }) => visitor);
    expect(inside).toHaveLength(LIMIT);
    const waiting = answers.filter((each) => !each.isIn).map(({ visitor }) => visitor);
    waiting.sort((one, other) => (one.positions[0] ?? 0) - (other.positions[0] ?? 0));
    expect(waiting.map(({ positions }) => positions)).toEqual(waiting.map((_, at) => [at + 1]));
    const arrived = waiting.map(({ name }) => name);

    while (inside.length > 0) {
      for (const visitor of inside) await visitor.get("/leave");
      inside = [];
      if (waiting.length === 0) break;
      await until(async () => {
        // The last in line asks first: it must not gain by that.
        for (const visitor of waiting.toReversed()) if (await isIn(visitor)) inside.push(visitor);
        for (const visitor of inside) waiting.splice(waiting.indexOf(visitor), 1);
        return inside.length > 0;
      });
    }

    expect(heads.peak).toBeLessThanOrEqual(LIMIT);
    const called = heads.calledIn.slice(LIMIT);
    expect(called.toSorted()).toEqual(arrived.toSorted());
    // Whom several free slots call may come in any order, so fewer than the limit can pass an older visitor.
    const places = called.map((name) => arrived.indexOf(name));
    const overtaken = places.map((place, at) => places.slice(at + 1).filter((later) => later < place).length);
    expect(Math.max(...overtaken)).toBeLessThan(LIMIT);
    for (const { positions } of visitors) expect(positions).toEqual(positions.toSorted((one, other) => other - one));
  });

  test.concurrent("lets in no more than the limit of each minute", async () => {
    const [limit, minuteMs] = [5, 60_000];
    const origin = await Origin.start();
    const room = { ...ROOM, total_active_users: 1_000, new_users_per_minute: limit };
    const node = await TestNode.start({ origin: origin.url, rooms: [room], minuteMs });
    const startMs = Date.now();
    const visitors = Array.from({ length: 4 * limit }, (_, at) => new Visitor(node.gate, String(at)));
    await Promise.all(visitors.map((visitor) => visitor.get()));
    const endMs = Date.now();
    // One minute as a rule. The slots of a minute come a grace after its start.
    const begun = (afterMs: number): number =>
      Math.floor((endMs - afterMs) / minuteMs) - Math.floor((startMs - afterMs) / minuteMs) + 1;
    expect(origin.requests.length).toBeGreaterThanOrEqual(limit);
    expect(origin.requests.length).toBeLessThanOrEqual(limit * Math.max(begun(0), begun(GRACE_MS)));
  });
});
