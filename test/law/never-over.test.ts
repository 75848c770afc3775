/**
 * The promise that admitted visitors never exceed a limit, for accounts that keep to the arithmetic of shares, whatever
 * becomes of their messages and however far apart their clocks are. The checks are in share-world.ts.
 */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { RESOURCES } from "../../mesh/core/ledger/row.ts";
import { ShareWorld, type Step } from "./share-world.ts";

const index = fc.nat(7);
const limit = fc.oneof(fc.integer({ min: 1, max: 12 }), fc.constantFrom(200, 1_000, 10_000_000));
const limits = fc.record({ active: limit, arrivals: limit });
const resource = fc.constantFrom(...RESOURCES);
const resources = fc.constantFrom(RESOURCES, RESOURCES, ["active"] as const, ["arrivals"] as const);
const times = fc.integer({ min: 1, max: 12 });
const slots = fc.option(fc.integer({ min: 1, max: 5 }), { nil: undefined, freq: 1 });

const visit = fc.record({ kind: fc.constant("visit" as const), at: index, times });
const leave = fc.record({ kind: fc.constant("leave" as const), at: index, times });
const give = fc.record({
  kind: fc.constant("give" as const),
  at: index,
  to: index,
  resources,
  slots,
  direct: fc.boolean(),
});
const gossip = fc.record({ kind: fc.constant("gossip" as const), at: index, about: index, to: index });
const arrive = fc.record({ kind: fc.constant("arrive" as const), message: fc.nat(50), again: fc.boolean() });
const lose = fc.record({ kind: fc.constant("lose" as const), message: fc.nat(50) });
const minute = fc.record({ kind: fc.constant("minute" as const), at: index });
const restart = fc.record({ kind: fc.constant("restart" as const), at: index });
const changeLimit = fc.record({ kind: fc.constant("limit" as const), at: index, resource, limit });

/** Visits, gifts and ends of sessions come often, so that slots are scarce and change hands within the minute. */
const usual = [visit, visit, visit, leave, leave, give, give, give, arrive, gossip, lose, minute, restart];
const steps = (...more: fc.Arbitrary<Step>[]): fc.Arbitrary<Step[]> =>
  fc.array(fc.oneof(...usual, ...more), { minLength: 60, maxLength: 120, size: "max" });

const accounts = fc.oneof(fc.integer({ min: 2, max: 3 }), fc.integer({ min: 2, max: 8 }));
const runs = { numRuns: 300 };

describe("accounts that admit within their slots and give from their surplus", () => {
  test("never pass a limit, whatever is lost, doubled, late or restarted, and however far clocks are apart", () => {
    fc.assert(
      fc.property(accounts, limits, steps(), (count, limits, script) => {
        const world = new ShareWorld(count, limits);
        for (const step of script) world.step(step);
        world.converge();
      }),
      runs,
    );
  });

  test("never pass the highest limit that applied, while limits change here and there", () => {
    fc.assert(
      fc.property(accounts, limits, steps(changeLimit), (count, limits, script) => {
        const world = new ShareWorld(count, limits);
        for (const step of script) world.step(step);
        world.converge();
      }),
      runs,
    );
  });
});

describe("no slot is lost in fractions", () => {
  const fewAccounts = 8;

  test.each([1, 5, 10, 200, 1_000])("at limit %i each account in turn can have every slot", (slots) => {
    const world = new ShareWorld(fewAccounts, { active: slots, arrivals: slots });
    for (const [turn, receiver] of world.members.entries()) {
      for (const giver of world.members) world.give(giver, receiver, { resources: RESOURCES, slots: undefined });
      world.converge();
      let admitted = 0;
      while (world.visit(receiver)) admitted += 1;
      expect(admitted, `turn ${turn}`).toBe(slots);
      world.step({ kind: "leave", at: turn, times: slots });
      for (let at = 0; at < fewAccounts; at++) world.step({ kind: "minute", at });
    }
  });

  test("however the slots in use are spread, the last one can be had where it is wanted", () => {
    const sharing = fc
      .constantFrom(1, 5, 10, 134)
      .chain((slots) =>
        fc.record({ slots: fc.constant(slots), wants: fc.array(index, { minLength: slots, maxLength: slots }) }),
      );
    fc.assert(
      fc.property(sharing, ({ slots, wants }) => {
        const world = new ShareWorld(fewAccounts, { active: slots, arrivals: slots });
        for (const wanted of wants) {
          const receiver = world.members[wanted];
          if (receiver === undefined || world.visit(receiver)) continue;
          for (const giver of world.members) world.give(giver, receiver, { resources: RESOURCES, slots: undefined });
          world.converge();
          expect(world.visit(receiver)).toBe(true);
        }
      }),
      { numRuns: 25 },
    );
  });

  test("a limit that is raised or lowered is there for the owner of the units, without redistribution", () => {
    const world = new ShareWorld(2, { active: 10, arrivals: 10 });
    const [anna, bert] = world.members;
    if (anna === undefined || bert === undefined) throw new Error("unreachable");
    world.give(anna, bert, { resources: RESOURCES, slots: 5 });
    world.converge();
    for (const [slots, each] of [
      [10, 5],
      [100, 50],
      [4, 2],
      [1_000, 500],
      [10, 5],
    ] as const) {
      for (const at of [0, 1]) world.step({ kind: "limit", at, resource: "active", limit: slots });
      for (const at of [0, 1]) world.step({ kind: "limit", at, resource: "arrivals", limit: 10_000 });
      for (const member of world.members) {
        let admitted = 0;
        while (world.visit(member)) admitted += 1;
        expect(admitted).toBe(each);
        member.held = 0;
      }
      for (const at of [0, 1]) world.step({ kind: "minute", at });
    }
  });
});
