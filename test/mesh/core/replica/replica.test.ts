import { describe, expect, test } from "vitest";
import type { AccountId, NodeId, RoomId } from "../../../../mesh/core/ids.ts";
import { BrokenInvariant } from "../../../../mesh/core/invariant.ts";
import type { RowData } from "../../../../mesh/core/ledger/row.ts";
import { UNITS } from "../../../../mesh/core/ledger/shares.ts";
import type { RowsMessage } from "../../../../mesh/core/replica/replica-messages.ts";
import { packed } from "../../../../mesh/core/wire/packed.ts";
import { ROOMS_MAX } from "../../../../mesh/core/wire/shapes.ts";
import { plainSignatures } from "./plain-signatures.ts";
import { active, exchange, hear, later, NOW, NOW_MS, newMesh, ROOM, start } from "./replica-nodes.ts";

const trio = () => {
  const mesh = newMesh("anna", "bert", "carl");
  return { mesh, anna: start("anna", mesh), bert: start("bert", mesh), carl: start("carl", mesh) };
};
const seen = (count: number, minute = NOW) => ({ minute, kind: "seen", count }) as const;

describe("giving", () => {
  test("is bounded by the net of the accounts that a node writes; its own may go below zero", () => {
    const { mesh, anna, bert, carl } = trio();
    mesh.writers.set(anna.account, bert.id);
    bert.replica.takeOver([anna.account], anna.replica.rows([anna.account]));
    const accounts = [...bert.replica.accounts];
    expect(bert.replica.netUnits(accounts, active())).toBe(UNITS);
    expect(() => bert.replica.give({ ...active(), to: carl.account, units: 5 })).toThrow("current value is 0");
    const row = bert.replica.give({ ...active(), to: carl.account, units: 5, accounts });
    expect(row.account).toBe(bert.account);
    expect(bert.replica.ledger.units(active())).toBe(-5);
    expect(bert.replica.netUnits(accounts, active())).toBe(UNITS - 5);
    expect(() => bert.replica.give({ ...active(), to: carl.account, units: UNITS, accounts })).toThrow(BrokenInvariant);
    expect(() => bert.replica.give({ ...active(), to: anna.account, units: 1, accounts })).toThrow(
      "must be another account",
    );
  });
});

describe("a gift on a stream", () => {
  const gift = (account: string, to: string): RowData => ({
    account: account as AccountId,
    gifts: [{ room: ROOM, resource: "active", to: to as AccountId, totals: [[0 as typeof NOW, 7]] }],
    counts: [],
  });

  test.each([
    ["from another node than the account's writer", "bert", gift("anna", "carl"), "notTheWriter"],
    ["of an account that the view does not know", "dora", gift("dora", "carl"), "unknownAccount"],
    ["to somebody else", "anna", gift("anna", "bert"), "notForThisNode"],
    [
      "to this node and to somebody else",
      "anna",
      { ...gift("anna", "carl"), gifts: [...gift("anna", "carl").gifts, ...gift("anna", "bert").gifts] },
      "notForThisNode",
    ],
    ["of a fenced account", "bert", gift("bert", "carl"), "fenced"],
  ] as const)("%s is refused and changes nothing", (_, from, row, reason) => {
    const { mesh, carl } = trio();
    mesh.fenced.add("bert" as AccountId);
    expect(carl.replica.receive(from as NodeId, row)).toEqual({ ok: false, reason });
    carl.commit();
    expect(carl.disk.size).toBe(0);
    expect(carl.replica.ledger.units(active())).toBe(0);
    expect(carl.replica.refused).toMatchObject({ [reason]: 1 });
  });

  test("in a room too many is refused", () => {
    const { carl } = trio();
    for (let room = 0; room <= ROOMS_MAX; room++) {
      const [cell] = gift("anna", "carl").gifts;
      const row = {
        account: "anna" as AccountId,
        gifts: cell === undefined ? [] : [{ ...cell, room: `r${room}` as RoomId }],
        counts: [],
      };
      expect(carl.replica.receive("anna" as NodeId, row).ok).toBe(room < ROOMS_MAX);
    }
  });
});

describe("hearing", () => {
  test("of known versions checks no signature and looks at no part", () => {
    const { anna, bert, carl } = trio();
    anna.replica.record(ROOM, seen(1));
    const message = anna.publish();
    expect(hear(carl, message, bert)).toEqual({ answers: [], faults: 0, changed: true });
    expect(carl.checks.count).toBe(1);
    expect(hear(carl, message, bert)).toEqual({ answers: [], faults: 0, changed: false });
    const [log] = (message as RowsMessage).logs;
    if (log === undefined) throw new Error("nothing published");
    const empty = new Uint8Array(0);
    expect(hear(carl, { kind: "rows", logs: [{ ...log, parts: [[empty, empty]] }], registers: [] }, bert).faults).toBe(
      0,
    );
    expect(carl.checks.count).toBe(1);
  });

  test("the writer itself needs no signature, but nothing of it is passed on unchecked", () => {
    const { anna, bert, carl } = trio();
    anna.replica.record(ROOM, seen(1));
    const message = anna.publish() as RowsMessage;
    hear(bert, message, anna);
    expect(bert.checks.count).toBe(0);
    exchange(carl, bert);
    expect(bert.checks.count).toBe(1);
    expect(carl.replica.digest()).toEqual(anna.replica.digest());
    exchange(start("carl", newMesh("anna", "bert", "carl")), bert);
    expect(bert.checks.count).toBe(1);

    anna.replica.record(ROOM, seen(1));
    const [log] = (anna.publish() as RowsMessage).logs;
    const [pair] = log?.parts ?? [];
    if (log === undefined || pair === undefined) throw new Error("nothing published");
    const unsigned = { ...log, parts: [[pair[0], new Uint8Array(64)] as const] };
    expect(hear(bert, { kind: "rows", logs: [unsigned], registers: [] }, anna)).toMatchObject({
      faults: 0,
      changed: true,
    });
    exchange(carl, bert);
    expect(carl.replica.ledger.count(ROOM, { minute: NOW, kind: "seen" })).toBe(1);
    expect(carl.replica.refused.badSignature).toBe(0);
  });

  test("counts from far ahead of the local clock waits until they are near", () => {
    const { anna, bert } = trio();
    anna.replica.record(ROOM, seen(3, later(3)));
    const message = anna.publish(NOW_MS + 3 * 60_000);
    expect(hear(bert, message, anna)).toMatchObject({ faults: 0, changed: false });
    expect(bert.replica.refused.tooFarAhead).toBe(1);
    exchange(bert, anna, NOW_MS + 60_000);
    expect(bert.replica.ledger.count(ROOM, { minute: later(3), kind: "seen" })).toBe(3);
  });

  test.each([
    { how: "behind, and set right", hours: -3, since: undefined },
    { how: "ahead, and set right", hours: 3, since: undefined },
    { how: "behind, and right after the next start", hours: -3, since: [] },
    { how: "ahead, and right after the next start", hours: 3, since: [] },
    { how: "behind, and right after the next start, with counts since", hours: -3, since: [ROOM] },
    { how: "behind, the same in two rooms", hours: -3, since: [ROOM, "other" as RoomId] },
  ])("counts that were published before a clock was $how are not taken back", ({ hours, since }) => {
    const { mesh, anna, bert } = trio();
    anna.replica.record(ROOM, seen(2));
    hear(bert, anna.publish(), anna);
    anna.replica.record(ROOM, seen(1, later(60 * hours)));
    hear(bert, anna.publish(NOW_MS + hours * 3_600_000), anna);
    const again = since === undefined ? anna : start("anna", mesh, { disk: anna.disk, incarnation: NOW_MS });
    for (const room of since ?? []) again.replica.record(room, seen(1));
    for (let round = 0; round < 3; round++) {
      for (let said = again.publish(); said !== undefined; said = again.publish()) hear(bert, said, again);
      exchange(bert, again);
    }
    expect(bert.replica.digest().known).toEqual(again.replica.digest().known);
    again.replica.record(ROOM, seen(1));
    expect(hear(bert, again.publish(), again)).toMatchObject({ faults: 0, changed: true });
    expect(bert.replica.ledger.count(ROOM, { minute: NOW, kind: "seen" })).toBe(3);
    expect([again.alarms, again.publish()]).toEqual([[], undefined]);
  });

  test("a node that is no member is refused, and heard once it is one", () => {
    const { mesh, anna, bert } = trio();
    const dora = start("dora", mesh);
    dora.replica.record(ROOM, seen(1));
    const message = dora.publish();
    expect(hear(bert, message, dora)).toMatchObject({ faults: 0, changed: false });
    expect(bert.replica.refused.unknownAccount).toBe(1);
    mesh.writers.set(dora.account, dora.id);
    exchange(dora, anna);
    exchange(bert, anna);
    expect(bert.replica.ledger.count(ROOM, { minute: NOW, kind: "seen" })).toBe(1);
  });

  test("that a writer would give more than can be counted is a bad part, and leaves every balance countable", () => {
    const { anna, bert, carl } = trio();
    const many = Array.from({ length: 20 }, (_, index) => [`n${index}`, 2 ** 51, []]);
    const bytes = packed([ROOM, 1, 1, many]);
    const signature = plainSignatures(anna.id).sign(bytes);
    const log = {
      account: anna.account,
      writer: null,
      section: "gifts",
      to: 1,
      parts: [[bytes, signature] as const],
    } as const;
    expect(hear(carl, { kind: "rows", logs: [log], registers: [] }, bert).faults).toBe(1);
    expect(carl.replica.ledger.unitsOf(anna.account, active())).toBe(UNITS);
  });

  test("what was signed in another mesh is a bad signature", () => {
    const { bert, carl } = trio();
    const stranger = start("anna", newMesh("anna"), { id: "another mesh" });
    stranger.replica.record(ROOM, seen(1));
    expect(hear(carl, stranger.publish(), bert).faults).toBe(1);
    expect(carl.replica.refused.badSignature).toBe(1);
  });
});

describe("anti-entropy", () => {
  test("brings a node that has no view the registers, and no rows before it has one", () => {
    const { mesh, anna } = trio();
    anna.replica.give({ ...active(), to: "bert" as AccountId, units: 1 });
    anna.replica.setRegister(ROOM, { firstName: "shop", document: "{}", createdMs: 5 }, NOW_MS);
    anna.publish();
    const alone = newMesh();
    const dora = start("dora", alone);
    exchange(dora, anna, NOW_MS, true);
    expect(dora.replica.registersDigest).toBe(anna.replica.registersDigest);
    expect(dora.replica.refused.unknownAccount).toBe(0);
    mesh.writers.set(dora.account, dora.id);
    for (const [account, writer] of mesh.writers) alone.writers.set(account, writer);
    exchange(dora, anna, NOW_MS, true);
    expect(dora.replica.digest().known).toEqual(anna.replica.digest().known);
  });
});

describe("a restart", () => {
  test("takes no notice of a digest that lies: it asks, and only signed parts are proof", () => {
    const { anna, bert } = trio();
    anna.replica.give({ ...active(), to: bert.account, units: 1 });
    anna.publish();
    const known = [[anna.account, NOW_MS + 50, NOW_MS + 50, 0, 0]] as const;
    const { answers, faults } = hear(
      anna,
      { kind: "digest", wantsBack: false, isInStep: true, known, registers: 0 },
      bert,
    );
    expect(answers).toMatchObject([{ kind: "want", known: [["anna", 0, 0, 0, 0]] }]);
    expect(faults).toBe(0);
    expect(anna.alarms).toEqual([]);
  });

  test("with a damaged store fails with the key that is damaged", () => {
    const mesh = newMesh("anna");
    const disk = new Map([["ledger/part/anna/gifts/shop", 7]]);
    expect(() => start("anna", mesh, { disk })).toThrow('its entry "ledger/part/anna/gifts/shop" is damaged');
  });
});

describe("a copied disk", () => {
  const twins = () => {
    const { mesh, anna, bert, carl } = trio();
    anna.replica.give({ ...active(), to: bert.account, units: 1 });
    anna.replica.record(ROOM, seen(1));
    hear(bert, anna.publish(), anna);
    const older = start("anna", mesh, { disk: anna.disk, incarnation: NOW_MS });
    const younger = start("anna", mesh, { disk: anna.disk, incarnation: NOW_MS + 5_000 });
    return { bert, carl, older, younger };
  };

  test.each(["shop", "museum"])(
    "of which two processes run is noticed by the older one, from counts of %s alone",
    (room) => {
      const { bert, older, younger } = twins();
      older.replica.record(ROOM, seen(1));
      younger.replica.record(room as RoomId, seen(2));
      hear(bert, older.publish(), older);
      hear(bert, younger.publish(), younger);
      exchange(bert, older);
      exchange(bert, younger);
      expect(older.alarms).toHaveLength(1);
      expect(younger.alarms).toEqual([]);
    },
  );

  test("is noticed by both if both give", () => {
    const { bert, carl, older, younger } = twins();
    older.replica.give({ ...active(), to: bert.account, units: 1 });
    younger.replica.give({ ...active(), to: carl.account, units: 1 });
    hear(bert, older.publish(), older);
    hear(carl, younger.publish(), younger);
    exchange(bert, younger);
    exchange(carl, older);
    expect(older.alarms.length).toBeGreaterThan(0);
    expect(younger.alarms.length).toBeGreaterThan(0);
  });

  test("is noticed by the one that has sent more, from what the other sent before", () => {
    const { bert, carl, older, younger } = twins();
    const twin = start("anna", newMesh("anna", "bert", "carl"), { disk: younger.disk, incarnation: NOW_MS });
    for (const units of [1, 2]) {
      older.replica.give({ ...active(), to: bert.account, units });
      older.publish();
    }
    twin.replica.give({ ...active(), to: carl.account, units: 1 });
    hear(older, twin.publish(), bert);
    expect(older.alarms).toHaveLength(1);
  });
});

describe("taking over", () => {
  test("makes gifts to the account gifts to this node: they are taken, and kept", () => {
    const { mesh, anna, bert, carl } = trio();
    carl.replica.receive(anna.id, anna.replica.give({ ...active(), to: carl.account, units: 10 }));
    hear(bert, anna.publish(), anna);
    mesh.writers.set(carl.account, bert.id);
    bert.replica.takeOver([carl.account], []);
    bert.commit();
    const early = start("bert", mesh, { disk: bert.disk, incarnation: NOW_MS });
    expect(early.replica.netUnits(early.replica.accounts, active())).toBe(10);
    const row = anna.replica.give({ ...active(), to: carl.account, units: 5 });
    expect(bert.replica.receive(anna.id, row).ok).toBe(true);
    bert.commit();
    const again = start("bert", mesh, { disk: bert.disk, incarnation: NOW_MS });
    expect(again.replica.netUnits(again.replica.accounts, active())).toBe(15);
  });
});
