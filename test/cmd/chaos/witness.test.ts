import { expect, test } from "vitest";
import { Judge } from "../../../cmd/chaos/judge.ts";
import { ANSWERED_AT } from "../../../cmd/chaos/origin.ts";
import { ChaosWitness } from "../../../cmd/chaos/witness.ts";
import { Browser, type Got } from "../../../cmd/crowd/browser.ts";
import { SYSTEM_CLOCK } from "../../../cmd/crowd/clock.ts";
import { pageSeen } from "../../../cmd/crowd/seen.ts";

const GATE = { gate: "http://one", locality: "sjc", isReady: true };
const IN: Got = {
  ...{ kind: "answer", status: 200, headers: [ANSWERED_AT, "1000"], body: Buffer.from("in") },
  ...{ gate: GATE, askedMs: 900, ms: 100 },
};
const BUSY: Got = { ...IN, status: 503, headers: [] };

/** What the judge has when a visitor without a cookie has seen `got`. */
function judged(got: Got | undefined) {
  const judge = new Judge({ limit: 2, perMinute: 2, minuteMs: 1_000, sessionMinutes: 2, refreshMs: 1_000 });
  const witness = new ChaosWitness({ judge, open: () => undefined, minuteMs: 1_000 }, "one");
  const client = { get: async () => ({ kind: "ended" }) as const, end: () => {} };
  const browser = new Browser({
    ...{ gates: [GATE], triesMax: 1, client, clock: SYSTEM_CLOCK, random: () => 0 },
    signal: new AbortController().signal,
  });
  const seen = got === undefined ? ({ kind: "error", what: "reset", retryAfterSeconds: 0 } as const) : pageSeen(got);
  witness.sees(seen, { isPoll: false, ms: 100, got, browser });
  return { unanswered: judge.unanswered, answers: judge.answersMs.length, strays: judge.strays };
}

test("an answer counts with its time, and one of the origin without a session is a stray", () => {
  expect(judged(IN)).toEqual({ unanswered: 0, answers: 1, strays: 1 });
});

test("gates that fail to the last try, or are busy to the last, have not answered", () => {
  expect(judged(undefined)).toEqual({ unanswered: 1, answers: 0, strays: 0 });
  expect(judged(BUSY)).toEqual({ unanswered: 1, answers: 0, strays: 0 });
});
