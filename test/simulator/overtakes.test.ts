import { expect, test } from "vitest";
import { Overtakes } from "../../cmd/crowd/overtakes.ts";

interface Person {
  readonly key: number;
}

/** A line in sjc of visitors with these keys, who were told to ask again in two seconds. */
function lineOf(...keys: number[]) {
  const overtakes = new Overtakes<Person>();
  const people = keys.map((key) => ({ key }));
  const waits = (person: Person | undefined, askedMs: number) => {
    const { key } = person ?? { key: 0 };
    if (person !== undefined) overtakes.waits(person, { line: "sjc", key, askedMs, intervalMs: 2_000, nowMs: askedMs });
  };
  const letIn = (person: Person | undefined, nowMs: number, arrivedMs = 0) =>
    overtakes.letIn(person ?? { key: 0 }, { line: "sjc", arrivedMs, nowMs });
  for (const person of people) waits(person, person.key);
  return { overtakes, people, waits, letIn };
}

test("a visitor who polls after a younger one was admitted, and must still wait, is overtaken", () => {
  const { overtakes, people, waits, letIn } = lineOf(1, 2, 3);
  letIn(people[1], 1_000);
  waits(people[0], 900);
  expect(overtakes.counts.visitors).toBe(0);
  waits(people[0], 1_100);
  expect(overtakes.counts).toEqual({ visitors: 1, beyondInterval: 0, longestMs: 100 });
  waits(people[2], 9_000);
  waits(people[0], 3_600);
  waits(people[0], 5_000);
  expect(overtakes.counts).toEqual({ visitors: 1, beyondInterval: 1, longestMs: 4_000 });
});

test("one who came later and never stood in the line overtakes those who had joined by then", () => {
  const { overtakes, people, waits, letIn } = lineOf(1, 2_000);
  letIn(undefined, 2_500, 1_000);
  for (const person of people) waits(person, 2_600);
  expect(overtakes.counts.visitors).toBe(1);
});
