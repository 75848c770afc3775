import { expect, test } from "vitest";
import { GateWorld } from "../node/gate/gate-world.ts";
import { startNode, startStranger } from "./admin-node.ts";

const nodeWithShop = () => startNode(new GateWorld());

test("a rotation makes the gates sign with the next key", async () => {
  const node = nodeWithShop();
  const keys = async (words: string) => (await node.run(`key shop ${words}`)).answer.trim().split(" ");
  const [, next] = await keys("");
  expect(next).not.toBe("");
  expect((await keys("--rotate"))[0]).toBe(next);
  expect(node.world.room().room.visitorKeyGeneration).toBe(2);
});

test("a rotation that another change came before changes nothing, and says so", async () => {
  const { app, world } = nodeWithShop();
  const busy = startStranger(async (request) => {
    const answer = await app.fetch(request);
    world.rooms.update("shop", { description: `changed ${busy.served.calls} times` });
    return answer;
  });
  const { exit, talk } = await busy.run("key shop --rotate");
  expect(exit).toBe(1);
  expect(talk).toContain("Cannot rotate the keys as room shop was changed at this moment: nothing was rotated");
  expect(world.room().room.visitorKeyGeneration).toBe(1);
});

test("without a room it is about the fast lane, whose keys alone can have leaked", async () => {
  const { run } = nodeWithShop();
  expect((await run("key")).answer).toBe("The gates sign with key 1.\n");
  expect((await run("key --rotate --json")).answer).toBe('{"generation":2}\n');
  expect((await run("key --leaked")).answer).toBe("The gates sign with key 4.\n");
  expect(await run("key shop --leaked")).toMatchObject({ exit: 2, answer: "" });
});
