import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { capacityMarkdown, costsMarkdown, SIZES } from "../../cmd/capacity.ts";
import { type Crowd, capacityOf } from "../../cmd/capacity-model.ts";
import { anteroom } from "./fake-io.ts";

const CROWD: Crowd = { waiting: 100_000, inside: 5_000, perMinute: 1_000, refreshSeconds: 20 };

describe("anteroom capacity", () => {
  test("docs/capacity.md has the command's own output, its table and its costs", async () => {
    const page = readFileSync("docs/capacity.md", "utf8");
    const { exit, answer } = await anteroom("capacity --waiting 100000 --inside 5000");
    expect(exit).toBe(0);
    expect(page).toContain(`$ anteroom capacity --waiting 100000 --inside 5000\n${answer}`);
    expect(page).toContain(`${capacityMarkdown()}\n`);
    expect(page).toContain(`${costsMarkdown()}\n`);
  });

  test("the rows of the table are what the command says for each size", async () => {
    for (const { waiting, inside } of SIZES) {
      const { answer } = await anteroom(`capacity --waiting ${waiting} --inside ${inside} --json`);
      const { nodes, each } = JSON.parse(answer) as { nodes: number; each: { descriptors: number } };
      const row = capacityMarkdown()
        .split("\n")
        .find((line) => line.startsWith(`| ${waiting.toLocaleString("en-US")} |`));
      expect(row).toContain(`| ${nodes} |`);
      expect(row).toContain(`| ${each.descriptors.toLocaleString("en-US")} |`);
    }
  });

  test("the nodes that it plans are the fewest that fit, and each carries its part of one that is lost", () => {
    const planned = capacityOf(CROWD);
    expect(planned).toMatchObject({ nodes: 5, fits: true, each: { connections: 26_250 } });
    expect(capacityOf(CROWD, planned.nodes - 1).fits).toBe(false);
  });

  test("more of anything never needs less", () => {
    const more: readonly Partial<Crowd>[] = [
      { waiting: 200_000 },
      { inside: 50_000 },
      { perMinute: 9_000 },
      { refreshSeconds: 2 },
    ];
    const few = capacityOf(CROWD, 5).each;
    for (const change of more) {
      const many = capacityOf({ ...CROWD, ...change }, 5).each;
      for (const key of Object.keys(few) as (keyof typeof few)[]) expect(many[key]).toBeGreaterThanOrEqual(few[key]);
      expect(many.cores).toBeGreaterThan(few.cores);
    }
  });

  test("too few nodes are told with what is enough, exit 3", async () => {
    const { exit, talk } = await anteroom("capacity --waiting 100000 --inside 5000 --nodes 3");
    expect([exit, talk]).toEqual([3, "3 nodes cannot carry this crowd with the margin: plan 5 nodes.\n"]);
    expect((await anteroom("capacity --waiting 10000000 --inside 10000000")).talk).toContain("split the crowd");
    expect((await anteroom("capacity --waiting 0 --inside 0 --nodes 1")).exit).toBe(0);
  });

  test("all wrong numbers are told at once", async () => {
    const { exit, talk } = await anteroom("capacity --waiting 100,000 --per-minute -1 --refresh 0 --nodes 2000");
    expect(exit).toBe(2);
    expect(talk).toContain("5 problems: Cannot compute the capacity");
    for (const part of ["--waiting = ", "--inside: is missing", "--per-minute", "--refresh", "--nodes"])
      expect(talk).toContain(part);
  });
});
