import fc from "fast-check";
import { expect, test } from "vitest";
import type { AccountId, Minute, RoomId } from "../../../mesh/core/ids.ts";
import type { Instant } from "../../../mesh/core/instant.ts";
import { OwnAuthority, type OwnAuthorityParts } from "../../../node/peer/own-authority.ts";

const ROOM = "shop" as RoomId;
const MINUTE = 7 as Minute;

/** What a node knows of itself. Only a step changes it, but for the time. */
interface Facts {
  isInStep: boolean;
  isMember: boolean;
  leaseMs: number;
  isHeld: boolean;
  mustPledge: boolean;
  ceiling: number;
  hasPots: boolean;
  units: number;
}

class Node {
  facts: Facts = {
    isInStep: true,
    isMember: true,
    leaseMs: 20,
    isHeld: false,
    mustPledge: false,
    ceiling: 5,
    hasPots: false,
    units: 3,
  };
  now: Instant = { wallMs: 1_000, steadyMs: 0 };
  /** When the facts were found. */
  at = this.now;
  isRight = true;
  asked = 0;

  get parts(): OwnAuthorityParts {
    const node = this;
    const leftMs = (now: Instant): number =>
      this.facts.leaseMs - Math.max(now.wallMs - this.at.wallMs, now.steadyMs - this.at.steadyMs);
    const isHeld = (now: Instant): boolean => this.facts.isMember && leftMs(now) > 0;
    return {
      members: {
        mayAct: (now) => {
          this.asked += 1;
          return isHeld(now);
        },
        leaseHeldUntilMs: (now) => (isHeld(now) ? now.wallMs + leftMs(now) : undefined),
        get mustPledge() {
          return node.facts.mustPledge;
        },
      },
      replica: { netUnits: () => this.facts.units },
      time: {
        get now() {
          return node.now;
        },
        get isRight() {
          return node.isRight;
        },
      },
      guard: {
        get isInStep() {
          return node.facts.isInStep;
        },
      },
      holds: {
        has: () => this.facts.isHeld,
        get hasAny() {
          return node.facts.isHeld;
        },
      },
      pots: {
        settled: (): AccountId[] => [],
        get boundedGroups() {
          return node.facts.hasPots ? ["view 2"] : [];
        },
        accountsIn: (): AccountId[] => [],
        ceilingIn: () => 1,
      } as unknown as OwnAuthorityParts["pots"],
      ceilings: {
        mayHold: () => (this.facts.mustPledge ? this.facts.ceiling : Number.POSITIVE_INFINITY),
        touch: () => {},
      },
      limitOf: () => 10,
    };
  }
}

/** What a visitor's request asks. */
function answers(authority: OwnAuthority): unknown[] {
  return [authority.mayAct(ROOM), authority.mayHold(ROOM), authority.units(ROOM, "active", MINUTE)];
}

test("one look serves all visitors until the next step", () => {
  const node = new Node();
  const authority = new OwnAuthority(node.parts);
  authority.end();
  for (let visitor = 0; visitor < 10; visitor++) expect(authority.mayAct(ROOM)).toBe(true);
  expect(node.asked).toBe(1);
});

test("what is kept is what would be found at this moment", () => {
  const step = fc
    .record({
      isInStep: fc.boolean(),
      isMember: fc.boolean(),
      leaseMs: fc.nat(60),
      isHeld: fc.boolean(),
      mustPledge: fc.boolean(),
      ceiling: fc.nat(9),
      hasPots: fc.boolean(),
      units: fc.nat(9),
    })
    .map((facts) => (node: Node, authority: OwnAuthority) => {
      authority.begin();
      node.facts = facts;
      node.at = node.now;
      expect(answers(authority)).toEqual(answers(new OwnAuthority(node.parts)));
      authority.end();
    });
  const pass = fc.nat(25).map((ms) => (node: Node) => {
    node.now = { wallMs: node.now.wallMs + ms, steadyMs: node.now.steadyMs + ms };
  });
  const jump = fc.integer({ min: -40, max: 40 }).map((ms) => (node: Node) => {
    node.now = { wallMs: node.now.wallMs + ms, steadyMs: node.now.steadyMs };
  });
  const behind = fc.boolean().map((isRight) => (node: Node) => {
    node.isRight = isRight;
  });
  const schedule = fc.array(fc.oneof(step, pass, pass, jump, behind), { maxLength: 30 });
  fc.assert(
    fc.property(schedule, (acts) => {
      const node = new Node();
      const authority = new OwnAuthority(node.parts);
      for (const act of acts) {
        act(node, authority);
        expect(answers(authority)).toEqual(answers(new OwnAuthority(node.parts)));
      }
    }),
  );
});
