/** A visitor who waits for two things at once gets one answer: that of the first. */

import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { type AccountId, accountOf } from "../../../mesh/core/ids.ts";
import type { CheckInOutcome } from "../../../node/admission/mesh/check-ins.ts";
import { SELF } from "../peer/lone-peer.ts";
import { FakeExchange, fieldsOf, originAnswers } from "./fake-exchange.ts";
import { GateWorld, MINUTE_MS } from "./gate-world.ts";

const HOME = accountOf(SELF);
const STAYS: readonly CheckInOutcome[] = [
  { kind: "revoked" },
  { kind: "unchanged" },
  { kind: "unsure" },
  { kind: "acknowledged", home: HOME as AccountId, lastGood: 0 as never },
];

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout"] }));
afterEach(() => void vi.useRealTimers());

describe("a check-in that a home elsewhere answers", () => {
  test.each(STAYS.flatMap((stay) => [1, 99, 100, 101, 5_000].map((afterMs) => [stay.kind, afterMs, stay] as const)))(
    "%s after %i ms ends the request once",
    async (kind, afterMs, stay) => {
      const world = new GateWorld();
      const cookie = await world.comeIn();
      await world.fill();
      world.nowMs += MINUTE_MS;
      const { meshRoom, admission } = world.room();
      meshRoom.checkIn = (_, nowMs, onAnswer) => {
        const lastGood = admission.minuteAt(nowMs);
        setTimeout(
          () => onAnswer(stay.kind === "acknowledged" ? { ...stay, lastGood } : stay, nowMs + afterMs),
          afterMs,
        );
      };
      const exchange = new FakeExchange({ headers: { Cookie: cookie } });
      world.gate.handle(exchange);
      for (let ms = 0; ms < 6_000; ms += 1) vi.advanceTimersByTime(1);
      vi.useRealTimers();
      await exchange.outcome;
      await new Promise(setImmediate);
      const isOut = (kind === "revoked" || kind === "unsure") && afterMs <= 100;
      expect(exchange.outcomes.map((outcome) => outcome.kind)).toEqual([isOut ? "answer" : "forward"]);
    },
  );
});

test("the answer of a home that is far away goes to the visitor's next request of the minute", async () => {
  const world = new GateWorld();
  const cookie = await world.comeIn();
  world.nowMs += MINUTE_MS;
  const { meshRoom, admission } = world.room();
  let isKnown = false;
  meshRoom.checkIn = (_, nowMs, onAnswer) => {
    const lastGood = admission.minuteAt(nowMs);
    const answer = (): void => onAnswer({ kind: "acknowledged", home: HOME as AccountId, lastGood }, nowMs);
    if (isKnown) answer();
    else setTimeout(answer, 150);
  };
  const first = new FakeExchange({ headers: { Cookie: cookie } });
  world.gate.handle(first);
  vi.advanceTimersByTime(150);
  isKnown = true;
  vi.useRealTimers();
  const forwards = [await first.outcome, await world.forwarded({ headers: { Cookie: cookie } })];
  const cookies = forwards.map((one) =>
    one.kind === "forward" ? fieldsOf(originAnswers(one), "set-cookie").length : -1,
  );
  expect(cookies).toEqual([0, 1]);
});
