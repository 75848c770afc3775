import { describe, expect, test } from "vitest";
import type { NodeId, RoomId } from "../../../../mesh/core/ids.ts";
import { orderKey, type RegisterKey } from "../../../../mesh/core/replica/register-keys.ts";
import type { RowsMessage } from "../../../../mesh/core/replica/replica-messages.ts";
import { packed } from "../../../../mesh/core/wire/packed.ts";
import { ROOMS_MAX } from "../../../../mesh/core/wire/shapes.ts";
import { signable } from "../../../../mesh/core/wire/signed.ts";
import { plainSignatures } from "./plain-signatures.ts";
import { exchange, hear, NOW_MS, newMesh, ROOM, start } from "./replica-nodes.ts";

const duo = () => {
  const mesh = newMesh("anna", "bert");
  return { mesh, anna: start("anna", mesh), bert: start("bert", mesh) };
};
const room = (document: string | undefined) => ({ firstName: "shop", document, createdMs: 5 });

describe("a room's register", () => {
  test("with a stamp more than a minute ahead is refused until it is not", () => {
    const { anna, bert } = duo();
    anna.replica.setRegister(ROOM, room("{}"), NOW_MS + 60_001);
    expect(hear(bert, anna.publish(), anna)).toMatchObject({ faults: 0, changed: false });
    expect(bert.replica.refused.registerTooFarAhead).toBe(1);
    exchange(bert, anna, NOW_MS + 1);
    expect(bert.replica.registers().size).toBe(1);
  });

  test("with a stamp that is too far ahead is stamped again by the time of most, and so is what comes after", () => {
    const { mesh, anna, bert } = duo();
    const [other, third] = ["r2", "r3"] as RoomId[] as [RoomId, RoomId];
    anna.replica.setRegister(other, room("near"), NOW_MS + 60_000);
    anna.replica.setRegister(ROOM, room("far"), NOW_MS + 90_000);
    anna.replica.restamp(NOW_MS, 100_000);
    expect(anna.replica.register(other)?.stamp.wallMs).toBe(NOW_MS + 60_000);
    const again = { ...room("far"), stamp: { wallMs: NOW_MS - 10_000, counter: 0, node: "anna" } };
    expect(anna.replica.register(ROOM)).toEqual(again);
    expect(anna.changes).toEqual([[ROOM, again]]);
    anna.replica.setRegister(third, room("later"), NOW_MS + 1);
    expect(anna.replica.register(third)?.stamp).toEqual({ wallMs: NOW_MS + 60_000, counter: 1, node: "anna" });
    hear(bert, anna.publish(), anna);
    expect(bert.replica.registers()).toEqual(anna.replica.registers());
    // On the disk as well.
    expect(start("anna", mesh, { disk: anna.disk }).replica.registers()).toEqual(anna.replica.registers());
  });

  test("is stamped no later than now where it is not known how far the clock was ahead, also by another node", () => {
    const { anna, bert } = duo();
    anna.replica.setRegister(ROOM, room("far"), NOW_MS + 90_000);
    hear(bert, anna.publish(), anna, NOW_MS + 90_000);
    for (const { replica } of [anna, bert]) replica.restamp(NOW_MS, 0);
    expect(bert.replica.register(ROOM)?.stamp).toEqual({ wallMs: NOW_MS, counter: 0, node: "bert" });
    exchange(anna, bert);
    for (const { replica } of [anna, bert]) expect(replica.register(ROOM)?.stamp.node).toBe("bert");
    bert.publish();
    bert.replica.restamp(NOW_MS, 0);
    expect(bert.publish()).toBe(undefined);
  });

  test("cannot be forged: its writer's name stands in it", () => {
    const { mesh, anna, bert } = duo();
    const carl = start("carl", mesh);
    anna.replica.setRegister(ROOM, room("{}"), NOW_MS);
    const [pair] = (anna.publish() as RowsMessage).registers;
    if (pair === undefined) throw new Error("nothing published");
    const forged = packed([ROOM, "shop", "evil", 5, [NOW_MS + 1, 0, "anna" as NodeId]]);
    const signature = pair[1];
    expect(hear(bert, { kind: "rows", logs: [], registers: [[forged, signature]] }, carl)).toMatchObject({
      faults: 1,
      changed: false,
    });
    expect(hear(bert, { kind: "rows", logs: [], registers: [[packed("x"), signature]] }, carl)).toMatchObject({
      faults: 1,
    });
    expect(bert.replica.refused).toMatchObject({ badSignature: 1, badRegister: 1 });
  });

  test("of a room too many is not made, and not taken", () => {
    const { anna, bert } = duo();
    for (let index = 0; index < ROOMS_MAX; index++) anna.replica.setRegister(`r${index}` as RoomId, room("{}"), NOW_MS);
    expect(() => anna.replica.setRegister(ROOM, room("{}"), NOW_MS)).toThrow("Cannot create another room");
    bert.replica.setRegister(ROOM, room("{}"), NOW_MS);
    exchange(bert, anna);
    expect(bert.replica.registers().size).toBe(ROOMS_MAX);
    expect(anna.replica.refused.tooManyRooms).toBe(1);
  });

  test("is one thing and an order about the room another: neither takes the other back, and each outlives a restart", () => {
    const { mesh, anna, bert } = duo();
    const key = orderKey(ROOM);
    anna.replica.setRegister(ROOM, room("{}"), NOW_MS);
    hear(bert, anna.publish(), anna);
    bert.replica.setRegister(key, room('"hold"'), NOW_MS + 1);
    anna.replica.setRegister(ROOM, room("later"), NOW_MS + 2);
    hear(anna, bert.publish(), bert);
    hear(bert, anna.publish(), anna);
    bert.commit();
    const again = start("bert", mesh, { disk: bert.disk });
    for (const { replica } of [anna, bert, again]) {
      expect([...replica.registers().keys()]).toEqual([ROOM]);
      expect(replica.registers().get(ROOM)?.document).toBe("later");
      expect(replica.register(key)?.document).toBe('"hold"');
    }
    expect(anna.changes).toEqual([[key, bert.replica.register(key)]]);
  });

  test("of a kind that only a newer release writes is kept over a restart, and passed on", () => {
    const { mesh, anna, bert } = duo();
    const key = "secret:shop" as RegisterKey;
    anna.replica.setRegister(key, room("{}"), NOW_MS);
    expect(hear(bert, anna.publish(), anna)).toEqual({ answers: [], faults: 0, changed: true });
    bert.commit();
    const again = start("bert", mesh, { disk: bert.disk });
    expect(again.replica.registersDigest).toBe(anna.replica.registersDigest);
    const carl = start("carl", mesh);
    exchange(again, carl);
    expect(carl.replica.register(key)).toEqual(anna.replica.register(key));
    for (const { replica } of [bert, again, carl]) expect([...replica.registers().keys()]).toEqual([]);
  });

  test("to which a newer release has added something is read, kept and passed on with it", () => {
    const { mesh, anna } = duo();
    const body = ["shop", "shop", "{}", 5, [NOW_MS, 0, "anna"], { colours: ["red"] }];
    const bytes = packed(body);
    const signature = plainSignatures(anna.id).sign(signable("room mesh", bytes));
    const bert = start("bert", mesh);
    expect(hear(bert, { kind: "rows", logs: [], registers: [[bytes, signature]] }, anna)).toMatchObject({ faults: 0 });
    expect(bert.replica.register(ROOM)?.document).toBe("{}");
    const carl = start("carl", mesh);
    exchange(bert, carl);
    expect(carl.replica.registersDigest).toBe(bert.replica.registersDigest);
    expect([...carl.disk.values()]).toEqual([...bert.disk.values()]);
  });

  test("too large to travel is not made", () => {
    const { anna } = duo();
    expect(() => anna.replica.setRegister(ROOM, room("x".repeat(300_000)), NOW_MS)).toThrow("Cannot write a register");
    expect(anna.replica.registers().size).toBe(0);
    expect(anna.publish()).toBe(undefined);
  });
});
