import { beforeEach, describe, expect, test } from "vitest";
import type { MeshOrders } from "../../../node/operator/api/mesh.ts";
import { GateWorld } from "../../node/gate/gate-world.ts";
import { startNode, TOKEN } from "../admin-node.ts";
import { anteroom } from "../fake-io.ts";

/** One that may be forgotten, called gate3; one that is no member any more; one that is forgotten at the second try. */
const [GONE, PAST, WAITING] = ["12D3KooWccccLost", "12D3KooWJqpast0001", "12D3KooWJqwaits001"] as const;
const OTHER = "12D3KooWJq77aa91b2";

let node: ReturnType<typeof startNode>;
let leaving: Awaited<ReturnType<MeshOrders["leave"]>>;
/** Orders to forget: nodes, and for how long to try. */
let forgets: (readonly [nodes: readonly string[], forMs: number | undefined])[];

const MESH: MeshOrders = {
  leave: async () => leaving,
  former: () => [PAST],
  forget: async (nodes, { forMs }) => {
    forgets.push([nodes, forMs]);
    const [first = ""] = nodes;
    if (first === PAST) return { ok: true, forgotten: [], already: nodes };
    if (first === GONE || (first === WAITING && forgets.length > 1)) return { ok: true, forgotten: nodes, already: [] };
    return { ok: false, reason: first === WAITING ? "others-silent" : "answers", problem: `Cannot forget ${first}` };
  },
};

beforeEach(() => {
  forgets = [];
  leaving = { left: true, heir: OTHER, message: "Left the mesh: node 77aa91b2 goes on." };
  const members = [GONE, WAITING, OTHER].map((id) => ({ node: id }));
  node = startNode(new GateWorld(), { mesh: MESH, seen: (status) => Object.assign(status, { members }) });
});

test("leave reports what happens to the node's share, and fails in the node's words when nobody takes over", async () => {
  expect(await node.run("leave")).toEqual({ exit: 0, answer: "Left the mesh: node 77aa91b2 goes on.\n", talk: "" });
  leaving = { left: false, heir: undefined, message: "Cannot leave the mesh as no other node answers" };
  expect(await node.run("leave")).toMatchObject({
    ...{ exit: 1, answer: "", talk: expect.stringContaining("as no other node answers") },
  });
});

describe("forget", () => {
  test("needs the operator's word, and says what it means before anybody is asked", async () => {
    const { exit, answer, talk } = await anteroom("forget ee5501c7 --admin 127.0.0.1:1");
    expect([exit, answer]).toEqual([2, ""]);
    expect(talk).toContain("node ee5501c7 was not forgotten");
    expect(talk).toContain("ee5501c7 runs nowhere and its data directory is gone");
    expect(talk).toContain("in a split, give this order on one side only");
    expect(talk).toContain("anteroom forget ee5501c7 --i-am-sure");
  });

  test("says that a node is missing, in JSON for a script whose variable is empty", async () => {
    const { exit, answer, talk } = await node.run("forget --i-am-sure");
    expect([exit, answer]).toEqual([2, ""]);
    expect(talk).toContain("NODE…: is missing");
    const asked = await node.run("forget --i-am-sure --json");
    expect([asked.exit, JSON.parse(asked.answer)]).toMatchObject([2, { ok: false, reason: "usage" }]);
    expect(forgets).toEqual([]);
  });

  test.each([
    ["gate3", 0, `Forgot gate3 (${GONE}).\n`, ""],
    ["ccccLost gate3", 0, `Forgot gate3 (${GONE}).\n`, ""],
    [PAST, 0, `${PAST}: no member any more; nothing to do.\n`, ""],
    ["77aa91b2", 4, "", /^anteroom: Cannot forget 77aa91b2\n {4}run anteroom leave there/],
    ["ffffNone", 1, "", /Cannot find node ffffNone/],
  ])("of %s ends with %i, and says the node's name and id, or its refusal", async (word, code, said, talked) => {
    const { exit, answer, talk } = await node.run(`forget ${word} --i-am-sure`);
    expect([exit, answer]).toEqual([code, said]);
    expect(talk).toMatch(talked);
  });

  test("retries until it is carried out, where a time is given", async () => {
    const once = await node.run(`forget ${WAITING} --i-am-sure`);
    expect([once.exit, forgets]).toEqual([1, [[[WAITING], undefined]]]);
    forgets = [];
    const { exit, answer } = await node.run(`forget ${WAITING} --i-am-sure --timeout 5m`);
    expect([exit, answer]).toEqual([0, `Forgot ${WAITING}.\n`]);
    // A node takes an order for 20 s at a time.
    expect(forgets.map(([, forMs]) => forMs)).toEqual([20_000, 20_000]);
  });

  test.each([
    [`${GONE} --i-am-sure`, 0, { ok: true, forgotten: [GONE], already: [] }],
    [`${PAST} --i-am-sure`, 0, { ok: true, forgotten: [], already: [PAST] }],
    [
      "77aa91b2 --i-am-sure",
      4,
      { ok: false, reason: "answers", message: expect.any(String), hint: expect.any(String) },
    ],
    [`${WAITING} --i-am-sure`, 1, expect.objectContaining({ ok: false, reason: "others-silent" })],
    [`${GONE} --i-am-sure --timeout 5`, 2, expect.objectContaining({ ok: false, reason: "usage" })],
    [GONE, 2, expect.objectContaining({ ok: false, reason: "usage" })],
  ])("answers scripts in JSON: %s", async (words, code, expected) => {
    const { exit, answer } = await node.run(`forget ${words} --json`);
    expect([exit, JSON.parse(answer)]).toEqual([code, expected]);
  });

  test("says in JSON, too, that no node is there", async () => {
    const { exit, answer } = await anteroom(`forget ${GONE} --i-am-sure --json --admin 127.0.0.1:1 --token x`);
    expect([exit, JSON.parse(answer)]).toMatchObject([1, { ok: false, reason: "unreachable" }]);
  });
});

test("the admin token of a host with workers is found in the first one's directory", async () => {
  const files = { "d/worker-1/admin.token": `${TOKEN}\n` };
  expect((await anteroom(`room list --admin ${node.address} --data d`, { files })).exit).toBe(0);
  const { exit, talk } = await anteroom(`room list --admin ${node.address} --data e`, { files });
  expect(exit).toBe(1);
  expect(talk).toContain("there is no e/admin.token");
});
