/** What the watch over the states of all simulated nodes finds wrong, and what it leaves alone. */

import { describe, expect, test } from "vitest";
import type { AccountId, Minute, RoomId } from "../../mesh/core/ids.ts";
import { Ledger, type Purse } from "../../mesh/core/ledger/ledger.ts";
import type { SimNode } from "../sim/sim-node.ts";
import { StateWatch } from "../sim/state-watch.ts";

const [ANNA, BERT, CARL] = ["anna", "bert", "carl"] as [AccountId, AccountId, AccountId];
const ROOM = "shop" as RoomId;
const PURSE = { room: ROOM, resource: "active", minute: 28_000_000 as Minute } as const;

const VIEW = {
  members: [ANNA, BERT, CARL].map((node) => ({ node })),
  heirs: [],
  openings: [],
  root: ANNA,
};

interface Given {
  /** What anna, who owned all at first, has given to bert as this node knows it; nothing if left out. */
  readonly knows?: number;
  readonly resource?: Purse["resource"];
  readonly writes?: readonly AccountId[];
  readonly view?: number;
  readonly mayAct?: boolean;
}

/** A node as far as the watch looks at it; `knows` changes what it knows. */
function node(self: AccountId, { writes = [self], view = 1, mayAct = true, ...given }: Given) {
  let ledger = ledgerOf(self, given);
  const replica = {
    accounts: new Set(writes),
    netUnits: (accounts: readonly AccountId[], purse: Purse) => ledger.netUnits(accounts, purse),
    get ledger() {
      return ledger;
    },
  };
  const members = { isMember: () => true, view: { ...VIEW, number: view }, writes: () => writes };
  const peer = { replica, members, roomNode: { mayAct: () => mayAct }, isInStep: true };
  return {
    sim: { identity: self, peer, isRunning: true } as unknown as SimNode,
    replica,
    knows(then: Pick<Given, "knows" | "resource">) {
      ledger = ledgerOf(self, then);
    },
  };
}

function ledgerOf(self: AccountId, { knows = 0, resource = "active" }: Pick<Given, "knows" | "resource">): Ledger {
  const ledger = new Ledger({ self, founder: ANNA });
  const anna = new Ledger({ self: ANNA, founder: ANNA });
  if (knows > 0) ledger.merge(anna.give({ ...PURSE, resource, to: BERT, units: knows }));
  return ledger;
}

function watchOf(...nodes: readonly { readonly sim: SimNode }[]): StateWatch {
  return new StateWatch(
    nodes.map(({ sim }) => sim),
    [ROOM],
  );
}

describe("a row that falls", () => {
  test.each(["active", "arrivals"] as const)("is found from one look to the next: %s", (resource) => {
    const bert = node(BERT, { knows: 20, resource });
    const watch = watchOf(node(ANNA, { knows: 20, resource }), bert);
    expect([watch.look(), watch.look()]).toEqual([undefined, undefined]);
    bert.knows({ knows: 19, resource });
    expect(watch.look()).toBe(`rows never fall: bert knew 20 of shop ${resource} that anna gave bert`);
  });
});

describe("a writer that knows less of its account than another member", () => {
  test.each(["active", "arrivals"] as const)("is found: %s", (resource) => {
    const watch = watchOf(node(ANNA, { knows: 10, resource }), node(BERT, { knows: 20, resource }));
    expect(watch.look()).toBe(`writers know all: anna knows 10 of anna shop ${resource} bert, and bert 20`);
  });

  test.each<[string, Given, Given]>([
    ["may not act", { mayAct: false }, {}],
    ["is of another view", {}, { view: 2 }],
    ["writes the receiver as well", { writes: [ANNA, BERT] }, { writes: [CARL] }],
  ])("is left alone if it %s", (_, anna, other) => {
    expect(watchOf(node(ANNA, anna), node(CARL, { knows: 20, ...other })).look() ?? "").not.toContain(
      "writers know all",
    );
  });
});

test("two nodes that may act and write one account of one view are found, and not of two views", () => {
  const of = (view: number) => watchOf(node(ANNA, { writes: [ANNA, BERT] }), node(BERT, { view })).look();
  expect(of(1)).toBe("no slot twice: bert and anna both write bert in view 1");
  expect(of(2)).toBeUndefined();
});

test("a node that has given what it does not know it had is found while it may act, and while all run", () => {
  const carl = (mayAct: boolean) => {
    const given = node(CARL, { mayAct });
    const other = new Ledger({ self: CARL, founder: CARL });
    given.replica.ledger.merge(other.give({ ...PURSE, to: BERT, units: 7 }));
    return given;
  };
  expect(watchOf(node(ANNA, {}), carl(true)).look()).toBe(
    "no unit lost: carl has given 7 units of shop active more than it knows of",
  );
  expect(watchOf(node(ANNA, {}), carl(false)).look()).toBe(
    "no slot twice: carl has given 7 units of shop active more than it had",
  );
});
