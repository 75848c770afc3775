/** Events of a waiting room by Cloudflare's SDK. */

import type { Event } from "cloudflare/resources/waiting-rooms/events/events";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { TOKEN } from "../../operator/admin-world.ts";
import { CloudflareWorld, failure, idOf, present, SHOP, ZONE } from "./cloudflare-world.ts";

let cloudflare: CloudflareWorld;
let room: string;
const events = () => cloudflare.client.waitingRooms.events;
const at = (id: string) => [id, { zone_id: ZONE, waiting_room_id: room }] as const;

/** From a minute after the world's start; its pre-queue begins at once. */
const SALE = {
  zone_id: ZONE,
  name: "sale",
  event_start_time: "2026-09-11T12:00:00Z",
  event_end_time: "2026-09-11T13:00:00Z",
};

const create = async (fields: object = {}): Promise<Event> =>
  present(await events().create(room, { ...SALE, ...fields } as never));
const edit = (id: string, fields: object) =>
  events()
    .edit(id, { zone_id: ZONE, waiting_room_id: room, ...fields } as never)
    .then(present);

beforeEach(async () => {
  cloudflare = new CloudflareWorld();
  room = idOf(present(await cloudflare.client.waitingRooms.create(SHOP)));
});
afterEach(() => {
  expect(cloudflare.schemaFaults()).toEqual([]);
});

/** An event that only has a name and a time inherits all. */
const INHERITS = {
  ...{ description: "", suspended: false, prequeue_start_time: null, shuffle_at_event_start: false },
  ...{ total_active_users: null, new_users_per_minute: null, session_duration: null, disable_session_renewal: null },
  ...{ queueing_method: null, custom_page_html: null, turnstile_mode: null, turnstile_action: null },
};

const ALL = {
  description: "the winter sale",
  suspended: true,
  prequeue_start_time: "2026-09-11T11:50:00.000Z",
  shuffle_at_event_start: true,
  total_active_users: 9,
  new_users_per_minute: 8,
  session_duration: 7,
  disable_session_renewal: true,
  queueing_method: "random",
  custom_page_html: "<p>sale {{waitTime}}</p>",
} as const;

describe("an event", () => {
  test("inherits what it does not set, and its details have it from the room", async () => {
    const created = await create();
    expect(created).toMatchObject({ ...INHERITS, event_start_time: "2026-09-11T12:00:00.000Z" });
    expect(await events().get(...at(idOf(created)))).toEqual(created);
    const details = await events().details.get(...at(idOf(created)));
    expect(details).toMatchObject({
      ...{ id: created.id, name: "sale", total_active_users: 2, new_users_per_minute: 10, session_duration: 5 },
      ...{ queueing_method: "fifo", disable_session_renewal: false, custom_page_html: "" },
    });
    const live = await cloudflare.client.waitingRooms.get(room, { zone_id: ZONE });
    expect(live?.next_event_start_time).toBe("2026-09-11T12:00:00.000Z");
  });

  test("keeps what it sets; a patch changes what it names; a put sets the rest to inherit", async () => {
    const created = await create(ALL);
    expect(created).toMatchObject(ALL);
    const id = idOf(created);
    expect(await events().details.get(...at(id))).toMatchObject({ ...ALL, id });
    cloudflare.world.nowMs += 5_000;
    const patched = await edit(id, { description: "spring", custom_page_html: null });
    expect(patched).toMatchObject({ ...ALL, id, description: "spring", custom_page_html: null });
    expect([patched.created_on, patched.modified_on]).toEqual(["2026-09-11T11:45:00.000Z", "2026-09-11T11:45:05.000Z"]);
    const put = await events().update(id, { ...SALE, waiting_room_id: room });
    expect(put).toMatchObject({ ...INHERITS, id, created_on: created.created_on });
    const { errors } = await failure(events().update(id, { zone_id: ZONE, waiting_room_id: room } as never));
    const pointers = errors.map(({ source }) => source?.pointer).sort();
    expect(pointers).toEqual(["/event_end_time", "/event_start_time", "/name"]);
  });

  test("goes out and comes in again as it is", async () => {
    const created = await create({
      ...ALL,
      anteroom: { draw: true, draw_public_value: "lottery", ramp: "10/min/50/5" },
    });
    cloudflare.world.nowMs += 5_000;
    const again = await events().update(idOf(created), { ...created, zone_id: ZONE, waiting_room_id: room } as never);
    expect(again).toEqual(created);
  });

  test("keeps its id when it is renamed, and also when it is changed by other ways", async () => {
    const { id } = await create();
    await create({ name: "other", event_start_time: "2026-10-01T10:00:00Z", event_end_time: "2026-10-01T11:00:00Z" });
    await edit(idOf({ id }), { name: "winter" });
    const v1 = (method: string, body: object) =>
      cloudflare.app.request(`/v1/rooms/${ZONE}:shop/events/winter`, {
        method,
        headers: { Authorization: `Bearer ${TOKEN}`, "Content-Type": "application/json" },
        body: JSON.stringify(body),
      });
    expect((await v1("PATCH", { description: "by another way" })).status).toBe(200);
    const found = await events().get(...at(idOf({ id })));
    expect([found?.id, found?.name, found?.description]).toEqual([id, "winter", "by another way"]);
    const { rooms } = cloudflare.world;
    const patch = {
      events: [{ name: "new", event_start_time: "2027-01-01T10:00:00Z", event_end_time: "2027-01-02T10:00:00Z" }],
    };
    expect(rooms.update(`${ZONE}:shop`, patch).ok).toBe(true);
    const all = (await events().list(room, { zone_id: ZONE })).result;
    expect(all.map(({ name }) => name)).toEqual(["new"]);
    expect(await events().get(...at(idOf(all[0] ?? {})))).toEqual(all[0]);
  });

  test("is deleted, and its id is unknown then, as an id of another room is", async () => {
    const { id } = await create();
    const other = idOf(present(await cloudflare.client.waitingRooms.create({ ...SHOP, name: "two", path: "/two" })));
    const there = { zone_id: ZONE, waiting_room_id: other };
    expect((await failure(events().get(idOf({ id }), there))).status).toBe(404);
    expect(await events().delete(...at(idOf({ id })))).toEqual({ id });
    for (const call of [
      events().get(...at(idOf({ id }))),
      events().details.get(...at(idOf({ id }))),
      events().delete(...at(idOf({ id }))),
      events().edit(idOf({ id }), { ...SALE, waiting_room_id: room }),
    ])
      expect((await failure(call)).status).toBe(404);
    expect((await events().list(room, { zone_id: ZONE })).result).toEqual([]);
  });
});

test("the status names the event that is in force", async () => {
  const { world } = cloudflare;
  const created = await create({ prequeue_start_time: "2026-09-11T11:50:00Z" });
  const status = async () => {
    const now = present(await cloudflare.client.waitingRooms.statuses.get(room, { zone_id: ZONE }));
    return [now.status, now.event_id];
  };
  const at = async (time: string) => {
    world.nowMs = Date.parse(time);
    await world.ask();
    return status();
  };
  expect(await status()).toEqual(["not_queueing", ""]);
  expect(await at("2026-09-11T11:50:00Z")).toEqual(["event_prequeueing", created.id]);
  expect((await at("2026-09-11T12:00:00Z"))[1]).toBe(created.id);
  await edit(idOf(created), { suspended: true });
  expect((await at("2026-09-11T12:01:00Z"))[1]).toBe("");
  await edit(idOf(created), { suspended: false });
  expect((await at("2026-09-11T13:30:00Z"))[1]).toBe("");
});

test("events are listed with the earliest first", async () => {
  for (const day of [2, 3, 1]) {
    const times = { event_start_time: `2027-01-0${day}T10:00:00Z`, event_end_time: `2027-01-0${day}T11:00:00Z` };
    await create({ name: `day-${day}`, ...times });
  }
  const { result } = await events().list(room, { zone_id: ZONE });
  expect(result.map(({ name }) => name)).toEqual(["day-1", "day-2", "day-3"]);
});

describe("what is refused changes nothing", () => {
  const CASES: readonly (readonly [why: string, fields: object, pointers: readonly string[]])[] = [
    ["one limit alone", { total_active_users: 5 }, ["/total_active_users"]],
    ["a moment without zone", { event_start_time: "tomorrow" }, ["/event_start_time"]],
    ["a check of its own", { turnstile_mode: "off" }, ["/turnstile_mode"]],
    ["an unknown field", { totl: 5, anteroom: { drw: true } }, ["/totl", "/anteroom/drw"]],
    ["our field beside theirs", { draw: true }, ["/draw"]],
    ["a draw of nothing", { anteroom: { draw: true } }, ["/anteroom/draw"]],
    ["all at once", { totl: 5, name: "", session_duration: 1441 }, ["/totl", "/name", "/session_duration"]],
  ];

  test.each(CASES)("%s", async (_why, fields, pointers) => {
    const { id } = await create({ event_start_time: "2027-01-01T10:00:00Z", event_end_time: "2027-01-01T12:00:00Z" });
    const before = cloudflare.snapshot();
    const sale = { ...SALE, name: "other", ...fields };
    for (const call of [
      events().create(room, sale as never),
      events().update(idOf({ id }), { ...sale, waiting_room_id: room } as never),
      edit(idOf({ id }), { ...SALE, ...fields }),
    ]) {
      const { status, errors } = await failure(call);
      expect([status, errors.map(({ source }) => source?.pointer).sort()]).toEqual([400, [...pointers].sort()]);
    }
    expect(cloudflare.snapshot()).toBe(before);
  });

  test("two events at one time, or of one name", async () => {
    await create();
    const before = cloudflare.snapshot();
    const overlapping = await failure(create({ name: "two" }));
    expect(overlapping.errors.map(({ source }) => source?.pointer)).toEqual(["/event_start_time"]);
    const same = await failure(
      create({ event_start_time: "2027-01-01T10:00:00Z", event_end_time: "2027-01-01T11:00:00Z" }),
    );
    expect(same.errors.map(({ source }) => source?.pointer)).toEqual(["/name"]);
    expect(cloudflare.snapshot()).toBe(before);
  });
});
