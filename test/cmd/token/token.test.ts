import { beforeEach, describe, expect, test } from "vitest";
import { startNode, TOKEN } from "../admin-node.ts";
import { anteroom } from "../fake-io.ts";

let node: ReturnType<typeof startNode>;
beforeEach(() => {
  node = startNode();
});

const token = (line: string, by = TOKEN) => anteroom(`token ${line} --admin ${node.address} --token ${by}`);

describe("anteroom token", () => {
  test("create prints the secret alone on stdout, and what it is on stderr", async () => {
    const { exit, answer, talk } = await token("create team-ci --scope operate,read --namespace team --expires 90d");
    expect([exit, answer]).toEqual([0, expect.stringMatching(/^anteroom_\w{42}\n$/)]);
    expect(talk).toMatch(/^Made token team-ci: read, operate; rooms of team; until \S+Z\. It is shown this once:\n$/);
    const listed = await token("list");
    expect(listed.answer).toMatch(/team-ci +read,operate +team:\* .*admin\.token/);
    expect(JSON.parse((await token("list --json")).answer).tokens).toMatchObject([{ name: "team-ci" }]);
    const seen = await token("list", answer.trim());
    expect([seen.exit, seen.talk]).toEqual([1, expect.stringContaining("use a token with scope configure")]);
  });

  test("create takes scopes and rooms several times", async () => {
    const line = "create ci --scope read --scope configure --room a --room team:b --json";
    const { token: made } = JSON.parse((await token(line)).answer);
    expect(made).toMatchObject({ scopes: ["read", "configure"], rooms: ["a", "team:b"], expires_on: null });
  });

  test("create without scopes, or with unknown ones, says which there are", async () => {
    for (const line of ["create ci", "create ci --scope admin"]) {
      const { exit, talk } = await token(line);
      expect([exit, talk]).toEqual([2, expect.stringContaining("write a list of read, operate, configure, mesh")]);
    }
  });

  test("rotate says until when the secret before counts; delete ends both", async () => {
    const first = (await token("create ci --scope read")).answer.trim();
    const rotated = await token("rotate ci --grace 1h");
    expect(rotated.talk).toMatch(
      /^Rotated token ci: .*\. The secret before counts until \S+Z\. It is shown this once:\n$/,
    );
    expect((await token("delete ci")).answer).toBe("Deleted token ci: the nodes that answer refuse it from now on.\n");
    for (const secret of [first, rotated.answer.trim()]) {
      const { exit, talk } = await anteroom(`room list --admin ${node.address} --token ${secret}`);
      expect([exit, talk]).toEqual([1, expect.stringContaining("refuses the token: it is unknown, or was deleted")]);
    }
    expect((await token("delete ci")).talk).toContain("Cannot find token ci");
    expect((await token("list")).talk).toContain("No tokens yet");
  });
});
