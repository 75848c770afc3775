/** Waiting rooms by Cloudflare's SDK, and what the gate then does. */

import type { WaitingRoom } from "cloudflare/resources/waiting-rooms/waiting-rooms";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { LANGUAGES_THERE } from "./answer-schema.ts";
import { CloudflareWorld, failure, idOf, present, SHOP, ZONE } from "./cloudflare-world.ts";

let cloudflare: CloudflareWorld;
const rooms = () => cloudflare.client.waitingRooms;

/** A change of what is named: the types of the SDK ask for all required fields. */
const edit = (id: string, fields: object) =>
  rooms()
    .edit(id, { zone_id: ZONE, ...fields } as never)
    .then(present);

beforeEach(() => {
  cloudflare = new CloudflareWorld();
});
afterEach(() => {
  expect(cloudflare.schemaFaults()).toEqual([]);
});

/** The fields of a room that say nothing but what every room needs. */
const DEFAULTS = {
  description: "",
  path: "/",
  additional_routes: [],
  session_duration: 5,
  disable_session_renewal: false,
  queueing_method: "fifo",
  queue_all: false,
  suspended: false,
  queueing_status_code: 200,
  json_response_enabled: false,
  custom_page_html: "",
  default_template_language: "en-US",
  cookie_attributes: { samesite: "auto", secure: "auto" },
  cookie_suffix: "",
  enabled_origin_commands: [],
  turnstile_mode: "invisible",
  turnstile_action: "log",
  next_event_prequeue_start_time: null,
  next_event_start_time: null,
} as const;

/** Values other than the defaults, of every field. */
const ALL = {
  description: "the winter sale",
  host: "www.shop.example",
  path: "/sale",
  additional_routes: [{ host: "shop.example", path: "/checkout" }],
  total_active_users: 7,
  new_users_per_minute: 20,
  session_duration: 30,
  disable_session_renewal: true,
  queueing_method: "random",
  queue_all: true,
  suspended: true,
  queueing_status_code: 429,
  json_response_enabled: true,
  custom_page_html: "<p>{{waitTime}} min</p>",
  default_template_language: "zh-TW",
  cookie_attributes: { samesite: "none", secure: "always" },
  cookie_suffix: "abcd",
  enabled_origin_commands: ["revoke"],
  turnstile_mode: "off",
  turnstile_action: "infinite_queue",
} as const;

const create = async (fields: object = {}): Promise<WaitingRoom> =>
  present(await rooms().create({ ...SHOP, ...fields } as never));

describe("a room", () => {
  test("is created with every default echoed, and got as it was created", async () => {
    const created = await create();
    const { zone_id: _zone, ...given } = SHOP;
    expect(created).toMatchObject({ ...DEFAULTS, ...given, created_on: "2026-09-11T11:45:00.000Z" });
    expect(await rooms().get(idOf(created), { zone_id: ZONE })).toEqual(created);
    expect(cloudflare.world.rooms.byId(idOf(created) as never)?.room.name).toBe(`${ZONE}:shop`);
  });

  test("keeps each field that is set, and a patch of one leaves the others", async () => {
    const created = await create(ALL);
    expect(created).toMatchObject(ALL);
    for (const [field, value] of Object.entries(ALL)) {
      const id = idOf(created);
      const [other] = Object.entries({
        ...DEFAULTS,
        host: "shop.example",
        total_active_users: 2,
        new_users_per_minute: 10,
      })
        .filter(([name]) => name === field)
        .map(([, each]) => each);
      const changed = await edit(id, { [field]: other });
      expect(changed).toMatchObject({ ...ALL, [field]: other });
      await edit(id, { [field]: value });
    }
    const changed = await edit(idOf(created), { cookie_attributes: { samesite: "lax" } });
    expect(changed.cookie_attributes).toEqual({ samesite: "lax", secure: "always" });
  });

  test.each(LANGUAGES_THERE)("may have the language %s", async (language) => {
    expect((await create({ default_template_language: language })).default_template_language).toBe(language);
  });

  test("is replaced whole by put: what is not named is the default again", async () => {
    const id = idOf(await create(ALL));
    const { zone_id: _zone, ...given } = SHOP;
    const replaced = present(await rooms().update(id, SHOP));
    expect(replaced).toMatchObject({ ...DEFAULTS, ...given, id });
    const half = await rooms().update(id, { ...SHOP, cookie_attributes: { secure: "always" } });
    expect(half?.cookie_attributes).toEqual({ samesite: "auto", secure: "always" });
    const { errors } = await failure(rooms().update(id, { zone_id: ZONE } as never));
    const missing = ["/name", "/host", "/total_active_users", "/new_users_per_minute"];
    expect(errors.map(({ source }) => source?.pointer).sort()).toEqual(missing.sort());
    expect(errors.every(({ code }) => code === 1402)).toBe(true);
  });

  test("goes out and comes in again: an answer may be put back as it is", async () => {
    const created = await create({ ...ALL, anteroom: { queue_max: 5, proof_of_work_mode: "off", crawlers: "refuse" } });
    cloudflare.world.nowMs += 60_000;
    expect(await rooms().update(idOf(created), { zone_id: ZONE, ...created } as never)).toEqual(created);
    expect(await edit(idOf(created), created)).toEqual(created);
  });

  test("is renamed without another id, and deleted", async () => {
    const id = idOf(await create());
    cloudflare.world.nowMs += 1_000;
    const renamed = await edit(id, { name: "store" });
    expect([renamed.id, renamed.name, renamed.created_on]).toEqual([id, "store", "2026-09-11T11:45:00.000Z"]);
    expect(renamed.modified_on).toBe("2026-09-11T11:45:01.000Z");
    expect(await rooms().delete(id, { zone_id: ZONE })).toEqual({ id });
    const { status, errors } = await failure(rooms().get(id, { zone_id: ZONE }));
    expect([status, errors[0]?.code]).toEqual([404, 1404]);
    expect(cloudflare.world.rooms.all()).toEqual([]);
  });
});

describe("fields that only anteroom has", () => {
  const anteroomOf = (room: WaitingRoom) => Reflect.get(room, "anteroom") as Record<string, unknown>;

  test("travel in anteroom, both ways", async () => {
    const anteroom = { queue_max: 3, origin: "http://10.0.0.1:3000", page: { title: "Shop" }, slot_policy: "even" };
    const created = await create({ anteroom });
    expect(anteroomOf(created)).toMatchObject({ ...anteroom, page: { title: "Shop", theme: "auto" } });
    const patched = await edit(idOf(created), { anteroom: { page: { message: "soon" } } });
    expect(anteroomOf(patched)).toMatchObject({ queue_max: 3, page: { title: "Shop", message: "soon" } });
  });

  test("stay when a put says nothing of them, and are the default again when it names others", async () => {
    const id = idOf(await create({ anteroom: { queue_max: 3, origin: "http://10.0.0.1:3000" } }));
    const kept = present(await rooms().update(id, SHOP));
    expect(anteroomOf(kept)).toMatchObject({ queue_max: 3, origin: "http://10.0.0.1:3000" });
    const reset = present(await rooms().update(id, { ...SHOP, anteroom: { queue_max: 4 } } as never));
    expect([anteroomOf(reset).queue_max, "origin" in anteroomOf(reset)]).toEqual([4, false]);
  });

  test("rules and events are no part of a room: a put leaves them", async () => {
    const id = idOf(await create());
    const rule = { action: "bypass_waiting_room", expression: "ip.src in {10.0.0.0/8}" } as const;
    await rooms().rules.create(id, { zone_id: ZONE, rules: rule });
    const times = { event_start_time: "2026-11-27T10:00:00Z", event_end_time: "2026-11-27T12:00:00Z" };
    await rooms().events.create(id, { zone_id: ZONE, name: "sale", ...times });
    const replaced = await rooms().update(id, { ...SHOP, anteroom: {} } as never);
    expect(replaced?.next_event_start_time).toBe("2026-11-27T10:00:00.000Z");
    expect((await rooms().rules.get(id, { zone_id: ZONE })).result).toHaveLength(1);
  });

  test("the proof of work stands for Turnstile, and one field does not contradict the other", async () => {
    const proofOf = (room: WaitingRoom) => anteroomOf(room).proof_of_work_mode;
    const created = await create({ anteroom: { proof_of_work_mode: "always" } });
    expect([created.turnstile_mode, proofOf(created)]).toEqual(["invisible", "always"]);
    const id = idOf(created);
    expect(proofOf(await edit(id, { turnstile_mode: "invisible" }))).toBe("always");
    expect(proofOf(present(await rooms().update(id, SHOP)))).toBe("always");
    expect(proofOf(await edit(id, { turnstile_mode: "off" }))).toBe("off");
    expect(proofOf(await edit(id, { turnstile_mode: "invisible" }))).toBe("auto");
    expect((await edit(id, { anteroom: { proof_of_work_mode: "off" } })).turnstile_mode).toBe("off");
    const both = { turnstile_mode: "off", anteroom: { proof_of_work_mode: "auto" } };
    const { errors } = await failure(edit(id, both));
    expect(errors.map(({ source }) => source?.pointer)).toEqual(["/anteroom/proof_of_work_mode"]);
  });

  test("commands of origins that only anteroom has travel there too", async () => {
    const created = await create({
      enabled_origin_commands: ["revoke"],
      anteroom: { enabled_origin_commands: ["extend"] },
    });
    const both = (room: WaitingRoom) => [room.enabled_origin_commands, anteroomOf(room).enabled_origin_commands];
    expect(both(created)).toEqual([["revoke"], ["extend"]]);
    const id = idOf(created);
    expect(both(await edit(id, { enabled_origin_commands: [] }))).toEqual([[], ["extend"]]);
    expect(both(await edit(id, { anteroom: { enabled_origin_commands: ["complete"] } }))).toEqual([[], ["complete"]]);
    expect(both(present(await rooms().update(id, { ...SHOP, enabled_origin_commands: ["revoke"] })))).toEqual([
      ["revoke"],
      ["complete"],
    ]);
    const { errors } = await failure(edit(id, { enabled_origin_commands: ["extend"] }));
    expect(errors.map(({ source }) => source?.pointer)).toEqual(["/enabled_origin_commands/0"]);
  });
});

test("the status says what the gate does", async () => {
  const { world } = cloudflare;
  const id = idOf(await create({ queueing_status_code: 202 }));
  const status = async () => present(await rooms().statuses.get(id, { zone_id: ZONE }));
  await world.fill(`${ZONE}:shop`);
  expect((await world.answered()).status).toBe(202);
  const queueing = { status: "queueing", estimated_total_active_users: 2, estimated_queued_users: 1, event_id: "" };
  expect(await status()).toMatchObject(queueing);
  await edit(id, { queue_all: true });
  expect((await status()).status).toBe("queueing");
  await edit(id, { queue_all: false, suspended: true });
  expect((await status()).status).toBe("suspended");
  await edit(id, { suspended: false, queueing_method: "passthrough" });
  expect((await status()).status).toBe("not_queueing");
});
