import { expect, test } from "vitest";
import type { Check } from "../../cmd/checks.ts";
import { Anteroom, until } from "./process.ts";

const MESH = ["--nodes", "3", "--localities", "sjc,lon", "--minute-ms", "4000"];

test("chaos: a node killed, one cut off and one frozen, and every promise held that was judged", async () => {
  const run = new Anteroom(["chaos", ...MESH, "--duration", "36s", "--seed", "116", "--json"]);
  const { code, stdout, stderr } = await run.finished;
  // The nodes did not even form a mesh, as they got no CPU time.
  if (code === 5 && stdout === "") return expect(stderr).toContain("not judged: the machine was busy");
  const verdict = JSON.parse(stdout) as {
    checks: readonly Check[];
    judged: boolean;
    let_in: number;
    again: string;
    plan: unknown[];
  };
  expect(verdict.checks.filter(({ ok }) => !ok)).toEqual([]);
  // Limits hold on any machine.
  const limits = verdict.checks.filter(({ promise }) => promise === "never over");
  expect(limits.map(({ limit }) => limit === null)).toEqual([false, false, false]);
  expect(code).toBe(verdict.judged ? 0 : 5);
  expect(verdict.let_in).toBeGreaterThan(0);
  expect(verdict.plan).toHaveLength(3);
  expect(verdict.again).toBe(
    "anteroom chaos --nodes 3 --localities sjc,lon --duration 36s --minute-ms 4000 --seed 116",
  );
  for (const told of ["kill -9 node 1", "node 3 cut off from the others", "SIGSTOP node 1"])
    expect(stderr).toContain(told);
});

test("chaos: Ctrl-C ends nodes and visitors, and says that the run was not whole", async () => {
  const run = new Anteroom(["chaos", ...MESH, "--json"]);
  await until(() => run.log.includes("TIME") || !run.isRunning);
  const { code, stdout, stderr } = await run.end("SIGINT");
  // The nodes got no CPU time, and did not form a mesh.
  if (code === 5 && stdout === "") return expect(stderr).toContain("not judged: the machine was busy");
  expect(JSON.parse(stdout)).toMatchObject({ cut_short: true });
  expect(code).not.toBe(0);
});
