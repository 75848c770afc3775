/** Three nodes that ask each other for rights, over a wire that the test holds. */

import { describe, expect, test } from "vitest";
import type { NodeId, RoomId } from "../../../mesh/core/ids.ts";
import { ranked } from "../../../mesh/core/members/ring.ts";
import { orderKey, type RegisterKey } from "../../../mesh/core/replica/register-keys.ts";
import type { Register } from "../../../mesh/core/replica/registers.ts";
import { ChangeRights, type Right, ROOM_LIST } from "../../../node/peer/change-rights.ts";
import type { RightMessage } from "../../../node/peer/right-messages.ts";

const IDS = ["one", "two", "three"] as NodeId[];
const NO_DISK = { put: () => {}, putLater: () => {}, putVote: () => {} };
const SHOP = "shop" as RoomId;

function arbiterOf(subject: RegisterKey): NodeId | undefined {
  return ranked(`change ${subject}`, IDS)[0];
}

function mesh() {
  let steadyMs = 0;
  const gone = new Set<NodeId | undefined>();
  const wire: { from: NodeId; to: NodeId; message: RightMessage }[] = [];
  const nodes = IDS.map((self) => {
    const registers = new Map<RegisterKey, Register>();
    const rights = new ChangeRights({
      self,
      outbox: { ...NO_DISK, send: (to, message) => void wire.push({ from: self, to, message }) },
      firstCall: 1,
      others: () => IDS.filter((node) => node !== self),
      isAlive: () => true,
      register: (key) => registers.get(key),
      registers: () => registers,
      now: () => ({ wallMs: steadyMs, steadyMs }),
    });
    return { self, registers, rights };
  });
  const write = (key: RegisterKey, wallMs: number, at: readonly NodeId[] = IDS): void => {
    const stamp = { wallMs, counter: 0, node: "one" as NodeId };
    for (const { self, registers } of nodes)
      if (at.includes(self)) registers.set(key, { firstName: "shop", document: "{}", createdMs: 0, stamp });
  };
  const deliver = (): void => {
    for (let next = wire.shift(); next !== undefined; next = wire.shift()) {
      const { from, to, message } = next;
      if (!gone.has(to) && !gone.has(from)) nodes.find(({ self }) => self === to)?.rights.hear(from, message);
    }
  };
  const pass = (ms: number): void => {
    steadyMs += ms;
    for (const { rights } of nodes) rights.tick();
    deliver();
  };
  /** What each of these nodes gets that all ask at once. */
  const askAll = (subject: RegisterKey = SHOP, by: readonly NodeId[] = IDS) => {
    const got = new Map<NodeId, Right | undefined>();
    for (const { self, rights } of nodes) if (by.includes(self)) rights.ask(subject, (right) => got.set(self, right));
    deliver();
    return got;
  };
  const given = (got: ReadonlyMap<NodeId, Right | undefined>): NodeId[] =>
    [...got].flatMap(([node, right]) => (right === undefined ? [] : [node]));
  write(SHOP, 1);
  return { nodes, gone, write, deliver, pass, askAll, given };
}

describe("of nodes that ask at once", () => {
  test.each([SHOP, ROOM_LIST, "webhook:3"] as const)("one gets the right to %s", (subject) => {
    const { askAll, given } = mesh();
    const got = askAll(subject);
    expect([got.size, given(got).length]).toEqual([3, 1]);
  });

  test("one gets it although the node that decides is gone", () => {
    const { askAll, given, gone, pass } = mesh();
    gone.add(arbiterOf(SHOP));
    const others = IDS.filter((node) => !gone.has(node));
    const got = askAll(SHOP, others);
    expect(got.size).toBe(0);
    pass(1_000);
    expect([got.size, given(got).length]).toEqual([2, 1]);
  });

  test("each gets it that hears nobody, after 2 s", () => {
    const { askAll, given, gone, pass } = mesh();
    for (const node of IDS) gone.add(node);
    const got = askAll();
    for (const ms of [1_000, 999]) pass(ms);
    const early = given(got).length;
    pass(1);
    expect([early <= 2, given(got).length]).toEqual([true, 3]);
  });
});

describe("a right", () => {
  test("is to one state: an order is another one, and so is its end", () => {
    const { askAll, given, write } = mesh();
    const states = [2, 3].map((wallMs) => {
      const got = given(askAll());
      write(orderKey(SHOP), wallMs);
      return got.length;
    });
    expect([...states, given(askAll()).length]).toEqual([1, 1, 1]);
  });

  test("is refused to a node that has not heard of a change", () => {
    const { askAll, given, write } = mesh();
    const late = IDS.filter((node) => node !== arbiterOf(SHOP)).slice(0, 1);
    const others = IDS.filter((node) => !late.includes(node));
    write(SHOP, 2, others);
    expect([given(askAll(SHOP, late)), given(askAll(SHOP, others)).length]).toEqual([[], 1]);
  });

  test("that is given back is given to another node", () => {
    const { askAll, given, nodes, deliver } = mesh();
    const got = askAll();
    const [winner] = given(got);
    const right = winner && got.get(winner);
    if (right === undefined) throw new Error("nobody got it");
    nodes.find(({ self }) => self === winner)?.rights.giveBack(right);
    deliver();
    const others = IDS.filter((node) => node !== winner);
    expect(given(askAll(SHOP, others)).length).toBe(1);
  });
});
