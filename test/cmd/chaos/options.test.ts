import { expect, test } from "vitest";
import { commandLine, readChaosOptions } from "../../../cmd/chaos/options.ts";
import { anteroom, fakeIo } from "../fake-io.ts";

const PLAN = "- { at: 5s, what: kill, node: 2, for: 2s }";

function read(given: Readonly<Record<string, string>>) {
  const { io } = fakeIo({ files: { "plan.yaml": PLAN } });
  const options = readChaosOptions({ flags: new Map(Object.entries(given).map(([key, value]) => [key, [value]])), io });
  if (!options.ok) throw new Error(JSON.stringify(options.problems));
  return options.value;
}

test("five nodes in three localities for five minutes, by default", () => {
  expect(read({})).toMatchObject({ nodes: 5, localities: ["sjc", "lon", "del"], durationMs: 300_000, seed: 1 });
  expect(read({ nodes: "2" }).localities).toEqual(["sjc", "lon"]);
});

test("the line that repeats a run asks for the same plan", () => {
  const options = read({ nodes: "3", duration: "1m", seed: "7", "minute-ms": "2000" });
  const line = commandLine(options);
  expect(line).toBe("anteroom chaos --nodes 3 --localities sjc,lon,del --duration 60s --minute-ms 2000 --seed 7");
  const words = line.split(" ").slice(2);
  const again = Object.fromEntries(words.flatMap((word, at) => (at % 2 ? [] : [[word.slice(2), words[at + 1] ?? ""]])));
  expect(read(again).plan).toEqual(options.plan);
});

test("a plan file takes the place of the seed's plan", () => {
  const options = read({ plan: "plan.yaml" });
  expect(options.plan).toEqual([{ atMs: 5_000, what: "kill", nodes: [2], forMs: 2_000 }]);
  expect(commandLine(options)).toContain("--plan plan.yaml");
});

test("all that is wrong is said at once, with exit code 2, and nothing is started", async () => {
  const files = { "plan.yaml": "- { at: 5s, what: kil, node: 9, for: 2s }" };
  const { exit, answer, talk } = await anteroom("chaos --minute-ms 1 --localities a,b --nodes 1 --plan plan.yaml", {
    files,
  });
  expect({ exit, answer }).toEqual({ exit: 2, answer: "" });
  for (const text of [
    "--minute-ms",
    "has more names than there are nodes: 1",
    'plan.yaml: [0].what = "kil": is not known here',
    "plan.yaml: [0].node = 9: names what is not one of the 1 nodes",
  ])
    expect(talk).toContain(text);
  expect((await anteroom("chaos --plan missing.yaml")).talk).toContain("missing.yaml: does not exist");
});
