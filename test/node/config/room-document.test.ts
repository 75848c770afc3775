import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { stringify } from "yaml";
import type { Room } from "../../../node/config/room.ts";
import { parseRoom, patchRoom, roomDocument } from "../../../node/config/room-document.ts";
import { parseYaml } from "../../../node/config/yaml-text.ts";
import { LANGUAGES } from "../../../node/languages/texts.ts";
import { problemsOf, roomOf } from "./documents.ts";

const SMALLEST = { name: "shop", host: "Shop.Example.com", total_active_users: 500, new_users_per_minute: 100 };

describe("a room document", () => {
  test("needs four fields, and without the others is one of a session of 5 minutes at every path of its host", () => {
    expect(roomOf(SMALLEST)).toMatchObject({
      host: "shop.example.com",
      path: "/",
      sessionDuration: 5,
      queueAll: false,
    });
  });

  test.each([
    ["name", "my shop", "is not a room name"],
    ["name", 7, "is a number, not a text"],
    ["name", ":shop", "is not a room name"],
    ["name", "team:", "is not a room name"],
    ["name", `${"n".repeat(33)}:shop`, "is not a room name"],
    ["name", "team:shop\n", "is not a room name"],
    ["rules", {}, "is a group of fields, not a list"],
    ["additional_routes", "/x", "is a text, not a list"],
    ["total_active_users", 0, "is below 1"],
    ["total_active_users", 10_000_001, "is above 10000000"],
    ["total_active_users", "500", "is a text, not a number"],
    ["total_active_users", Number.NaN, "is not a finite number"],
    ["new_users_per_minute", 1.5, "is not a whole number"],
    ["session_duration", 31, "is above 30"],
    ["enter_within_seconds", 301, "is longer than a session of 5 min"],
    ["enter_within_seconds", -1, "is below 0"],
    ["place_kept_minutes", 0, "is below 1"],
    ["place_kept_minutes", 241, "is above 240"],
    ["disable_session_renewal", "yes", "is a text, not true or false"],
    ["queueing_method", "fiffo", "is not fifo, random, passthrough or reject"],
    ["queue_all", 1, "is a number, not true or false"],
    ["queueing_status_code", 503, "is not 200, 202 or 429"],
    ["custom_page_html", "{{#a}}", "is not a Mustache template"],
    ["default_template_language", "de", "is not a language of the built-in page"],
    ["cookie_attributes", { samesite: "none", secure: "never" }, "combines samesite none with secure never"],
    ["cookie_suffix", "a b", "is not a cookie suffix"],
    ["enabled_origin_commands", ["revoke", "revoke"], "has a command twice"],
    ["origin", 7, "is a number, not a text"],
    ["ramp", "50/500", "is not START/PERCENT/MINUTES"],
    ["ramp", "500/50/5", "does not say whether"],
    ["ramp", "500/s/0/5", "does not grow by above 0"],
    ["ramp", "500/s/-50/5", "is not START/PERCENT/MINUTES"],
    ["ramp", "0/s/50/5", "does not start at 1"],
    ["ramp", "500/min/50/0", "does not grow every 1"],
    ["ramp", { start: 500, unit: "min", percent: 50 }, "is a group of fields, not a text"],
  ])("with %s %j: the field %s", (field, value, problem) => {
    const [first, ...others] = problemsOf({ ...SMALLEST, [field]: value });
    expect(first).toMatchObject({ path: field, repair: expect.stringMatching(/^(write|close)/) });
    expect(first?.problem).toContain(problem);
    expect(others).toEqual([]);
  });

  test("reports all problems at once, each with its place and value", () => {
    const problems = problemsOf({
      name: "shop",
      host: "http://shop",
      total_active_users: 0,
      additional_routes: [{ hots: "a" }, { host: "a.b", path: "x" }],
      cookie_attributes: { secured: "auto" },
      bypass_cidrs: ["10.0.0.1", "10.0.0.0/99"],
    });
    expect(problems.map(({ path, value, problem }) => `${path} = ${value}: ${problem}`).sort()).toEqual([
      "additional_routes[0].host = undefined: is missing",
      'additional_routes[0].hots = "a": is not a known field',
      'additional_routes[1].path = "x": does not start with /',
      'bypass_cidrs[1] = "10.0.0.0/99": is not an address or range',
      'cookie_attributes.secured = "auto": is not a known field',
      'host = "http://shop": has a scheme',
      "new_users_per_minute = undefined: is missing",
      "total_active_users = 0: is below 1",
    ]);
  });

  test("says what a missing limit limits, and that limits start at 1", () => {
    const problems = problemsOf({ name: "shop", host: "*" });
    expect(problems.map(({ path }) => path)).toEqual(["total_active_users", "new_users_per_minute"]);
    expect(problems[0]?.repair).toMatch(/session at once.*limits start at 1/);
    expect(problems[1]?.repair).toMatch(/per minute.*limits start at 1/);
  });

  test("counts unknown fields beyond the first ones", () => {
    const fields = Object.fromEntries(Array.from({ length: 200_000 }, (_, at) => [`k${at}`, 1]));
    const room = { ...SMALLEST, ...fields, ["x".repeat(1_000_000)]: 1, throttle: fields };
    const problems = problemsOf(room);
    expect(problems.map(({ problem }) => problem)).toContain("has 199951 more unknown fields");
    expect(problems.filter(({ path }) => path === "throttle").map(({ problem }) => problem)).toEqual([
      "has 199950 more unknown fields",
    ]);
    expect(problems.length).toBeLessThan(110);
  });

  test("names the near miss of an unknown field", () => {
    expect(problemsOf({ ...SMALLEST, queing_method: "fifo" })).toEqual([
      {
        path: "queing_method",
        value: '"fifo"',
        problem: "is not a known field",
        repair: "did you mean queueing_method?",
      },
    ]);
    expect(problemsOf({ ...SMALLEST, totalActiveUsers: 5 })[0]?.repair).toBe("did you mean total_active_users?");
    expect(problemsOf({ ...SMALLEST, colour: "red" })[0]?.repair).toContain("--help lists the fields");
  });

  test("reads over the fields that Cloudflare adds to a room", () => {
    const added = { id: "699d98642c564d2e855e9661899b7252", created_on: "2014-01-01T05:20:00Z", modified_on: "x" };
    const events = { next_event_prequeue_start_time: null, next_event_start_time: null };
    expect(roomOf({ ...SMALLEST, ...added, ...events })).toEqual(roomOf(SMALLEST));
  });

  test.each([null, undefined, 5, "shop", [], true])("cannot be %j", (document) => {
    expect(problemsOf(document)).toHaveLength(1);
  });

  test("holds a shortened value in its problems", () => {
    const [problem] = problemsOf({ ...SMALLEST, custom_page_html: `{{#a}}${"x".repeat(10_000)}` });
    expect(problem?.value).toHaveLength(60);
  });
});

describe("a patch", () => {
  const room = roomOf({ ...SMALLEST, origin: "http://a", cookie_attributes: { samesite: "strict", secure: "always" } });

  test("changes the fields it names and no other", () => {
    const patched = patchRoom(room, { total_active_users: 7, name: "renamed", id: "ignored" });
    expect(patched).toEqual({ ok: true, value: { ...room, totalActiveUsers: 7, name: "renamed" } });
  });

  test("keeps what it does not name of cookie attributes and of the throttle", () => {
    const patched = patchRoom(room, { cookie_attributes: { samesite: "none" }, throttle: { k: 4 } });
    expect(patched.ok && [patched.value.cookieAttributes, patched.value.throttle]).toEqual([
      { samesite: "none", secure: "always" },
      { k: 4, latency: 3 },
    ]);
  });

  test("takes the origin away with an empty one", () => {
    const patched = patchRoom(room, { origin: "" });
    expect(patched.ok && patched.value.origin).toBeUndefined();
  });

  test("is checked like a document", () => {
    expect(patchRoom(room, { total_active_users: 0, foo: 1 })).toMatchObject({ ok: false, problems: [{}, {}] });
    expect(patchRoom(room, [])).toMatchObject({ ok: false });
  });
});

test("every room's document parses back to the same room, through YAML and JSON", () => {
  fc.assert(
    fc.property(rooms(), (room) => {
      expect(parseRoom(roomDocument(room))).toEqual({ ok: true, value: room });
      const read = parseYaml(stringify(roomDocument(room)));
      expect(read.ok && parseRoom(read.value)).toEqual({ ok: true, value: room });
      const json = parseYaml(JSON.stringify(roomDocument(room)));
      expect(json.ok && parseRoom(json.value)).toEqual({ ok: true, value: room });
    }),
  );
});

test("a value that has no text is a problem like any other", () => {
  expect(parseRoom({ ...SMALLEST, default_template_language: { toString: 0 } }).ok).toBe(false);
});

test("whatever the document, there is a room or a problem, and nothing is thrown", () => {
  fc.assert(
    fc.property(
      fc.anything(),
      fc.dictionary(fc.constantFrom(...Object.keys(roomDocument(roomOf(SMALLEST)))), fc.anything()),
      (any, fields) => {
        for (const document of [any, { ...SMALLEST, ...fields }]) {
          const result = parseRoom(document);
          if (!result.ok) expect(result.problems.length).toBeGreaterThan(0);
        }
      },
    ),
  );
});

/** Rooms with values in all fields whose document is not simply the value, or whose text YAML could take for another. */
function rooms(): fc.Arbitrary<Room> {
  const name = fc.stringMatching(/^([A-Za-z0-9_-]{1,32}:)?[A-Za-z0-9_-]{1,64}$/);
  const host = fc.constantFrom("*", "shop.example.com", "a.b", "10.0.0.1", "[::1]");
  const path = fc.constantFrom("/", "/tickets", "/a/b/", "/ü");
  const timeMs = fc.integer({ min: 0, max: 4_000_000_000_000 });
  const nothing = { nil: undefined };
  const base = roomOf(SMALLEST);
  const drawn = fc.record({
    name,
    description: fc.string({ maxLength: 1_000 }),
    host,
    path,
    additionalRoutes: fc.array(fc.record({ host, path }), { maxLength: 3 }),
    customPageHtml: fc.constantFrom("", "<p>{{waitTime}}</p>\n", "<p>{{#a}}: - 'x'\n\n  {{/a}}"),
    page: fc.record({
      ...{ title: fc.constantFrom("", "Größe & Co", "<b>"), message: fc.constantFrom("", "Doors open at 10") },
      ...{ hero: fc.constant(""), font: fc.constant("data:font/woff2;base64,AAAA"), logo: fc.constant("") },
      ...{ accent: fc.constantFrom("", "#0a7d4f"), background: fc.constantFrom("", "#fff") },
      texts: fc.constantFrom({}, { "de-DE": { message: "Gleich", "states.waiting.heading": "Hallo" } }),
      messageUntilMs: fc.option(timeMs, nothing),
      supportUrl: fc.constantFrom("", "mailto:help@example.com"),
      theme: fc.constantFrom("auto", "light", "dark"),
    }),
    defaultTemplateLanguage: fc.constantFrom(...LANGUAGES),
    lanes: fc.constantFrom<Room["lanes"][]>([], [30, 50, 20, 0, 0, 0, 0, 0, 0, 0]),
    waves: fc.constantFrom<Room["waves"][]>(
      [],
      [
        { name: "spring", rate: "500/50/10m", open: 500, startMs: 1_800_000_000_000, isPaused: true, count: 6_000 },
        { name: "b", rate: "1/1d", open: 0, startMs: 0, isPaused: false },
      ],
    ),
    cookieSuffix: fc.stringMatching(/^[A-Za-z0-9_-]{0,64}$/),
    enabledOriginCommands: fc.constantFrom<Room["enabledOriginCommands"][]>([], ["revoke"], ["extend", "complete"]),
    origin: fc.constantFrom<Room["origin"][]>(undefined, "http://127.0.0.1:3000", [
      { url: "http://a.example", weight: 0.5 },
      { url: "http://b.example", weight: 0 },
    ]),
    healthCheck: fc.option(
      fc.record({
        path: fc.constantFrom("/", "/healthz?x=1"),
        intervalSeconds: fc.integer({ min: 10, max: 300 }),
        timeoutSeconds: fc.integer({ min: 1, max: 10 }),
      }),
      nothing,
    ),
    notify: fc.option(
      fc.record({ by: fc.constantFrom(["email"], ["phone", "email"]), graceMinutes: fc.integer({ min: 1, max: 10 }) }),
      nothing,
    ),
    rollout: fc.option(
      fc.record({
        from: fc.constant([{ url: "http://old.example", weight: 0.98 }]),
        startedMs: timeMs,
        state: fc.constantFrom("running", "stopped", "reversed"),
        percent: fc.integer({ min: 0, max: 1_000 }).map((tenths) => tenths / 10),
        reason: fc.string({ maxLength: 500 }),
      }),
      nothing,
    ),
    bypassCidrs: fc.uniqueArray(fc.constantFrom("10.0.0.0/8", "203.0.113.7/32", "2001:db8::/32")),
    ramp: fc.option(
      fc.record({
        start: fc.integer({ min: 1, max: 166_666 }),
        unit: fc.constantFrom("s" as const, "min" as const),
        percent: fc.integer({ min: 1, max: 10_000 }).map((tenths) => tenths / 10),
        minutes: fc.integer({ min: 1, max: 1_440 }),
      }),
      nothing,
    ),
  });
  return drawn.map((fields) => ({ ...base, ...fields }));
}

describe("rules cost a request no more than a room may", () => {
  const costOf = (...expressions: string[]) => {
    const parsed = parseRoom({ ...SMALLEST, rules: expressions.map((expression) => ({ expression })) });
    return parsed.ok ? [] : parsed.problems.map(({ path, problem }) => `${path} ${problem}`);
  };

  test.each([
    ["steps of several rules", Array(4).fill('http.host matches "[a-z]{0,80}"'), "more than 600 steps in all"],
    ["steps on a path", Array(2).fill('http.request.uri.path matches "[a-z]{0,60}"'), "more than 600 steps in all"],
    ["characters", Array(9).fill(`http.host eq "${"a".repeat(4_000)}"`), "more than 32768 characters in all: 36135"],
  ])("%s", (_, expressions, problem) => {
    expect(costOf(...expressions.slice(1))).toEqual([]);
    expect(costOf(...expressions)).toEqual([expect.stringContaining(`rules have`)]);
    expect(costOf(...expressions)).toEqual([expect.stringContaining(problem)]);
  });
});
