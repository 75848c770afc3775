import { describe, expect, test } from "vitest";
import { patchRoom, roomDocument } from "../../../node/config/room-document.ts";
import { problemsOf, roomOf, smallest } from "./documents.ts";

const A = "http://a.example";
const B = "http://b.example";

const roomWith = (fields: object) => roomOf(smallest(fields));

function wordsOf(fields: object): string[] {
  return problemsOf(smallest(fields)).map(({ path, problem, repair }) => `${path} ${problem} > ${repair}`);
}

describe("origin", () => {
  test("is one URL or a list with weights, whole or not; without one a target has weight 1", () => {
    const origin = [{ url: A, weight: 0.25 }, { url: B }, { url: "https://c.example/base", weight: 0 }];
    expect(roomWith({ origin }).origin).toEqual([
      { url: A, weight: 0.25 },
      { url: B, weight: 1 },
      { url: "https://c.example/base", weight: 0 },
    ]);
    expect(roomWith({ origin: A }).origin).toBe(A);
    expect(roomDocument(roomWith({ origin: [{ url: A }] })).origin).toEqual([{ url: A, weight: 1 }]);
  });

  test.each([
    [
      [
        { url: A, weight: 0 },
        { url: B, weight: 0 },
      ],
      /^origin has weights that sum to 0.* > give one target a weight above 0$/,
    ],
    [[{ url: A }, { url: `${A}:80/` }], /^origin\[1\]\.url is origin\[0\] too > name each target once/],
    [[{ url: A }, { url: "HTTP://A.EXAMPLE" }], /^origin\[1\]\.url is origin\[0\] too/],
    [[{ url: A, weight: -1 }], /^origin\[0\]\.weight is below 0 > write a base URL .*or a list/],
    [
      [{ url: "a.example:80" }],
      /^origin\[0\]\.url does not start with http:\/\/, https:\/\/ or unix: > write http:\/\/a\.example:80$/,
    ],
    [[{ url: A, weigth: 1 }], /^origin\[0\]\.weigth is not a known field > did you mean weight\?$/],
    [[], /^origin names no target > write at least one/],
    [Array.from({ length: 33 }, (_, index) => ({ url: `http://h${index}` })), /^origin has more than 32 entries/],
  ])("%j is refused with the reason and the repair", (origin, problem) => {
    const problems = wordsOf({ origin });
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatch(problem);
  });
});

describe("health_check", () => {
  test("has its defaults, never a timeout above the interval", () => {
    const path = "/healthz";
    expect(roomWith({ health_check: { path } }).healthCheck).toEqual({ path, intervalSeconds: 10, timeoutSeconds: 5 });
    const often = { path, interval_seconds: 2 };
    expect(roomWith({ health_check: often }).healthCheck).toEqual({ path, intervalSeconds: 2, timeoutSeconds: 2 });
  });

  test("goes with null", () => {
    const patched = patchRoom(roomWith({ health_check: { path: "/" } }), { health_check: null });
    expect(patched.ok && patched.value.healthCheck).toBeUndefined();
  });

  test.each([
    [{}, /^health_check\.path is missing/],
    [{ path: "healthz" }, /^health_check\.path is not a path to request > write a path such as \/healthz/],
    [{ path: "/", interval_seconds: 0 }, /^health_check\.interval_seconds is below 1/],
    [
      { path: "/", interval_seconds: 5, timeout_seconds: 6 },
      /^health_check\.timeout_seconds is longer than interval_seconds/,
    ],
    [{ path: "/", every: 5 }, /^health_check\.every is not a known field/],
  ])("%j is refused", (check, problem) => {
    const problems = wordsOf({ health_check: check });
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatch(problem);
  });
});

describe("rollout", () => {
  const ROLLOUT = { from: [{ url: B, weight: 1 }], started_at: "2026-09-11T11:45:00.000Z" };

  test("is read and written as it stands", () => {
    const room = roomWith({ rollout: ROLLOUT });
    expect(room.rollout).toEqual({
      from: [{ url: B, weight: 1 }],
      startedMs: Date.UTC(2026, 8, 11, 11, 45),
      state: "running",
      percent: 0,
      reason: "",
    });
    expect(roomOf(roomDocument(room))).toEqual(room);
  });

  test.each([
    [{ ...ROLLOUT, percent: 101 }, /^rollout\.percent is above 100 > write null: a change of origin starts one/],
    [{ ...ROLLOUT, started_at: "noon" }, /^rollout\.started_at is not a time such as 2026-/],
    [{ ...ROLLOUT, state: "fast" }, /^rollout\.state is not running, stopped or reversed/],
    [{ ...ROLLOUT, from: [{ url: "b.example" }] }, /^rollout\.from\[0\]\.url does not start with http/],
  ])("%j is refused", (rollout, problem) => {
    const problems = wordsOf({ rollout });
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatch(problem);
  });
});
