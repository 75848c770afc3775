/** Steps of a request that few requests take: what the disk or the seal refuses, and what comes after the deadline. */

import { describe, expect, test } from "vitest";
import { accountOf, type Minute } from "../../../mesh/core/ids.ts";
import type { InsideCookie } from "../../../node/cookie/seal.ts";
import { afterCheckIn, afterDeadline, afterSeal } from "../../../node/gate/request-step.ts";
import type { LetIn, Step, Visit, Wait } from "../../../node/gate/steps.ts";
import { SELF } from "../peer/lone-peer.ts";

const HOME = accountOf(SELF);
const COOKIE: InsideCookie = {
  kind: "inside",
  room: "shop" as never,
  id: "anna",
  home: HOME,
  bucketId: 0,
  lastCheckInTime: 0,
  acceptedAt: 0,
  lastGood: 1 as Minute,
};
const SESSION = { target: undefined, cookie: COOKIE, lastGood: COOKIE.lastGood };
const RENEWED: LetIn = { kind: "let in", outcome: "inside", session: SESSION };
const ADMITTED: LetIn = { kind: "let in", outcome: "admitted", session: SESSION };
const JOINED: Wait = { kind: "wait", outcome: "joined", decision: { kind: "full" } };

test("an answer about an older cookie of the session shortens no newer one", () => {
  const earlier = { kind: "acknowledged", home: HOME, lastGood: 0 as Minute } as const;
  expect(afterCheckIn({} as Visit, { kind: "check in", cookie: COOKIE, end: RENEWED }, earlier)).toEqual(RENEWED);
});

describe("a seal that fails", () => {
  test.each([
    ["a new visitor", ADMITTED, "turn away"],
    ["a visitor in line", JOINED, "turn away"],
    ["a visitor inside", RENEWED, "let in"],
  ] as const)("%s", (_, end, kind) => {
    expect(afterSeal({ kind: "seal", cookie: COOKIE, end }, undefined).kind).toBe(kind);
    expect(afterSeal({ kind: "seal", cookie: COOKIE, end }, "a=b")).toMatchObject({ ...end, setCookie: "a=b" });
  });
});

describe("at the deadline of its check-in a request", () => {
  const waiting: readonly Step[] = [
    { kind: "check in", cookie: COOKIE, end: RENEWED },
    { kind: "commit", cookie: COOKIE, end: RENEWED, isNew: false },
    { kind: "seal", cookie: COOKIE, end: RENEWED },
  ];
  test.each(waiting.map((step) => [step.kind, step] as const))("goes on if it waits to %s", (_, step) => {
    expect(afterDeadline(step)).toEqual(RENEWED);
  });

  const others: readonly Step[] = [
    RENEWED,
    JOINED,
    { kind: "arrive", visitor: { id: "anna", work: 0 } },
    { kind: "commit", cookie: COOKIE, end: ADMITTED, isNew: true },
    { kind: "seal", cookie: COOKIE, end: ADMITTED },
    { kind: "seal", cookie: COOKIE, end: JOINED },
  ];
  test.each(others.map((step) => [step.kind, step] as const))("stays as it is at the step %s", (_, step) => {
    expect(afterDeadline(step)).toBeUndefined();
  });
});
