import { describe, expect, test } from "vitest";
import { patchRoom, roomDocument } from "../../../node/config/room-document.ts";
import { problemsOf, roomOf, smallest } from "./documents.ts";

const BRAND = {
  title: "Example tickets",
  logo: "https://cdn.example.com:8443/logo.svg?v=2",
  hero: "https://cdn.example.com/hero.jpg",
  font: "data:font/woff2;base64,AAAA",
  accent: "#0A7d4f",
  background: "#fff",
  message: "The sale begins at 10.",
  message_until: "2026-11-27T11:00:00+01:00",
  texts: { "de-DE": { message: " Ab 10 Uhr. ", "states.waiting.heading": "Schön, dass Sie da sind" } },
  support_url: "mailto:help@example.com",
  theme: "dark",
} as const;

const problemsIn = (page: unknown) => problemsOf(smallest({ page }), "rooms[0]");
const brandOf = (page: unknown) => roomOf(smallest({ page })).page;

describe("page", () => {
  test("is read whole, and every field may be left out", () => {
    expect(brandOf(BRAND)).toEqual({
      title: "Example tickets",
      logo: BRAND.logo,
      hero: BRAND.hero,
      font: BRAND.font,
      accent: BRAND.accent,
      background: "#fff",
      message: BRAND.message,
      messageUntilMs: Date.UTC(2026, 10, 27, 10),
      texts: { "de-DE": { ...BRAND.texts["de-DE"], message: "Ab 10 Uhr." } },
      supportUrl: BRAND.support_url,
      theme: "dark",
    });
    expect(brandOf({})).toEqual(brandOf(null));
    expect(brandOf({ message: "  Two\n lines \n" }).message).toBe("Two lines");
  });

  test.each([
    ["title", "x".repeat(81), "is longer than 80 characters", "at most 80 characters"],
    ["title", "a\u0000b", "has a control character", "plain text"],
    ["logo", "logo.svg", "does not start with https:// or http://", "https://cdn.example.com/logo.svg"],
    ["logo", "javascript:alert(1)", "does not start with", "https://cdn"],
    ["logo", "https://a;script-src/x", "is not a URL", "https://cdn"],
    ["logo", "https://user:secret@cdn.example/x", "has a user name", "https://cdn"],
    ["logo", "data:text/html;base64,AAAA", "is not an image as data", "data:image/svg+xml;base64"],
    ["logo", `data:image/png;base64,${"A".repeat(16_384)}`, "is longer than 16384 characters", "at most 16 kB"],
    ["hero", "data:font/woff2;base64,AAAA", "is not an image as data", "data:image/svg+xml;base64"],
    ["font", "data:image/png;base64,AAAA", "is not a font as data", "data:font/woff2;base64"],
    ["accent", "greenish", "is not a colour", '"#0a7d4f", in quotes'],
    ["accent", null, "is empty, not a text", '"#0a7d4f", in quotes'],
    ["background", "red;} body{display:none", "is not a colour", "#0a7d4f"],
    ["message", "x".repeat(501), "is longer than 500 characters", "at most 500 characters"],
    ["message_until", "tomorrow", "is not a time with its zone", "2026-11-27T10:00:00Z"],
    ["message_until", "2026-11-27T10:00:00", "is not a time with its zone", "2026-11-27T10:00:00Z"],
    ["support_url", "help@example.com", "does not start with", "mailto:help@example.com"],
    ["support_url", "mailto:a@b?body=<x>", "does not start with", "mailto:help@example.com"],
    ["theme", "sepia", "is not auto, light or dark", "auto, light or dark"],
    ["titel", "x", "is not a known field", "did you mean title?"],
  ])("refuses %s = %o with place, value and repair", (field, value, problem, repair) => {
    const problems = problemsIn({ [field]: value });
    expect(problems).toHaveLength(1);
    expect(problems[0]?.path).toBe(`rooms[0].page.${field}`);
    expect(problems[0]?.problem).toContain(problem);
    expect(problems[0]?.repair).toContain(repair);
  });

  test.each([
    ["de_DE", {}, "is not a language of the built-in page", "did you mean de-DE?"],
    ["de-DE", { "line.reasons": "Voll" }, "is no text of the waiting page", "did you mean line.reason?"],
    ["de-DE", { "wait.minutes": "gleich" }, "is no text of the waiting page", "write texts by language and place"],
    ["de-DE", { "line.stay": "Lange" }, "lacks {time}", "with the placeholders that ours has"],
    ["de-DE", { "line.reason": "Um {time}" }, "has {time}, which nothing stands for", "with the placeholders"],
    ["de-DE", { message: "x".repeat(501) }, "is longer than 500 characters", "texts of the page by language"],
    ["de-DE", { message: 7 }, "is a number, not a text", "texts of the page by language"],
    ["de-DE", "Hallo", "is a text", "texts of the page by language"],
  ])("refuses texts in %s: %o", (language, own, problem, repair) => {
    const problems = problemsIn({ texts: { [language]: own } });
    const place = typeof own === "string" ? [] : Object.keys(own);
    expect(problems.map(({ path }) => path)).toEqual([["rooms[0].page.texts", language, ...place].join(".")]);
    expect(problems[0]?.problem).toContain(problem);
    expect(problems[0]?.repair).toContain(repair);
  });

  test("keeps what a patch does not name, and is removed whole by null", () => {
    const room = roomOf(smallest({ page: BRAND }));
    const later = patchRoom(room, { page: { message: "Half an hour late." } });
    expect(later).toMatchObject({ ok: true, value: { page: { title: BRAND.title, message: "Half an hour late." } } });
    const without = patchRoom(room, { page: null });
    expect(without.ok && roomDocument(without.value).page).toEqual({ theme: "auto" });
  });
});
