import { describe, expect, test } from "vitest";
import type { Minute } from "../../../mesh/core/ids.ts";
import { GRACE_MS } from "../../../mesh/core/minute.ts";
import { at, M, OneRoom } from "./one-room.ts";

describe("a held room (queue_all)", () => {
  test("lets nobody in and gives places; opened, it calls them in their order", () => {
    const room = new OneRoom({ queueAll: true, newUsersPerMinute: 2 });
    const ids = ["anna", "bert", "carl"];
    expect(ids.map((id) => room.arrive(id, at(0)).kind)).toEqual(Array(3).fill("waiting"));
    expect(room.pass(at(0), at(59.5), ids)).toEqual([]);
    expect(room.admission.isOpen(at(59))).toBe(false);
    room.configure({ queueAll: false });
    expect(room.poll("carl", at(60)).kind).toBe("waiting");
    expect(["bert", "anna", "carl"].map((id) => room.poll(id, at(61)).kind)).toEqual([
      "admitted",
      "admitted",
      "waiting",
    ]);
  });

  test("lets nobody in who was called before it was held", () => {
    const room = new OneRoom({ newUsersPerMinute: 2 });
    room.fill(at(0));
    room.arrive("anna", at(1));
    room.poll("filler-3", at(60));
    expect(room.admission.lineSummary.horizon).toBe(room.keys.get("anna"));
    room.configure({ queueAll: true });
    expect(room.admission.free(at(61))).toBeGreaterThan(0);
    expect(room.poll("anna", at(61)).kind).toBe("waiting");
  });
});

test("passthrough admits every visitor, beyond every limit, also those in line", () => {
  const room = new OneRoom({ totalActiveUsers: 1, newUsersPerMinute: 1 });
  for (const id of ["anna", "bert"]) room.arrive(id, at(0));
  room.configure({ queueingMethod: "passthrough" });
  expect(room.poll("bert", at(1)).kind).toBe("admitted");
  expect(room.arrive("carl", at(1)).kind).toBe("admitted");
  expect(room.admission.isOpen(at(1))).toBe(true);
  expect([room.admission.inside(at(1)), room.admission.waiting]).toEqual([3, 0]);
});

test("reject turns new and waiting visitors away, and leaves sessions alone", () => {
  const room = new OneRoom({ totalActiveUsers: 1 });
  for (const id of ["anna", "bert"]) room.arrive(id, at(0));
  room.configure({ queueingMethod: "reject" });
  expect(room.poll("bert", at(1))).toEqual({ kind: "rejected" });
  expect(room.arrive("carl", at(1))).toEqual({ kind: "rejected" });
  expect(room.admission.isOpen(at(1))).toBe(false);
  expect(room.admission.sessions.checkIn("anna", (M + 5) as Minute, at(60)).kind).toBe("acknowledged");
});

test("requests that take no place pass while nobody would have to wait", () => {
  const room = new OneRoom({ totalActiveUsers: 2, sessionDuration: 1 });
  expect(room.admission.isOpen(at(0))).toBe(true);
  room.arrive("anna", at(0));
  expect(room.admission.isOpen(at(0))).toBe(true);
  room.arrive("bert", at(0));
  expect(room.admission.isOpen(at(0))).toBe(false);
  room.arrive("carl", at(100));
  expect(room.admission.free(at(120) + GRACE_MS)).toBe(2);
  expect(room.admission.isOpen(at(120) + GRACE_MS)).toBe(true);
  room.arrive("dora", at(120) + GRACE_MS);
  expect(room.admission.isOpen(at(120) + GRACE_MS)).toBe(false);
});

test("what is counted for others moves from minute to minute with a session, once however many requests check it in", () => {
  const room = new OneRoom();
  room.arrive("anna", at(0));
  for (let request = 0; request < 3; request++) room.admission.sessions.checkIn("anna", (M + 5) as Minute, at(120));
  expect(room.counts).toEqual(["seen 0", "in 0", "out 0", "in 2"]);
});
