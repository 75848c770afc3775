/** A room's brand, and what it costs: the page, its policy, the message, icon and logo, the id that the log has too. */

import { describe, expect, test } from "vitest";
import { PREFLIGHTS_PER_ROOM_MIN } from "../../../node/admission/address-limit.ts";
import { type Answered, fieldOf } from "./fake-exchange.ts";
import { GateWorld } from "./gate-world.ts";

const HTML = { Accept: "text/html" };
const ASSET = { "Sec-Fetch-Mode": "no-cors", "Sec-Fetch-Dest": "image", "Sec-Fetch-Site": "same-origin" };
const LOGO = "https://shop.example/brand/logo.svg?v=2";
const BRAND = { title: "A & B", logo: LOGO, accent: "#ffee00", support_url: "https://help.example/?a&b" };

const full = (page: object, more: object = {}) => GateWorld.full({ total_active_users: 1, page }, more);

const policyOf = ({ headers }: Answered) => fieldOf(headers, "Content-Security-Policy") ?? "";

describe("a room's brand", () => {
  test("is on the waiting page and on error pages, escaped, and the policy lets in the logo's origin only", async () => {
    const world = await full({ ...BRAND, logo: "https://cdn.example:8443/l.svg" });
    const waiting = await world.answered({ headers: HTML });
    const asset = await world.answered({ method: "HEAD", headers: HTML });
    expect(asset.status).toBe(503);
    for (const answer of [waiting, asset]) {
      expect(answer.body).toContain('<img src="https://cdn.example:8443/l.svg" alt="A &amp; B">');
      expect(answer.body).toContain('<a href="https://help.example/?a&amp;b">');
      expect(policyOf(answer)).toContain("img-src 'self' data: https://cdn.example:8443;");
      // Readable on the dark card only.
      expect(answer.body.match(/--accent:#ffee00;/g)).toHaveLength(1);
    }
  });

  test("may have a hero image and a font, which the policy lets in, and which nothing in an address breaks out of", async () => {
    const hero = 'https://cdn.example/h"</style>.jpg';
    const world = await full({ hero, font: "https://fonts.example/b.woff2" });
    const answer = await world.answered({ headers: HTML });
    expect(answer.body).toContain('url("https://cdn.example/h%22%3C/style>.jpg")');
    expect(answer.body).toContain('src:url("https://fonts.example/b.woff2")');
    expect(policyOf(answer)).toContain(
      "img-src 'self' data: https://cdn.example; font-src 'self' data: https://fonts.example;",
    );
    const plain = await (await full({ font: "data:font/woff2;base64,AAAA" })).answered({ headers: HTML });
    expect(policyOf(plain)).toContain("img-src 'self' data:; font-src 'self' data:;");
    expect(policyOf(await (await full({})).answered({ headers: HTML }))).not.toContain("font-src");
  });

  test("changes for those in line with the next answer, page or JSON", async () => {
    const world = await full({});
    const first = await world.joinLine({ headers: HTML });
    world.rooms.update("shop", { page: { message: 'Late: "10:30" <now>' } });
    expect((await world.answered({ headers: { ...HTML, Cookie: first } })).body).toContain(
      '<p id="message" class="notice" lang="en-US" dir="auto">Late: &quot;10:30&quot; &lt;now&gt;</p>',
    );
    expect((await world.told(first)).anteroom.message).toBe('Late: "10:30" <now>');
  });
});

describe("a room's own texts", () => {
  const texts = {
    "de-DE": { message: "Halb elf <geht> es los.", "states.next.heading": "Gleich & da", "page.help": "Frag uns" },
  };
  const asked = async (world: GateWorld, language: string) =>
    (await world.answered({ headers: { ...HTML, "Accept-Language": language } })).body;

  test("are on the page and in its script for those who read their language, and ours for the others", async () => {
    const world = await full({ message: "Half an hour late.", support_url: "mailto:a@b.example", texts });
    const german = await asked(world, "de-AT");
    expect(german).toContain('<h1 id="heading">Gleich &amp; da</h1>');
    expect(german).toContain('lang="de-DE" dir="auto">Halb elf &lt;geht&gt; es los.</p>');
    expect(german).toContain('"next":{"heading":"Gleich & da"');
    expect(german).toContain(">Frag uns</a>");
    expect(german).toContain("Ihr Platz in der Warteschlange");
    const french = await asked(world, "fr");
    expect(french).toContain('lang="en-US" dir="auto">Half an hour late.</p>');
    expect(french).not.toContain("Gleich");
    world.rooms.update("shop", { page: { texts: { "de-DE": { "states.waiting.heading": "Willkommen" } } } });
    expect(await asked(world, "de")).toContain('<h1 id="heading">Willkommen</h1>');
    expect(await asked(world, "de")).toContain('lang="en-US" dir="auto">Half an hour late.</p>');
  });

  test("bring the message to a poll in its visitor's language, until it ends", async () => {
    const world = await full({ message: "Half an hour late.", texts });
    const first = await world.joinLine({ headers: HTML });
    const said = async (language: string) =>
      (await world.told(first, { headers: { "Accept-Language": language } })).anteroom.message;
    expect([await said("de"), await said("ja")]).toEqual(["Halb elf <geht> es los.", "Half an hour late."]);
    world.rooms.update("shop", { page: { message_until: new Date(world.nowMs).toISOString() } });
    expect(await said("de")).toBeUndefined();
  });
});

describe("the icon of the site and the files of the room's brand", () => {
  test("pass a full room, within a budget of their own", async () => {
    const world = await full({ ...BRAND, hero: "https://shop.example/h.jpg", font: "https://shop.example/b.woff2" });
    for (const target of ["/favicon.ico", "/brand/logo.svg?v=2", "/h.jpg", "/b.woff2"]) {
      expect((await world.ask({ target, headers: ASSET })).kind).toBe("forward");
      expect((await world.ask({ target, method: "POST", headers: ASSET })).kind).toBe("answer");
    }
    expect((await world.ask({ target: "/brand/logo.svg", headers: ASSET })).kind).toBe("answer");
    expect((await world.ask({ target: "/brand/logo.svg?v=2", host: "other.example", headers: ASSET })).kind).toBe(
      "forward",
    );
    let passed = 0;
    for (let at = 0; at < PREFLIGHTS_PER_ROOM_MIN + 100; at++) {
      const from = `10.1.${at >> 4}.${at}`;
      if ((await world.ask({ target: "/favicon.ico", from, headers: ASSET })).kind === "forward") passed += 1;
    }
    expect(passed).toBe(PREFLIGHTS_PER_ROOM_MIN - 4);
  });
});

describe("the visitor's id", () => {
  test("is on the page, in JSON and in the access log, the same before and after", async () => {
    const world = await full({}, { accessLog: true });
    const answer = await world.answered({ headers: HTML });
    const [, id] = /Your number for questions: ([0-9A-Z]{4}-[0-9A-Z]{4})</.exec(answer.body) ?? [];
    expect(id).toBeDefined();
    const cookie = (fieldOf(answer.headers, "Set-Cookie") ?? "").replace(/;.*/, "");
    const polled = await world.exchange({ headers: { "Anteroom-Poll": "1", Cookie: cookie } });
    const [outcome] = polled.outcomes;
    expect(JSON.parse(outcome?.kind === "answer" ? outcome.body : "").anteroom.supportId).toBe(id);
    expect(polled.visitor).toBe(id);
  });
});
