import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { anteroom } from "../fake-io.ts";
import { forgets, GONE, LEFT, PAST, startFakeNode, TOKEN, WAITING } from "../fake-node.ts";

let node: ReturnType<typeof startFakeNode>;
let flags: string;
beforeEach(() => {
  forgets.length = 0;
  node = startFakeNode();
  flags = `--admin ${node.address} --token ${TOKEN}`;
});
afterEach(() => node.stop());

describe("leave", () => {
  test("reports what happens to the node's share", async () => {
    expect(await anteroom(`leave ${flags}`)).toEqual({ exit: 0, answer: `${LEFT.message}\n`, talk: "" });
  });

  test("fails in the node's words when nobody takes over", async () => {
    const lonely = startFakeNode({
      left: false,
      heir: null,
      message: "Cannot leave the mesh as no other node answers",
    });
    const { exit, answer, talk } = await anteroom(`leave --admin ${lonely.address} --token ${TOKEN}`);
    await lonely.stop();
    expect([exit, answer]).toEqual([1, ""]);
    expect(talk).toContain("as no other node answers");
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
    const { exit, answer, talk } = await anteroom(`forget --i-am-sure ${flags}`);
    expect([exit, answer]).toEqual([2, ""]);
    expect(talk).toContain("NODE…: is missing");
    const asked = await anteroom(`forget --i-am-sure --json ${flags}`);
    expect([asked.exit, JSON.parse(asked.answer)]).toMatchObject([2, { ok: false, reason: "usage" }]);
    expect(forgets).toEqual([]);
  });

  test.each(["gate3", "ee5501c7"])("takes it for %s, and says the node's name and id", async (word) => {
    const { exit, answer } = await anteroom(`forget ${word} --i-am-sure ${flags}`);
    expect([exit, answer]).toEqual([0, `Forgot gate3 (${GONE}).\n`]);
  });

  test("hands on the node's refusal, with its hint", async () => {
    const { exit, talk } = await anteroom(`forget 77aa91b2 --i-am-sure ${flags}`);
    expect([exit, talk]).toEqual([4, "anteroom: Cannot forget node 77aa91b2 as it answers\n    stop it first\n"]);
  });

  test("succeeds for a node that is no longer a member", async () => {
    const { exit, answer } = await anteroom(`forget ${PAST} --i-am-sure ${flags}`);
    expect([exit, answer]).toEqual([0, `${PAST}: no member any more; nothing to do.\n`]);
  });

  test("retries until it is carried out, where a time is given", async () => {
    const once = await anteroom(`forget ${WAITING} --i-am-sure ${flags}`);
    expect([once.exit, forgets]).toEqual([1, [{ nodes: [WAITING] }]]);
    forgets.length = 0;
    const { exit, answer } = await anteroom(`forget ${WAITING} --i-am-sure --timeout 5m ${flags}`);
    expect([exit, answer]).toEqual([0, `Forgot ${WAITING}.\n`]);
    const seconds = forgets.map((body) => (body as { timeout_seconds: number }).timeout_seconds);
    // A node takes an order for 20 s at a time.
    expect(seconds).toEqual([20, 20]);
  });

  test.each([
    [GONE, 0, { ok: true, forgotten: [GONE], already: [] }],
    [PAST, 0, { ok: true, forgotten: [], already: [PAST] }],
    ["77aa91b2", 4, { ok: false, reason: "answers", message: expect.any(String), hint: "stop it first" }],
    [WAITING, 1, { ok: false, reason: "others-silent", message: expect.any(String), hint: "stop it first" }],
    [`${GONE} --timeout 5`, 2, expect.objectContaining({ ok: false, reason: "usage" })],
  ])("answers scripts in JSON: %s", async (words, code, expected) => {
    const { exit, answer } = await anteroom(`forget ${flags} ${words} --i-am-sure --json`);
    expect([exit, JSON.parse(answer)]).toEqual([code, expected]);
  });

  test("says in JSON, too, that no node is there", async () => {
    const { exit, answer } = await anteroom(`forget ${GONE} --i-am-sure --json --admin 127.0.0.1:1 --token x`);
    expect([exit, JSON.parse(answer)]).toMatchObject([1, { ok: false, reason: "unreachable" }]);
  });

  test("says in JSON, too, that the word is missing", async () => {
    const { exit, answer } = await anteroom(`forget ${GONE} --json ${flags}`);
    expect([exit, JSON.parse(answer)]).toMatchObject([2, { ok: false, reason: "usage" }]);
  });
});

test("the admin token of a host with workers is found in the first one's directory", async () => {
  const files = { "d/worker-1/admin.token": `${TOKEN}\n` };
  expect((await anteroom(`status --admin ${node.address} --data d`, { files })).exit).toBe(0);
  const { exit, talk } = await anteroom(`status --admin ${node.address} --data e`, { files });
  expect(exit).toBe(1);
  expect(talk).toContain("there is no e/admin.token");
});
