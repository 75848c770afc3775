/** Zones as namespaces, what tokens see of them, pages of lists, settings and previews. */

import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { SCOPES } from "../../../../node/operator/access/principal.ts";
import { TOKEN } from "../../operator/admin-world.ts";
import { BASE, CloudflareWorld, failure, idOf, ORIGIN, OTHER, present, SHOP, ZONE } from "./cloudflare-world.ts";

let cloudflare: CloudflareWorld;
const rooms = () => cloudflare.client.waitingRooms;
const namesOf = (all: readonly { readonly name?: string | undefined }[]) => all.map(({ name }) => name);
const create = async (fields: object = {}) => present(await rooms().create({ ...SHOP, ...fields } as never));

beforeEach(() => {
  cloudflare = new CloudflareWorld();
});
afterEach(() => {
  expect(cloudflare.schemaFaults()).toEqual([]);
});

describe("zones are kept apart", () => {
  test("rooms of one name in two zones are two rooms, and each is known in its own alone", async () => {
    const one = idOf(await create());
    const two = idOf(await create({ zone_id: OTHER, host: "two.example", description: "the other" }));
    expect(one).not.toBe(two);
    expect((await rooms().get(two, { zone_id: OTHER }))?.description).toBe("the other");
    const before = cloudflare.snapshot();
    const there = { zone_id: OTHER } as const;
    for (const call of [
      rooms().get(one, there),
      rooms().edit(one, { ...SHOP, ...there }),
      rooms().update(one, { ...SHOP, ...there }),
      rooms().delete(one, there),
      rooms().statuses.get(one, there),
      rooms().events.list(one, there),
      rooms().rules.get(one, there),
      rooms().rules.create(one, {
        ...there,
        rules: { action: "bypass_waiting_room", expression: "ip.src in {10.0.0.0/8}" },
      }),
    ]) {
      const { status, errors } = await failure(call);
      expect([status, errors[0]?.code]).toEqual([404, 1404]);
    }
    expect(cloudflare.snapshot()).toBe(before);
    expect(namesOf((await rooms().list({ zone_id: OTHER })).result)).toEqual(["shop"]);
  });

  test("one host and path in two zones clash, as the gate needs one room for a path", async () => {
    await create();
    const before = cloudflare.snapshot();
    const { status, errors } = await failure(create({ zone_id: OTHER }));
    expect([status, errors[0]?.source?.pointer]).toEqual([400, "/host"]);
    expect(errors[0]?.message).toContain(`is a route of two rooms, ${ZONE}:shop and shop`);
    const route = await failure(
      create({
        host: "x.example",
        name: "x",
        additional_routes: [
          { host: "y.example", path: "/" },
          { host: "shop.example", path: "/" },
        ],
      }),
    );
    expect(route.errors[0]?.source?.pointer).toBe("/additional_routes/1");
    expect(cloudflare.snapshot()).toBe(before);
  });

  test.each(["a/b", "a%2Fb", "a b", "", "..", "x".repeat(33), "zone:shop", "ä"])("%j is no zone", async (zone) => {
    for (const path of ["waiting_rooms", "waiting_rooms/settings", "waiting_rooms/83c29c61988f12dd/rules"]) {
      const { status, body } = await cloudflare.raw("GET", `/zones/${encodeURIComponent(zone)}/${path}`);
      expect([status, body]).toMatchObject([404, { success: false, errors: [{ code: 7003 }] }]);
    }
  });

  test("an account lists the rooms of all zones, and none that is in no zone", async () => {
    await create();
    await create({ zone_id: OTHER, name: "b", host: "two.example" });
    cloudflare.world.rooms.create({ ...SHOP, zone_id: undefined, name: "plain", host: "plain.example" });
    const { result } = await rooms().list({ account_id: "any-account" });
    expect(namesOf(result).sort()).toEqual(["b", "shop"]);
    expect(result.map((room) => Reflect.get(Reflect.get(room, "anteroom"), "zone_id")).sort()).toEqual(
      [ZONE, OTHER].sort(),
    );
  });
});

describe("tokens", () => {
  const TEAM = { name: "team", scopes: SCOPES, namespace: ZONE } as const;

  test("of a namespace see that zone alone: others are unknown, not forbidden", async () => {
    const id = idOf(await create());
    const foreign = idOf(await create({ zone_id: OTHER, name: "secret", host: "two.example" }));
    const { waitingRooms: team } = cloudflare.clientOf(TEAM);
    expect(namesOf((await team.list({ zone_id: ZONE })).result)).toEqual(["shop"]);
    expect(namesOf((await team.list({ account_id: "any" })).result)).toEqual(["shop"]);
    expect((await team.get(id, { zone_id: ZONE }))?.id).toBe(id);
    const before = cloudflare.snapshot();
    for (const call of [
      team.list({ zone_id: OTHER }),
      team.get(foreign, { zone_id: OTHER }),
      team.get(foreign, { zone_id: ZONE }),
      team.create({ ...SHOP, zone_id: OTHER, host: "x.example" }),
      team.delete(foreign, { zone_id: OTHER }),
      team.settings.edit({ zone_id: OTHER, search_engine_crawler_bypass: true }),
      team.page.preview({ zone_id: OTHER, custom_html: "" }),
    ])
      expect((await failure(call)).status).toBe(404);
    const clash = await failure(team.create({ ...SHOP, name: "x", host: "two.example" }));
    expect(clash.errors[0]?.source?.pointer).toBe("/host");
    expect(clash.errors[0]?.message).toContain("a room that this token does not see");
    expect(clash.errors[0]?.message).not.toContain("secret");
    expect(cloudflare.snapshot()).toBe(before);
  });

  test("that may only read change nothing", async () => {
    const id = idOf(await create());
    const { waitingRooms: reader } = cloudflare.clientOf({ ...TEAM, scopes: ["read"] });
    expect((await reader.get(id, { zone_id: ZONE }))?.id).toBe(id);
    const before = cloudflare.snapshot();
    for (const call of [
      reader.create({ ...SHOP, name: "c" }),
      reader.edit(id, SHOP),
      reader.update(id, SHOP),
      reader.delete(id, { zone_id: ZONE }),
      reader.events.create(id, { zone_id: ZONE, name: "a", event_start_time: "", event_end_time: "" }),
      reader.rules.update(id, { zone_id: ZONE, rules: [] }),
      reader.settings.update({ zone_id: ZONE, search_engine_crawler_bypass: true }),
      reader.page.preview({ zone_id: ZONE, custom_html: "" }),
    ]) {
      const { status, errors } = await failure(call);
      expect([status, errors[0]?.code, errors[0]?.message]).toEqual([
        403,
        9109,
        expect.stringContaining("scope configure"),
      ]);
    }
    expect(cloudflare.snapshot()).toBe(before);
  });

  test("that are unknown, and keys of Cloudflare's accounts, get 401 with the repair", async () => {
    const wrong = await failure(cloudflare.clientWith({ apiToken: "guess" }).waitingRooms.list({ zone_id: ZONE }));
    expect([wrong.status, wrong.errors[0]?.code]).toEqual([401, 10_000]);
    const keyed = cloudflare.clientWith({ apiToken: null, apiKey: "k", apiEmail: "a@b.example" });
    const { status, errors } = await failure(keyed.waitingRooms.list({ zone_id: ZONE }));
    expect([status, errors[0]?.message]).toEqual([401, expect.stringContaining("X-Auth-Key and X-Auth-Email")]);
    expect(errors[0]?.message).toContain("Authorization: Bearer");
  });
});

describe("pages", () => {
  beforeEach(async () => {
    for (let at = 0; at < 7; at++) await create({ name: `room-${at}`, path: `/${at}` });
  });

  test("have every room once, and end", async () => {
    for (const perPage of [1, 3, 7, 1_000]) {
      const names: (string | undefined)[] = [];
      for await (const { name } of rooms().list({ zone_id: ZONE, per_page: perPage })) names.push(name);
      expect(names.sort()).toEqual(Array.from({ length: 7 }, (_, at) => `room-${at}`));
    }
    const { result, result_info } = await rooms().list({ zone_id: ZONE, page: 3, per_page: 3 });
    expect([result.length, result_info]).toEqual([
      1,
      { count: 1, page: 3, per_page: 3, total_count: 7, total_pages: 3 },
    ]);
    expect((await rooms().list({ zone_id: ZONE, page: 9 })).result).toEqual([]);
  });

  const BAD = ["page=0", "page=-1", "page=1.5", "page=x", "page=", "page=99999999999"];
  test.each([...BAD, "per_page=0", "per_page=1001", "per_page=1e2"])("%s is refused", async (query) => {
    for (const path of [`/zones/${ZONE}/waiting_rooms`, "/accounts/any/waiting_rooms"]) {
      const { status, body } = await cloudflare.raw("GET", `${path}?${query}`);
      expect([status, body]).toMatchObject([
        400,
        { errors: [{ message: expect.stringContaining(query.split("=")[0] ?? "") }] },
      ]);
    }
  });
});

describe("settings", () => {
  const get = async () => (await rooms().settings.get({ zone_id: ZONE }))?.search_engine_crawler_bypass;

  test("let proven crawlers bypass the rooms of the zone, those that are made later too", async () => {
    const crawlers = () => cloudflare.world.rooms.all().map(({ room }) => room.crawlers);
    expect(await get()).toBe(false);
    await create();
    await create({ zone_id: OTHER, host: "two.example" });
    const on = await rooms().settings.edit({ zone_id: ZONE, search_engine_crawler_bypass: true });
    expect(on).toEqual({ search_engine_crawler_bypass: true });
    await create({ name: "later", path: "/later" });
    expect([await get(), crawlers()]).toEqual([true, ["bypass", "wait", "bypass"]]);
    expect((await rooms().settings.edit({ zone_id: ZONE }))?.search_engine_crawler_bypass).toBe(true);
    expect((await rooms().settings.update({ zone_id: ZONE }))?.search_engine_crawler_bypass).toBe(false);
    expect(crawlers()).toEqual(["wait", "wait", "wait"]);
  });

  test("are kept for a zone without rooms, and say what its rooms do", async () => {
    await rooms().settings.update({ zone_id: ZONE, search_engine_crawler_bypass: true });
    expect([await get(), (await rooms().settings.get({ zone_id: OTHER }))?.search_engine_crawler_bypass]).toEqual([
      true,
      false,
    ]);
    await create({ anteroom: { crawlers: "wait" } });
    expect(await get()).toBe(false);
  });

  const FIELD = "search_engine_crawler_bypass";
  test.each([{ [FIELD]: "yes" }, { [FIELD]: null }, { crawler: true }, [], 5])("%j is refused", async (body) => {
    const before = cloudflare.snapshot();
    for (const method of ["PUT", "PATCH"])
      expect((await cloudflare.raw(method, `/zones/${ZONE}/waiting_rooms/settings`, body)).status).toBe(400);
    expect(cloudflare.snapshot()).toBe(before);
  });
});

describe("a preview", () => {
  const preview = async (html: string, zone_id = ZONE) =>
    present((await rooms().page.preview({ zone_id, custom_html: html }))?.preview_url);
  const look = (url: string) => cloudflare.app.request(url);

  test("is shown at the admin address without a token, in a sandbox of its own", async () => {
    const url = await preview("<p>{{waitTime}} min{{#queueIsFull}} full{{/queueIsFull}}</p><script>alert(1)</script>");
    expect(url).toMatch(new RegExp(`^${ORIGIN}/preview/[0-9a-f]{32}$`));
    const page = await look(url);
    expect([page.status, await page.text()]).toEqual([200, expect.stringContaining("<p>10 min</p>")]);
    const policy = page.headers.get("Content-Security-Policy") ?? "";
    expect(policy).toMatch(/^sandbox allow-scripts;/);
    expect(policy).not.toContain("allow-same-origin");
    expect(policy).toContain("connect-src 'none'");
    expect([page.headers.get("X-Content-Type-Options"), page.headers.get("Referrer-Policy")]).toEqual([
      "nosniff",
      "no-referrer",
    ]);
    expect(await (await look(`${url}?waitTime=50&queue_is_full=true`)).text()).toContain("<p>50 min full</p>");
    const held = await preview(
      "<p>{{#isEventPrequeueing}}prequeue{{/isEventPrequeueing}}{{^waitTimeKnown}} held{{/waitTimeKnown}}",
    );
    expect(await (await look(`${held}?event=prequeueing&force_queue=true`)).text()).toContain("prequeue held");
  });

  test("of a host with workers is at the address by which the request came", async () => {
    const request = {
      method: "POST",
      headers: { Authorization: `Bearer ${TOKEN}`, "Content-Type": "application/json" },
      body: '{"custom_html": "<p>"}',
    };
    const url = `http://127.0.0.1:7/client/v4/zones/${ZONE}/waiting_rooms/preview`;
    const answer = await cloudflare.app.request(url, request, { from: "192.0.2.1", host: "admin.test:8081" });
    expect(await answer.json()).toMatchObject({
      result: { preview_url: expect.stringContaining(`${ORIGIN}/preview/`) },
    });
  });

  test("without a template is the built-in page, and does not last for ever", async () => {
    const url = await preview("");
    expect((await (await look(url)).text()).toLowerCase()).toContain("<!doctype html>");
    cloudflare.world.nowMs += 3_600_000;
    expect((await look(url)).status).toBe(404);
    expect((await look(`${ORIGIN}/preview/0`)).status).toBe(404);
  });

  test("of many in a zone, its oldest makes way, and none of other zones", async () => {
    const [other, first] = [await preview("<p>other", OTHER), await preview("<p>first")];
    for (let at = 0; at < 64; at++) await preview(`<p>${at}`);
    expect([(await look(first)).status, (await look(other)).status]).toEqual([404, 200]);
  });

  const BAD: readonly unknown[] = [
    ...[{}, { custom_html: 5 }, { custom_html: null }, [], "x"],
    ...[{ custom_html: "{{#open}}" }, { custom_html: "<p>", custom_page_html: "y" }, { custom_html: "Please wait" }],
    { custom_html: "x".repeat(300_000) },
  ];
  test.each(BAD.map((body) => [JSON.stringify(body).slice(0, 60), body] as const))(
    "of %s is refused",
    async (_shown, body) => {
      const { status, body: answer } = await cloudflare.raw("POST", `/zones/${ZONE}/waiting_rooms/preview`, body);
      expect([status, answer]).toMatchObject([400, { success: false }]);
    },
  );
});

test("the base URL without /client/v4 is answered with its repair", async () => {
  for (const path of [`/zones/${ZONE}/waiting_rooms`, "/accounts/a/waiting_rooms"]) {
    const response = await cloudflare.app.request(`${ORIGIN}${path}`, {
      headers: { Authorization: `Bearer ${TOKEN}` },
    });
    const body = (await response.json()) as { errors: { message: string }[] };
    expect([response.status, body]).toMatchObject([404, { success: false, errors: [{ code: 7003 }] }]);
    expect(body.errors[0]?.message).toContain("/client/v4");
  }
  expect(BASE).toContain("/client/v4");
});
