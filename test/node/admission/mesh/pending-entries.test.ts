import { expect, test } from "vitest";
import { PendingEntries } from "../../../../node/admission/mesh/pending-entries.ts";
import { at, OneRoom } from "../one-room.ts";

test("who waits for a higher ceiling is turned away 400 ms later, and not before", () => {
  const room = new OneRoom();
  room.ceiling = 0;
  const pending = new PendingEntries(room.admission);
  const told: string[] = [];
  pending.add({ admit: () => told.push("admitted"), giveUp: () => told.push("turned away") }, at(1));
  pending.work(at(1.399));
  expect([told, room.admission.pending]).toEqual([[], 1]);
  pending.work(at(1.4));
  expect([told, room.admission.pending]).toEqual([["turned away"], 0]);
});
