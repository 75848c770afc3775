import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { asHtml, localised, slotTemplate } from "../../../node/gate/slot-template.ts";

const GATE = join(import.meta.dirname, "../../../node/gate");
const PAGES = readdirSync(GATE).filter((name) => name.endsWith(".html"));

/** The shells of the pages. */
const shellOf = (name: string): string => readFileSync(join(GATE, name), "utf8");
const scriptOf = (shell: string): string => /<script>([\s\S]*)<\/script>/.exec(shell)?.[1] ?? "";

describe.each(PAGES)("the HTML of %s", (name) => {
  const shell = shellOf(name);

  test("has no text: every text is in the files of the languages", () => {
    const markup = shell.replace(/<(script|style)\b[\s\S]*?<\/\1>/g, "").replace(/\{\{[\w.]+\}\}/g, "");
    expect(markup.replace(/<[^>]*>/g, " ").trim()).toBe("");
    expect(markup).not.toMatch(/\b(?:alt|title|placeholder|aria-label|aria-description)="[^"]/);
  });

  test("has a script without text", () => {
    const code = scriptOf(shell).replace(/^\s*\/\/.*$/gm, "");
    const strings = [...code.matchAll(/"((?:[^"\\\n]|\\.)*)"|`([^`]*)`/g)].map(([, plain, template]) =>
      (plain ?? template ?? "").replace(/\$\{[^}]*\}/g, ""),
    );
    // Words for a reader have blanks between them, begin with a capital letter, or are not written in Latin letters.
    const readable = /[A-Za-z]{2,}[,.:;!?]? [A-Za-z]|^[A-Z][a-z]+[.!?]?$|[^\x20-\x7e]/;
    expect(strings.filter((text) => readable.test(text) && !KNOWN.has(text))).toEqual([]);
  });
});

describe("the code that makes pages", () => {
  const FILES = ["page.ts", "waiting-view.ts", "error-page.ts", "brand.ts", "waiting-answer.ts", "slot-template.ts"];

  test.each(FILES)("has no text for visitors: %s", (name) => {
    const code = shellOf(name)
      .replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, "")
      .replace(/^import [\s\S]*?;$/gm, "")
      .replace(/new Error\([\s\S]*?\);/g, "");
    const strings = [...code.matchAll(/"([^"\n]*)"|`([^`]*)`/g)].map(([, plain, template]) => plain ?? template ?? "");
    const words = strings.map((text) => text.replace(/\$\{[^}]*\}|\{\{\w+\}\}|<[^>]*>/g, ""));
    expect(words.filter((text) => /\p{L}{2,} \p{L}{2,}/u.test(text) && !KNOWN.has(text))).toEqual([]);
  });
});

/** What looks like text, and is none: names of header fields, a selector, and a part of a policy. */
const KNOWN = new Set(["Retry-After", "Content-Type", "Accept", "#next a", "; worker-src blob:"]);

describe("texts in a page", () => {
  const form = { language: "en-US", scriptTexts: { closing: "</script>—" } } as const;

  test("are escaped, also as the data of the script", () => {
    expect(asHtml(`<b> & "—"`)).toBe("&lt;b&gt; &amp; &quot;&#8212;&quot;");
    expect(localised('"{{texts}}"', form)).toBe('{"closing":"\\u003c/script>\\u2014"}');
  });

  test.each([
    ["{{text.page.nothing}}", /page\.nothing does not/],
    ["{{text.page}}", /page does not/],
    ["{{text.page.updated}}", /nothing stands for its \{updated\}/],
  ])("that are wrong are refused at once: %s", (html, problem) => {
    expect(() => localised(html, form)).toThrow(problem);
  });

  test("leave no slot open: one that nobody fills is an error, in plain and in compressed text", () => {
    const template = slotTemplate<"a">("{{typo}}");
    expect(() => template({ a: 1 })).toThrow("typo has none");
    expect(() => template.gzip({ a: 1 })).toThrow("typo has none");
  });
});
