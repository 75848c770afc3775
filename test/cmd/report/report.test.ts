import { expect, test } from "vitest";
import { startStranger } from "../admin-node.ts";

test("--csv passes on the text that the node answers for the span", async () => {
  const asked: string[] = [];
  const node = startStranger(({ url }) => {
    asked.push(new URL(url).pathname + new URL(url).search);
    return new Response("at,inside\n1,2\n");
  });
  const { exit, answer } = await node.run(["report", "a room", "--csv", "--from=-1h"]);
  expect([exit, answer]).toEqual([0, "at,inside\n1,2\n"]);
  expect(asked).toEqual(["/v1/rooms/a%20room/analytics?format=csv&from=-1h"]);
});
