import { expect, test } from "vitest";
import type { NodeId } from "../../../mesh/core/ids.ts";
import type { Members } from "../../../mesh/core/members/members.ts";
import type { Replica } from "../../../mesh/core/replica/replica.ts";
import { Outbox } from "../../../mesh/core/wire/outbox.ts";
import { PowerLoss } from "../../../node/peer/power-loss.ts";

const TIMES = { leaseMs: 30_000 };
const [anna, bert, cora] = ["anna", "bert", "cora"] as NodeId[];
/** A disk on which commits were made in another boot. */
const OTHER_BOOT = new Map<string, unknown>([["boot", "b1"]]);

function open(restored: ReadonlyMap<string, unknown>, { bootId = "b2", nodes = [anna, bert, cora] } = {}) {
  const members = new Set(nodes);
  const outbox = new Outbox();
  let [nowMs, holds] = [0, 0];
  const loss = new PowerLoss({
    ...TIMES,
    self: anna as NodeId,
    restored,
    bootId,
    outbox,
    now: { wallMs: 0, steadyMs: 0 },
    members: {
      view: nodes.length === 0 ? undefined : { members: nodes.map((node) => ({ node })) },
      isMember: (node: NodeId) => members.has(node),
    } as unknown as Members,
    replica: { relearn: () => {} } as unknown as Replica,
    holdAll: () => {
      holds += 1;
    },
    wantsGifts: () => false,
    hasGiftsTo: () => {},
    outdated: () => {},
  });
  const pass = (ms: number) => {
    nowMs += ms;
    loss.tick({ wallMs: nowMs, steadyMs: nowMs }, true);
    const { sent, writes } = outbox.take();
    return { asked: sent.map(({ to }) => to), writes };
  };
  const tell = (node: NodeId | undefined) => node && loss.hear(node, { kind: "gifts", rows: [] });
  return { loss, outbox, members, pass, tell, holds: () => holds };
}

test.each([
  { what: "a new disk", restored: new Map(), isOpen: false },
  { what: "a disk of this boot", restored: new Map([["boot", "b2"]]), isOpen: false },
  { what: "a disk of another boot", restored: OTHER_BOOT, isOpen: true },
])("$what: commits may be lost: $isOpen", ({ restored, isOpen }) => {
  expect(open(restored).loss.isOpen).toBe(isOpen);
});

test("a node that was no member has lost nothing", () => {
  expect(open(OTHER_BOOT, { nodes: [] }).loss.isOpen).toBe(false);
});

test("the boot is forced to the disk at the start, and an ordered end takes it away", () => {
  const { loss, outbox } = open(new Map());
  const start = outbox.take();
  expect([start.isVote, start.writes.get("boot")]).toEqual([true, "b2"]);
  loss.end();
  const { isVote, writes } = outbox.take();
  expect([isVote, writes.has("boot"), writes.get("boot")]).toEqual([true, true, undefined]);
  const ended = new Map([...start.writes].filter(([key]) => !writes.has(key)));
  expect(open(ended, { bootId: "b3" }).loss.isOpen).toBe(false);
});

test("all other members are asked, once nothing of before can arrive any more, and again until each has answered", () => {
  const { loss, pass, tell } = open(OTHER_BOOT);
  expect(pass(9_000).asked).toEqual([]);
  expect(pass(1_000).asked).toEqual(["bert", "cora"]);
  tell(cora);
  expect(pass(500).asked).toEqual(["bert"]);
  pass(3_600_000);
  expect(loss.isOpen).toBe(true);
  tell(bert);
  pass(500);
  expect(loss.isOpen).toBe(false);
});

test("who is removed before it has answered may use its gifts as long as it could cut off: then all is held for a session more", () => {
  const { loss, pass, tell, members, holds } = open(OTHER_BOOT);
  tell(bert);
  if (cora !== undefined) members.delete(cora);
  pass(10_000);
  const { writes } = pass(TIMES.leaseMs - 1);
  expect([loss.isOpen, holds(), writes.size]).toEqual([true, 0, 0]);
  pass(1);
  expect([loss.isOpen, holds()]).toEqual([false, 1]);
});
