/** The operator is told of visitors whose turn has come, who have put the page away. */

import { expect, test } from "vitest";
import type { NodeId } from "../../../../mesh/core/ids.ts";
import { ContactSeal } from "../../../../node/keys/contact-seal.ts";
import { type CalledParts, tellCalled, unheardRooms } from "../../../../node/operator/notices/called-visitors.ts";
import type { Notice } from "../../../../node/operator/notices/notice.ts";
import type { Turn } from "../../../../node/operator/notices/push-sender.ts";
import { GateWorld, MINUTE_MS, SHOP } from "../../gate/gate-world.ts";
import { MESH } from "../../peer/lone-peer.ts";

const ROOM = { ...SHOP, total_active_users: 1, notify: { by: ["email", "push"] } };
const FORM = { Accept: "text/html", Origin: "http://shop.example" };

/** A world where a visitor has left an address, and the turn has come. */
async function turn(contact = "ada@example.com") {
  const world = new GateWorld({ rooms: [ROOM] });
  await world.fill();
  const headers = { ...FORM, Cookie: await world.joinLine() };
  const left = {
    method: "POST",
    target: "/?__anteroom=notify",
    headers,
    body: `contact=${encodeURIComponent(contact)}`,
  };
  await world.answered(left);
  const { contacts } = world.room().meshRoom;
  for (let waited = 0; waited < 3 * MINUTE_MS; waited += 1_000) {
    world.nowMs += 1_000;
    world.peer.tick({ wallMs: world.nowMs, steadyMs: world.nowMs });
    if (world.room().admission.inside(world.nowMs) === 1 && world.room().meshRoom.waitingHere === 0) break;
  }
  const sent: Notice[] = [];
  const pushed: Turn[] = [];
  const logged: unknown[] = [];
  const note = (...line: unknown[]): void => void logged.push(line);
  const parts = (isOnDisk: boolean, isWanted = true): CalledParts => ({
    mesh: MESH.meshId,
    node: "node-0" as NodeId,
    seal: new ContactSeal(MESH),
    commit: { afterCommit: (notify) => notify(isOnDisk), wake: () => undefined },
    clock: () => world.nowMs,
    send: (notice) => sent.push(notice) > 0 && isWanted,
    push: (turn) => void pushed.push(turn),
    log: { error: note, warn: note, info: note, debug: note },
  });
  return { world, contacts, sent, pushed, logged, parts };
}

test("by a notice with the address and the end of the turn, after which the address is gone", async () => {
  const { world, contacts, sent, logged, parts } = await turn();
  tellCalled(world.rooms.all(), parts(true));
  const data = { by: "email", contact: "ada@example.com", visitor: expect.stringMatching(/^\w{4}-\w{4}$/) };
  expect(sent).toMatchObject([{ type: "visitor.called", room: "shop", data }]);
  expect(sent[0]?.untilMs).toBeGreaterThanOrEqual(world.nowMs + MINUTE_MS);
  expect([contacts.size, logged]).toEqual([0, []]);
  expect(world.room().counts.admissions).toBe(2);
});

test("or by push alone, if a browser has subscribed", async () => {
  const left = {
    endpoint: "https://web.push.apple.com/ada",
    keys: { p256dh: `BA${"A".repeat(85)}`, auth: "A".repeat(22) },
    language: "fr-FR",
  };
  const { world, contacts, sent, pushed, logged, parts } = await turn(JSON.stringify(left));
  tellCalled(world.rooms.all(), parts(true));
  expect(pushed).toMatchObject([{ room: { name: "shop" }, left: JSON.stringify(left) }]);
  expect(pushed[0]?.untilMs).toBeGreaterThanOrEqual(world.nowMs + MINUTE_MS);
  expect([sent, contacts.size, logged]).toEqual([[], 0, []]);
});

test("not before the session is on disk", async () => {
  const { world, contacts, sent, parts } = await turn();
  tellCalled(world.rooms.all(), parts(false));
  expect([sent, contacts.size, world.room().admission.inside(world.nowMs)]).toEqual([[], 1, 0]);
});

test("or the log says that no webhook wants it, without the address", async () => {
  const { world, logged, parts } = await turn();
  tellCalled(world.rooms.all(), parts(true, false));
  expect(JSON.stringify(logged)).toMatch(/no webhook names visitor\.called/);
  expect(JSON.stringify(logged)).not.toContain("ada");
});

test("a room whose visitors nobody would hear of is named", async () => {
  const world = new GateWorld({ rooms: [ROOM, { ...SHOP, name: "other", host: "other.example" }] });
  expect(unheardRooms(world.rooms.all(), () => true)).toEqual([]);
  expect(unheardRooms(world.rooms.all(), () => false)).toEqual([expect.stringContaining("room shop ")]);
  world.rooms.update("shop", { notify: { by: ["push"] } });
  expect(unheardRooms(world.rooms.all(), () => false)).toEqual([]);
});
