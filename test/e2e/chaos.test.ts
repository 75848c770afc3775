/** Faults and verdicts are those of `anteroom chaos` in .ci/run. */

import { expect, test } from "vitest";
import { Anteroom, until } from "./process.ts";

test("Ctrl-C ends nodes and visitors, and says that the run was not whole", async () => {
  const run = new Anteroom(["chaos", "--nodes", "3", "--minute-ms", "4000", "--json"]);
  await until(() => run.log.includes("TIME") || !run.isRunning);
  const { code, stdout, stderr } = await run.end("SIGINT");
  // The nodes got no CPU time, and did not form a mesh.
  if (code === 5 && stdout === "") return expect(stderr).toContain("not judged: the machine was busy");
  expect(JSON.parse(stdout)).toMatchObject({ cut_short: true });
  expect(code).not.toBe(0);
});
