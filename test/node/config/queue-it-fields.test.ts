import { describe, expect, test } from "vitest";
import { checkRooms } from "../../../node/config/check-rooms.ts";
import { patchRoom, roomDocument } from "../../../node/config/room-document.ts";
import { problemsOf, resolved, roomOf } from "./documents.ts";

const QUEUE_IT = { event_id: "tickets", protects: ["https://www.shop.example/tickets"] };
const ROOM = { name: "t", host: "queue.example", total_active_users: 1, new_users_per_minute: 1, queue_it: QUEUE_IT };

const placesOf = (document: object) => problemsOf(document).map(({ path }) => path);

describe("a room for connectors", () => {
  test("is written and read, its sites without a slash at the end", () => {
    const room = roomOf({
      ...ROOM,
      queue_it: { ...QUEUE_IT, protects: ["https://A.example", "http://b.example:81/x//"] },
    });
    expect(room.queueIt).toEqual({ eventId: "tickets", protects: ["https://a.example/", "http://b.example:81/x"] });
    expect(roomOf(roomDocument(room))).toEqual(room);
    const patched = patchRoom(room, { queue_it: null, origin: "http://10.0.0.1" });
    expect(patched.ok && patched.value.queueIt).toBeUndefined();
  });

  test.each([
    [{ host: "*" }, "host"],
    [{ session_duration: 1 }, "session_duration"],
    [{ origin: "http://10.0.0.1" }, "origin"],
    [{ health_check: { path: "/" } }, "health_check"],
    [{ additional_routes: [{ host: "b.example" }] }, "additional_routes"],
    [{ enabled_origin_commands: ["revoke"] }, "enabled_origin_commands"],
    [{ queue_it: { ...QUEUE_IT, event_id: "Tickets" } }, "queue_it.event_id"],
    [{ queue_it: { ...QUEUE_IT, event_id: "a_b" } }, "queue_it.event_id"],
    [{ queue_it: { ...QUEUE_IT, event_id: "a~b" } }, "queue_it.event_id"],
    [{ queue_it: { event_id: "a" } }, "queue_it.protects"],
    [{ queue_it: { ...QUEUE_IT, protects: [] } }, "queue_it.protects"],
    [{ queue_it: { ...QUEUE_IT, protects: ["www.shop.example"] } }, "queue_it.protects[0]"],
    [{ queue_it: { ...QUEUE_IT, protects: ["javascript:alert(1)"] } }, "queue_it.protects[0]"],
    [{ queue_it: { ...QUEUE_IT, protects: ["https://a@b.example/"] } }, "queue_it.protects[0]"],
    [{ queue_it: { ...QUEUE_IT, protects: ["https://b.example/?x"] } }, "queue_it.protects[0]"],
    [{ queue_it: { ...QUEUE_IT, secret: "x" } }, "queue_it.secret"],
  ])("with %o has a problem at %s", (fields, path) => {
    expect(placesOf({ ...ROOM, ...fields })).toEqual([path]);
  });

  test("has an event id of its own", () => {
    const rooms = [roomOf(ROOM), roomOf({ ...ROOM, name: "u", path: "/u" })];
    expect(checkRooms(rooms)).toMatchObject([{ path: "rooms[1].queue_it.event_id", value: '"tickets"' }]);
  });
});

test.each<[Readonly<Record<string, string>>, readonly string[]]>([
  [{ "queue-it-customer": "acme" }, ["--queue-it-customer"]],
  [{ "queue-it-secret": "s" }, ["--queue-it-secret"]],
  [{ "queue-it-customer": "a/b", "queue-it-secret": "s" }, ["--queue-it-customer"]],
  [{ "queue-it-customer": "acme", "queue-it-secret": "s", "queue-it-api-key": "k" }, []],
])("settings for other queues: %o has problems at %o", (flags, paths) => {
  const read = resolved(flags);
  expect(read.ok ? [] : read.problems.map(({ path }) => path)).toEqual(paths);
});
