import { expect, test } from "vitest";
import { commandLine, readChaosOptions } from "../../../cmd/chaos/options.ts";
import { anteroom } from "../fake-io.ts";

function read(given: Readonly<Record<string, string>>) {
  const options = readChaosOptions({ flags: new Map(Object.entries(given).map(([key, value]) => [key, [value]])) });
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

test("all that is wrong is said at once, with exit code 2, and nothing is started", async () => {
  const { exit, answer, talk } = await anteroom("chaos --minute-ms 1 --localities a,b --nodes 1");
  expect({ exit, answer }).toEqual({ exit: 2, answer: "" });
  for (const text of ["--minute-ms", "has more names than there are nodes: 1"]) expect(talk).toContain(text);
});
