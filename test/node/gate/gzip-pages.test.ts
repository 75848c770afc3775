/** Waiting pages that are sent compressed: they are the same pages. */

import { gunzipSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { PLAIN_PAGE } from "../../../node/gate/brand.ts";
import { renderWaitingPage } from "../../../node/gate/page.ts";
import { gzipOf, gzipPiece } from "../../../node/gate/slot-template.ts";
import type { WaitingView } from "../../../node/gate/waiting-view.ts";
import type { Bytes } from "../../../node/http/message.ts";
import { TEXTS } from "../../../node/languages/texts.ts";
import { GateWorld, SHOP } from "./gate-world.ts";
import { VIEW } from "./waiting-views.ts";

const FORM = {
  ...{ customPageHtml: "", page: PLAIN_PAGE, host: "shop.example" },
  defaultTemplateLanguage: "en-US",
  ...{ again: "/a?__anteroom=again", here: "/a", leave: "/a?__anteroom=leave", languages: "/a?__anteroom=languages" },
} as const;

const VIEWS: readonly Partial<WaitingView>[] = [
  { waitSeconds: 1_200, waitRange: [900, 1_500], keptMinutes: 10 },
  { position: 1_234_567, waitSeconds: null },
  { kind: "cookieless", position: 0, waitSeconds: null, supportId: "" },
  { kind: "turn", position: 0, waitSeconds: null, enterSeconds: 90 },
  { message: "Schöne Grüße – 東京 🎫 <b>", keptMinutes: 10 },
];

function unzipped({ latin1 }: Bytes): Buffer {
  return gunzipSync(Buffer.from(latin1, "latin1"));
}

describe("a gzip member put together from pieces", () => {
  test("is that of all its texts, in any order and length", () => {
    const part = fc.oneof(
      fc.string({ unit: "binary", maxLength: 400 }),
      fc.nat({ max: 3_000 }).map((length) => gzipPiece("a page is a page; ".repeat(length).slice(0, length))),
      fc.constant("x".repeat(70_000)),
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 12 }), (parts) => {
        const texts = parts.map((each) => (typeof each === "string" ? each : Buffer.from(each.text).toString()));
        expect(unzipped(gzipOf(parts)).equals(Buffer.from(texts.join("")))).toBe(true);
      }),
      { numRuns: 100 },
    );
  });
});

describe("a compressed page", () => {
  test.each(Object.keys(TEXTS) as (keyof typeof TEXTS)[])("is the same in %s", (language) => {
    for (const more of VIEWS) {
      const view = { ...VIEW, ...more };
      const { html } = renderWaitingPage(view, { ...FORM, language });
      const { gzip = { latin1: "" }, html: none } = renderWaitingPage(view, { ...FORM, language, takesGzip: true });
      expect(unzipped(gzip).toString()).toBe(html);
      expect(none).toBe("");
      expect(gzip.latin1.length).toBeLessThan(0.7 * Buffer.byteLength(html));
    }
  });

  async function paged(headers: Record<string, string>) {
    const world = new GateWorld({ rooms: [{ ...SHOP, queue_all: true }] });
    const answer = await world.answered({ headers: { Accept: "text/html", ...headers } });
    const fields = answer.headers.join("\n");
    return {
      isGzip: fields.includes("Content-Encoding\ngzip"),
      varies: /^Vary\n.*\bAccept-Encoding\b/m.test(fields),
      body: answer.body,
    };
  }

  test.each([
    ["gzip, deflate, br, zstd", true],
    ["br;q=1.0, GZIP;q=0.5", true],
    ["gzip;q=0", false],
    ["", false],
  ])("is sent for Accept-Encoding: %s only if that allows it: %s", async (encodings, isGzip) => {
    const { body, ...sent } = await paged(encodings === "" ? {} : { "Accept-Encoding": encodings });
    expect(sent).toEqual({ isGzip, varies: true });
    const text = isGzip ? gunzipSync(Buffer.from(body, "latin1")).toString() : body;
    expect(text).toMatch(/^<!doctype html>.*<\/html>\s*$/is);
  });
});
