/** A push subscription is what a stranger wrote: only what a browser and a push service can use is taken. */

import { createECDH } from "node:crypto";
import { describe, expect, test } from "vitest";
import { ROOM_SHAPES } from "../../../node/admission/mesh/room-messages.ts";
import { ContactSeal, contactIn } from "../../../node/keys/contact-seal.ts";
import { PushKeys } from "../../../node/keys/push-keys.ts";
import { subscriptionIn } from "../../../node/keys/push-subscription.ts";
import { MESH } from "../peer/lone-peer.ts";

const browser = createECDH("prime256v1");
const GOOD = {
  endpoint: "https://fcm.googleapis.com/fcm/send/abc:def",
  keys: { p256dh: browser.generateKeys("base64url"), auth: Buffer.alloc(16, 7).toString("base64url") },
  language: "de-DE",
};

const read = (changes: object) => subscriptionIn(JSON.stringify({ ...GOOD, ...changes }))?.endpoint;

test.each([
  "https://fcm.googleapis.com/fcm/send/abc:def",
  "https://updates.push.services.mozilla.com/wpush/v2/gAAAA",
  "https://web.push.apple.com/QOab",
  "https://wns2-par02p.notify.windows.com/w/?token=BQ%3d",
  `https://fcm.googleapis.com/${"a".repeat(770)}`,
])("taken: %s", (endpoint) => expect(read({ endpoint })).toBe(endpoint));

describe("refused", () => {
  test.each([
    "http://fcm.googleapis.com/fcm/send/abc",
    "https://fcm.googleapis.com:8443/",
    "https://fcm.googleapis.com@evil.example/",
    "https://me:secret@fcm.googleapis.com/",
    "https://fcm.googleapis.com.evil.example/",
    "https://fcm.googleapis.com./",
    "https://evil.example/fcm.googleapis.com",
    "https://evilpush.apple.com.example/",
    "https://notpush.apple.com/",
    "https://push.apple.com/",
    "https://notify.windows.com/",
    "https://127.0.0.1/",
    "https://[::1]/",
    "https://localhost/",
    "file:///etc/passwd",
    "javascript:alert(1)",
    "",
    `https://fcm.googleapis.com/${"a".repeat(800)}`,
    `https://fcm.googleapis.com/?${"\\".repeat(500)}`,
    // Shorter than what it becomes.
    `https://fcm.googleapis.com/${" a".repeat(300)}`,
  ])("the endpoint %s", (endpoint) => expect(read({ endpoint })).toBeUndefined());

  test.each<[string, object]>([
    ["a language that is none", { language: "xx-XX" }],
    ["no language", { language: undefined }],
    ["no keys", { keys: undefined }],
    ["a short key", { keys: { ...GOOD.keys, p256dh: "BA" } }],
    ["a compressed key", { keys: { ...GOOD.keys, p256dh: browser.getPublicKey("base64url", "compressed") } }],
    ["a long secret", { keys: { ...GOOD.keys, auth: "a".repeat(5_000) } }],
    ["a secret with spaces", { keys: { ...GOOD.keys, auth: " ".repeat(22) } }],
    ["a list as its endpoint", { endpoint: ["https://fcm.googleapis.com/"] }],
  ])("%s", (_, changes) => expect(read(changes)).toBeUndefined());

  test.each(["{", "{}", "null", "[]", '"{}"', `{${'"a":{'.repeat(10_000)}`])("the text %.20s", (json) =>
    expect(subscriptionIn(json)).toBeUndefined(),
  );
});

test("nothing is kept but what a push needs, without a space, and only where the room offers push", () => {
  const written = JSON.stringify({ ...GOOD, expirationTime: null, more: "x".repeat(2_000) }, undefined, 2);
  expect(contactIn(written, ["email", "push"])).toEqual({ by: "push", text: JSON.stringify(GOOD) });
  expect(contactIn(written, ["email", "phone"])).toBeUndefined();
});

test("the longest fits, sealed, into a message between nodes", () => {
  const rest = 800 - "https://fcm.googleapis.com/?".length;
  const longest = `https://fcm.googleapis.com/?${"a".repeat(rest)}`;
  const contact = contactIn(JSON.stringify({ ...GOOD, endpoint: longest }), ["push"]);
  const sealed = contact && new ContactSeal(MESH).sealed(contact, "room", "visitor");
  const said = (text: string | undefined) => [["0".repeat(22), 1, 0, "default", text, 1]];
  const kept = ROOM_SHAPES.contacts.shape.kept;
  expect(kept.safeParse(said("s")).success).toBe(true);
  expect(kept.safeParse(said(sealed)).success).toBe(true);
});

test("a mesh has one key, which is a point of the curve, and another mesh another one", () => {
  const { publicKey } = new PushKeys(MESH);
  expect(new PushKeys({ ...MESH }).publicKey).toBe(publicKey);
  expect(new PushKeys({ ...MESH, meshId: "another" }).publicKey).not.toBe(publicKey);
  expect(browser.computeSecret(publicKey, "base64url")).toHaveLength(32);
});
