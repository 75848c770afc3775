import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { anteroom } from "./fake-io.ts";
import { GONE, LEFT, startFakeNode, TOKEN } from "./fake-node.ts";

let node: ReturnType<typeof startFakeNode>;
let flags: string;
beforeEach(() => {
  node = startFakeNode();
  flags = `--admin ${node.address} --token ${TOKEN}`;
});
afterEach(() => node.stop());

describe("leave", () => {
  test("tells what became of the node's share", async () => {
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
    expect(talk).toContain("of two sides of a split only one may be given this word");
    expect(talk).toContain("anteroom forget ee5501c7 --i-am-sure");
  });

  test("takes it", async () => {
    const { exit, answer } = await anteroom(`forget ee5501c7 --i-am-sure ${flags}`);
    expect([exit, answer]).toEqual([0, `Forgot ${GONE}.\n`]);
  });

  test("hands on the node's refusal, with its hint", async () => {
    const { exit, talk } = await anteroom(`forget 77aa91b2 --i-am-sure ${flags}`);
    expect([exit, talk]).toEqual([1, "anteroom: Cannot forget node 77aa91b2 as it answers\n    stop it first\n"]);
  });
});

test("the admin token of a host with workers is found in the first one's directory", async () => {
  const files = { "d/worker-1/admin.token": `${TOKEN}\n` };
  expect((await anteroom(`status --admin ${node.address} --data d`, { files })).exit).toBe(0);
  const { exit, talk } = await anteroom(`status --admin ${node.address} --data e`, { files });
  expect(exit).toBe(1);
  expect(talk).toContain("there is no e/admin.token");
});
