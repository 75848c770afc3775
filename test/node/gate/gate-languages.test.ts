import { describe, expect, test } from "vitest";
import { asHtml } from "../../../node/gate/slot-template.ts";
import { LANGUAGES, TEXTS } from "../../../node/languages/texts.ts";
import { fieldOf, originFails } from "./fake-exchange.ts";
import { GateWorld, SHOP } from "./gate-world.ts";

const HTML = { Accept: "text/html" };

/** The English page is bounded in page.test.ts; in other scripts a letter takes up to three bytes. */
const LARGEST = 1.35;

/** The answer to a visitor in line who asks for `languages`. */
async function inLine(languages: string | undefined, room: object = {}) {
  const world = await GateWorld.full(room);
  const headers = languages === undefined ? HTML : { ...HTML, "Accept-Language": languages };
  return { world, headers, answer: await world.answered({ headers }) };
}

const langOf = (html: string): string => /<html lang="([^"]*)" dir="([^"]*)">/.exec(html)?.slice(1).join(" ") ?? "";

describe("a visitor's language", () => {
  test.each(LANGUAGES)("is that of the waiting page: %s", async (language) => {
    const { answer } = await inLine(`xx, ${language};q=0.9, en;q=0.1`);
    const isFromTheRight = ["ar-EG", "fa-IR", "he-IL"].includes(language);
    expect(langOf(answer.body)).toBe(`${language} ${isFromTheRight ? "rtl" : "ltr"}`);
    expect(fieldOf(answer.headers, "Content-Language")).toBe(language);
    expect(fieldOf(answer.headers, "Cache-Control")).toBe("private, no-store");
    expect(answer.body).toContain(`<h1 id="heading">${asHtml(TEXTS[language].states.next.heading)}</h1>`);
    expect(answer.body).not.toMatch(/\{\{|\{\w+\}(?=[^<]*<\/(?:p|h1|dd|dt|title|button|a)>)/);
    expect(answer.body.replace(/<script>[\s\S]*<\/script>/, "")).not.toMatch(/\b(?:undefined|NaN|null)\b/);
    const english = (await inLine("en")).answer.body;
    expect(Buffer.byteLength(answer.body)).toBeLessThan(LARGEST * Buffer.byteLength(english));
  });

  test("is the room's for visitors who ask for none that we have, and English if the room names none", async () => {
    const room = { default_template_language: "fi-FI" };
    expect(langOf((await inLine("eo", room)).answer.body)).toBe("fi-FI ltr");
    expect(langOf((await inLine(undefined, room)).answer.body)).toBe("fi-FI ltr");
    expect(langOf((await inLine("de", room)).answer.body)).toBe("de-DE ltr");
    expect(langOf((await inLine("eo")).answer.body)).toBe("en-US ltr");
  });

  test("is the one that was chosen on the page, for its reloads and polls, and the origin hears nothing of it", async () => {
    const texts = { "ja-JP": { message: "もうすぐです" } };
    const { world, headers, answer } = await inLine("de", { page: { texts } });
    const cookie = String(fieldOf(answer.headers, "Set-Cookie")).split(";")[0] ?? "";
    const own = { ...headers, Cookie: cookie };
    const [, menu = ""] = /<a href="([^"]*)"><svg.*<\/svg>Sprache<\/a>/.exec(answer.body) ?? [];
    const list = await world.answered({ target: menu, headers: own });
    expect(list.body).toContain("<h1>Sprache</h1>");
    expect(list.body.match(/<a href="[^"]*" lang=/g)).toHaveLength(LANGUAGES.length);
    expect(list.body.match(/lang="(.{5})" dir="ltr" aria-current/)?.[1]).toBe("de-DE");
    expect(fieldOf(list.headers, "Refresh")).toBe("30; url=/?__anteroom=again");
    const [, chosen = ""] = /<a href="([^"]*)" lang="ja-JP" dir="ltr">日本語</.exec(list.body) ?? [];
    const page = await world.answered({ target: chosen, headers: own });
    expect(langOf(page.body)).toBe("ja-JP ltr");
    expect(fieldOf(page.headers, "Refresh")).toMatch(/; url=\/\?__anteroom=again\.placed\.ja-JP$/);
    const poll = await world.answered({
      target: `${chosen}&__anteroom=poll.1.placed`,
      headers: { ...own, Accept: "application/json", "Anteroom-Poll": "1" },
    });
    expect(JSON.parse(poll.body).anteroom).toMatchObject({ message: "もうすぐです", position: 1 });
    expect(world.room().admission.waiting).toBe(1);
    world.rooms.update("shop", { total_active_users: 3 });
    const sent = await world.answered({ target: chosen, headers: own });
    expect([sent.status, fieldOf(sent.headers, "Location")]).toEqual([303, "/"]);
    // Nobody else can make a page of another language than ours.
    const odd = await world.answered({
      target: "/?__anteroom=again.xx-XX",
      headers: { ...HTML, "Accept-Language": "de" },
    });
    expect(langOf(odd.body)).toBe("de-DE ltr");
  });

  test("is not that of a room's own template: what we add to it is in the room's language", async () => {
    const template = "<p>{{{page.heading}}}</p>{{{anteroomScript}}}";
    const { answer } = await inLine("de", { custom_page_html: template, default_template_language: "fr-FR" });
    expect(fieldOf(answer.headers, "Content-Language")).toBeUndefined();
    expect(answer.body).toContain(`<p>${asHtml(TEXTS["fr-FR"].states.next.heading)}</p>`);
    expect(answer.body).toContain('data-lang="fr-FR"');
  });
});

describe("an error is in the visitor's language", () => {
  const room = { ...SHOP, default_template_language: "pl-PL", origin: "http://shop.internal" };
  const failed = async (accept: string, languages: string) => {
    const world = new GateWorld({ rooms: [room] });
    const headers = { Accept: accept, "Accept-Language": languages };
    return originFails(await world.exchange({ headers }), "unreachable");
  };

  test.each(LANGUAGES)("as a page: %s", async (language) => {
    const { body, headers } = await failed("text/html", language);
    expect(langOf(body).split(" ")[0]).toBe(language);
    expect(fieldOf(headers, "Content-Language")).toBe(language);
    expect(body).not.toMatch(/\{\{|\{\w+\}(?=[^<]*<\/(?:p|span|h1|a|title)>)/);
    expect(Buffer.byteLength(body)).toBeLessThan(8_000);
  });

  test("as JSON, which has a code that is the same in all languages, and as text", async () => {
    const { unreachable } = TEXTS["el-GR"].errors;
    const json = await failed("application/json", "el");
    expect(JSON.parse(json.body)).toMatchObject({ error: { code: "unreachable", status: 502, ...unreachable } });
    expect(fieldOf(json.headers, "Content-Language")).toBe("el-GR");
    expect((await failed("*/*", "el")).body).toContain(`502 ${unreachable.title}\n${unreachable.text}\n`);
  });

  test("or the room's, and English outside of rooms", async () => {
    expect(fieldOf((await failed("text/html", "eo")).headers, "Content-Language")).toBe("pl-PL");
    const world = new GateWorld({ rooms: [room], origin: null });
    const elsewhere = { host: "other.example", headers: HTML };
    expect(fieldOf((await world.answered(elsewhere)).headers, "Content-Language")).toBe("en-US");
    const german = { ...elsewhere, headers: { ...HTML, "Accept-Language": "de" } };
    expect((await world.answered(german)).body).toContain(TEXTS["de-DE"].errors.notFound.title);
  });

  test("but always in English in the log", async () => {
    const world = new GateWorld({ rooms: [room], origin: null });
    await world.answered({ host: "other.example", headers: { "Accept-Language": "th" } });
    expect(world.logged).toMatchObject([{ fields: { reason: "Nothing here" } }]);
  });
});
