import { expect, test } from "vitest";
import type { Admission } from "../../../../node/admission/admission.ts";
import { PendingEntries } from "../../../../node/admission/mesh/pending-entries.ts";

function entries() {
  const admission = { pending: 0, left: 0, free: () => 1, sessions: { mayHoldMore: () => admission.left > 0 } };
  const pending = new PendingEntries(admission as unknown as Admission);
  const told: string[] = [];
  const add = (name: string, nowMs: number): void =>
    pending.add(
      {
        admit: () => {
          admission.left -= 1;
          told.push(`${name} in`);
        },
        giveUp: () => told.push(`${name} waits`),
      },
      nowMs,
    );
  return { admission, pending, told, add };
}

test("visitors go in at once where the ceiling leaves room, else in their order when it is raised; their slots are taken meanwhile", () => {
  const { admission, pending, told, add } = entries();
  admission.left = 1;
  for (const name of ["anna", "bert", "cora"]) add(name, 0);
  expect([told, pending.size, admission.pending]).toEqual([["anna in"], 2, 2]);
  admission.left = 1;
  pending.work(10);
  expect([told, admission.pending]).toEqual([["anna in", "bert in"], 1]);
});

test("who has waited for too long gets a place in line", () => {
  const { admission, pending, told, add } = entries();
  add("anna", 0);
  add("bert", 300);
  pending.work(399);
  expect(told).toEqual([]);
  pending.work(400);
  expect([told, admission.pending]).toEqual([["anna waits"], 1]);
});
