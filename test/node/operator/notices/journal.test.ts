import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { NodeId } from "../../../../mesh/core/ids.ts";
import type { Register } from "../../../../mesh/core/replica/registers.ts";
import { REGISTER_BYTES_MAX } from "../../../../mesh/core/replica/registers.ts";
import {
  EMPTY_JOURNAL,
  type Journal,
  journalIn,
  journalRegister,
  KEPT_MS,
  merged,
  NOTICES_MAX,
  noted,
  pruned,
} from "../../../../node/operator/notices/journal.ts";

const NOW = Date.parse("2026-11-22T12:00:00Z");
const reporter = (node: string) => ({ mesh: "m", node: node as NodeId, key: "notices:r", room: "shop" });

/** A journal as one node has made it: changes of few subjects, at times that may be equal. */
const journal = fc
  .array(
    fc.record({
      subject: fc.constantFrom("queueing", "order", "origin a"),
      value: fc.constantFrom("yes", "no"),
      atMs: fc.nat(5).map((seconds) => NOW + seconds * 1_000),
      node: fc.constantFrom("a", "b"),
      isSilent: fc.boolean(),
    }),
    { maxLength: 6 },
  )
  .map((changes) =>
    changes.reduce<Journal>(
      (all, { node, isSilent, ...change }) =>
        noted(all, { ...change, type: isSilent ? undefined : "room.held", data: {} }, reporter(node)),
      EMPTY_JOURNAL,
    ),
  );

describe("two journals", () => {
  test("merge to the same whatever the order, and how often", () => {
    fc.assert(
      fc.property(journal, journal, journal, (one, two, three) => {
        expect(plain(merged(one, two))).toEqual(plain(merged(two, one)));
        expect(plain(merged(merged(one, two), three))).toEqual(plain(merged(one, merged(two, three))));
        expect(plain(merged(one, one))).toEqual(plain(one));
        expect(plain(merged(merged(one, two), two))).toEqual(plain(merged(one, two)));
      }),
    );
  });

  test("that have one change have one notice of it, the earlier one", () => {
    const early = noted(EMPTY_JOURNAL, change(NOW), reporter("b"));
    const late = noted(EMPTY_JOURNAL, change(NOW + 500), reporter("a"));
    expect(merged(late, early).notices).toEqual(early.notices);
  });
});

test("a journal is in a register what it was", () => {
  fc.assert(
    fc.property(journal, (one) => {
      expect(plain(journalIn(register(one)))).toEqual(plain(merged(one, EMPTY_JOURNAL)));
    }),
  );
});

test("what cannot be read is as no journal", () => {
  for (const document of ["", "{", "null", "[]", '{"states":[],"notices":[{}]}', '{"states":[["a"]],"notices":[]}'])
    expect(journalIn({ ...register(EMPTY_JOURNAL), document })).toEqual(EMPTY_JOURNAL);
});

test("a journal forgets what is a day old, and keeps the newest notices", () => {
  let all = EMPTY_JOURNAL;
  for (let at = 0; at < NOTICES_MAX + 50; at++) all = noted(all, change(NOW + at), reporter("a"));
  const left = pruned(all, NOW + 1_000, () => false);
  expect(left.notices).toEqual(all.notices.slice(-NOTICES_MAX));
  expect(pruned(all, NOW + KEPT_MS + 1_000, () => false).notices).toEqual([]);
  expect(pruned(all, NOW + KEPT_MS + 1_000, () => false).states.size).toBe(1);
  expect(pruned(all, NOW + KEPT_MS + 1_000, () => true).states.size).toBe(0);
});

test("a journal fits into a register, however long its texts are", () => {
  let all = EMPTY_JOURNAL;
  for (let at = 0; at < 300; at++) {
    const subject = `origin http://${at % 16}.example/${"x".repeat(2_000)}`;
    const data = { reason: "é".repeat(10_000), origin: subject };
    all = pruned(noted(all, { ...change(NOW + at), subject, data }, reporter("a")), NOW, () => false);
  }
  expect(Buffer.byteLength(register(all).document ?? "")).toBeLessThan(REGISTER_BYTES_MAX);
  expect(journalIn(register(all)).notices.length).toBeGreaterThan(10);
});

test("a subject that was forgotten does not get the ids of its earlier changes", () => {
  const first = noted(EMPTY_JOURNAL, change(NOW), reporter("a"));
  const later = noted(EMPTY_JOURNAL, change(NOW + KEPT_MS), reporter("a"));
  expect(later.notices[0]?.id).not.toBe(first.notices[0]?.id);
});

function change(atMs: number) {
  return { subject: "queueing", value: "yes", type: "room.queueing_started", atMs, data: {} } as const;
}

function register(from: Journal): Register {
  return { ...journalRegister(from, NOW), stamp: { wallMs: NOW, counter: 0, node: "a" as NodeId } };
}

function plain({ states, notices }: Journal) {
  return { states: [...states].sort(([one], [other]) => (one < other ? -1 : 1)), notices };
}
