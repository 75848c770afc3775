import { describe, expect, test } from "vitest";
import { Judge, type JudgeOptions } from "../../../cmd/chaos/judge.ts";
import { sharesTold } from "../../../cmd/chaos/shares.ts";
import { checksOf } from "../../../cmd/chaos/verdict.ts";
import type { AccountId, Minute } from "../../../mesh/core/ids.ts";
import type { NodeStatus, ShareStatus } from "../../../node/operator/status/status.ts";

const OPTIONS: JudgeOptions = {
  ...{ limit: 2, perMinute: 2, minuteMs: 1_000, sessionMinutes: 2, refreshMs: 1_000 },
};

const END = { hasRemoved: false, togetherMs: 100, sameMs: 100, shares: { active: 2, arrivals: 2, accounts: 2 } };

const share = (account: string, slots: number, state: ShareStatus["state"] = "own"): ShareStatus => ({
  ...{ account, node: account, active_slots: slots, arrivals_slots: slots },
  ...{ state, idle_until_ms: null },
});

/** As much of a status as is looked at. */
const status = (...shares: readonly ShareStatus[]) => ({ rooms: [{ shares }] }) as unknown as NodeStatus;

function judge(options: Partial<JudgeOptions> = {}) {
  const made = new Judge({ ...OPTIONS, ...options });
  made.beganMs = 10_000;
  let visitors = 0;
  return {
    made,
    letIn: (atMs: number, home = "a") => {
      const lastGood = (Math.floor(atMs / 1_000) + 2) as Minute;
      const id = `id-${++visitors}`;
      made.served(id, { id, home: home as AccountId, acceptedAt: atMs, lastGood }, atMs);
    },
    failed: () =>
      checksOf(made)
        .filter(({ ok }) => !ok)
        .map(({ name }) => name),
    value: (name: string) => checksOf(made).find((check) => check.name.includes(name))?.value,
  };
}

/** A mesh that is whole, so that only the rest is judged. */
function whole(options: Partial<JudgeOptions> = {}) {
  const judged = judge(options);
  judged.made.mesh = END;
  return judged;
}

const place = (visitor: string, key: number) => ({
  ...{ visitor, position: key, locality: "sjc", key },
  ...{ askedMs: 0, intervalMs: 1_000 },
});

describe("the verdict", () => {
  test("is good for a run within all limits", () => {
    const { letIn, failed } = whole();
    letIn(10_000);
    letIn(10_100);
    letIn(13_000);
    expect(failed()).toEqual([]);
  });

  test("reports one visitor too many, and when", () => {
    const { made, letIn, failed } = whole();
    letIn(10_000);
    letIn(11_100);
    letIn(12_200);
    expect(failed()).toEqual(["most inside at once"]);
    expect(checksOf(made)[0]).toMatchObject({ value: 3, limit: 2, note: "at 0:02" });
  });

  test("reports one arrival too many", () => {
    const { letIn, failed } = whole({ limit: 9 });
    for (const atMs of [10_000, 10_300, 10_600]) letIn(atMs);
    expect(failed()).toEqual(["most let in a minute", "slots missing in all shares, at the end"]);
  });

  test.each(["refused", "ranOut"] as const)("reports lost sessions: %s", (how) => {
    const { made, failed } = whole();
    made.thrownOut[how] += 1;
    expect(failed()).toEqual(["sessions lost before their end"]);
  });

  test("reports answers of the origin to a visitor without a session", () => {
    const { made, failed } = whole();
    made.strays += 1;
    expect(failed()).toEqual(["answers of the origin to visitors without a session"]);
  });

  test("reports positions that go back too often", () => {
    const { made, failed } = whole();
    made.lines.calm(true);
    for (let at = 0; at < 99; at++) made.waits({ ...place("one", 1), position: 5 }, 11_000);
    made.waits({ ...place("one", 1), position: 7 }, 11_000);
    expect(failed()).toEqual([]);
    for (let at = 0; at < 15; at++) made.waits({ ...place("one", 1), position: 8 + at }, 11_000);
    expect(failed()).toEqual(["answers without a fault with a position further back"]);
  });

  test("reports a visitor who still waits while later ones are admitted", () => {
    const { made, letIn, failed } = whole({ limit: 9, perMinute: 9 });
    made.mesh = { ...END, shares: { active: 9, arrivals: 9, accounts: 2 } };
    made.lines.calm(true);
    made.waits(place("old", 1), 9_000);
    made.waits(place("id-1", 2), 9_000);
    letIn(10_000);
    made.waits({ ...place("old", 1), askedMs: 13_000 }, 13_000);
    expect(failed()).toEqual([]);
    made.waits({ ...place("old", 1), askedMs: 14_000 }, 14_000);
    expect(failed()).toEqual(["longest wait after being overtaken"]);
  });

  test("reports a long handover, from answers to visitors without a session", () => {
    const { made, failed } = whole();
    made.handovers.killed("sjc", 12_000);
    const slow = { locality: "sjc", askedMs: 12_300, ms: 1_900 };
    made.answered(slow, true);
    expect(failed()).toEqual([]);
    made.answered(slow, false);
    expect(failed()).toEqual(["from kill -9 of a ticket counter until its gates answer at once"]);
  });

  test("gives a mesh more time when its last fault had a node removed", () => {
    const { made, failed } = whole();
    made.mesh = { ...END, togetherMs: 8_000 };
    expect(failed()).toEqual(["from the last fault until all nodes are one view"]);
    made.mesh = { ...END, togetherMs: 8_000, hasRemoved: true };
    expect(failed()).toEqual([]);
  });

  test("reports a mesh that did not come together, and slots that were made or lost", () => {
    const { made, failed } = whole();
    made.mesh = { ...END, togetherMs: 15_000, sameMs: 15_000, shares: undefined };
    expect(failed()).toEqual([
      "from the last fault until all nodes are one view",
      "from the last visitor until all nodes report the same shares",
    ]);
    made.mesh = { ...END, shares: { active: 3, arrivals: 2, accounts: 2 } };
    expect(failed()).toEqual(["slots in all shares beyond a limit, at the end"]);
    made.mesh = { ...END, shares: { active: 1, arrivals: 0, accounts: 1 } };
    expect(failed()).toEqual(["slots missing in all shares, at the end"]);
  });

  test("says nothing of the mesh of a run that was ended before its time", () => {
    expect(checksOf(judge().made).some(({ promise }) => promise === "mesh")).toBe(false);
  });
});

describe("a free slot that goes unused", () => {
  /** The longest idle time when these nodes are looked at for two seconds while one visitor waits. */
  function idle(fit: readonly NodeStatus[], before: (judged: ReturnType<typeof judge>) => void = () => undefined) {
    const judged = judge();
    before(judged);
    judged.made.waits(place("waiting", 1), 11_000);
    for (const atMs of [12_000, 13_000, 14_000]) judged.made.look(fit, atMs);
    return judged.value("free slot");
  }

  test("counts while visitors wait", () => {
    expect(idle([status(share("a", 1))])).toBe(2);
  });

  test("does not count in others' shares, in idle ones, or where no node is fit", () => {
    expect(idle([status(share("b", 1, "member"), share("c", 1, "pot"))])).toBe(0);
    expect(idle([])).toBe(0);
  });

  test("is none while a session holds it", () => {
    expect(idle([status(share("a", 1))], ({ letIn }) => letIn(11_900))).toBe(0);
    expect(idle([status(share("a", 1))], ({ letIn }) => letIn(11_900, "b"))).toBe(2);
  });

  test("may be held by a visitor whose answer was lost", () => {
    expect(idle([status(share("a", 1))], ({ made }) => made.lost("unlucky", 11_900))).toBe(0);
  });
});

test("nodes tell the same of shares, or not yet", () => {
  const one = status(share("a", 1), share("b", 2, "member"));
  const other = status(share("b", 2), share("a", 1, "member"));
  expect(sharesTold([one, other])).toEqual({ active: 3, arrivals: 3, accounts: 2 });
  expect(sharesTold([one, status(share("a", 1), share("b", 1))])).toBeUndefined();
});

test("an heir reports its pot separately, and rounds each part down", () => {
  const pot = { ...share("gone", 1, "pot"), node: "a" };
  const whole = status(share("b", 2), share("a", 3, "member"));
  expect(sharesTold([status(share("a", 1), pot, share("b", 2, "member")), whole])).toMatchObject({ active: 4 });
  expect(sharesTold([status(share("a", 1), share("b", 2, "member")), whole])).toBeUndefined();
});
