import { afterEach, expect, test } from "vitest";
import { Anteroom, endAll } from "./process.ts";

afterEach(endAll);

test("the demo of a mesh kills a node half way, and the shop counts no visitor too many", {
  timeout: 90_000,
}, async () => {
  const short = ["--minutes", "0.2", "--minute-ms", "2000", "--limit", "10", "--per-minute", "5", "--rate", "5"];
  const nodes = ["--nodes", "3", "--localities", "sjc,lon", "--listen", "127.0.0.1:0"];
  const { code, stdout, stderr } = await new Anteroom(["demo", ...short, ...nodes, "--json"]).finished;
  expect(code).toBe(0);
  expect(stderr).toContain("3 nodes in sjc, lon");
  expect(stderr).toContain("kill -9: node ");
  const summary = JSON.parse(stdout);
  expect(summary).toMatchObject({ never_over: true, nodes: 3, failed: 0, killed: expect.stringContaining("node ") });
  expect(summary.straight_in).toBeGreaterThan(0);
});
