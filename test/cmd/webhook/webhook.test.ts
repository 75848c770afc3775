import { beforeEach, describe, expect, test } from "vitest";
import { startNode, startStranger } from "../admin-node.ts";

let node: ReturnType<typeof startNode>;
let receiver: ReturnType<typeof startStranger>;
let answer: number;
beforeEach(() => {
  answer = 204;
  node = startNode();
  receiver = startStranger(() => new Response(null, { status: answer }));
});

const webhook = (line: string) => node.run(`webhook ${line}`);

async function created(): Promise<{ id: string; secret: string }> {
  const { answer: json } = await webhook(`create name=chat url=http://${receiver.address}/hook --json`);
  const { webhook: made, secret } = JSON.parse(json);
  return { id: made.id, secret };
}

describe("anteroom webhook", () => {
  test("create prints the secret alone as its answer, and what it is about as talk", async () => {
    const made = await webhook("create name=chat url=https://example.com/hook types=[room.held,node.lost]");
    expect(made).toEqual({
      exit: 0,
      answer: expect.stringMatching(/^whsec_[\w+/]+=*\n$/),
      talk: expect.stringMatching(/^Created webhook chat \(wh_[0-9a-f]{16}\)\. Give its receiver this secret/),
    });
    expect((await webhook("list")).answer).toContain("room.held…");
  });

  test("list, update, rotate and delete say what there is after them", async () => {
    expect((await webhook("list")).talk).toContain("No webhooks yet");
    const { id, secret } = await created();
    expect(JSON.parse((await webhook("list --json")).answer).webhooks).toMatchObject([{ id, name: "chat" }]);
    expect((await webhook(`update ${id} enabled=false`)).answer).toBe(
      `Updated webhook chat (${id}): off, all types.\n`,
    );
    const rotated = await webhook(`rotate ${id}`);
    expect([rotated.exit, rotated.answer === `${secret}\n`]).toEqual([0, false]);
    expect(rotated.talk).toContain("signs as well until");
    expect((await webhook(`delete ${id}`)).answer).toBe(`Deleted webhook chat (${id}).\n`);
    expect((await webhook(`delete ${id}`)).talk).toContain(`Cannot find webhook ${id}`);
  });

  test("test tells what the receiver said, also by its exit code", async () => {
    const { id } = await created();
    const good = await webhook(`test ${id}`);
    expect([good.exit, good.answer]).toEqual([
      0,
      expect.stringMatching(/^The receiver took the notice within \d+ ms\.\n$/),
    ]);
    answer = 500;
    expect(await webhook(`test ${id}`)).toMatchObject({
      exit: 3,
      answer: "The receiver did not take the notice: status 500.\n",
    });
  });
});
