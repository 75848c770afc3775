/** The part of the admin API that shows a page before visitors see it: `POST /v1/preview`. */

import { z } from "zod";
import { PAGE, PAGE_REPAIR, pageOf } from "../../config/page-fields.ts";
import { DEFAULT_LANGUAGE, LANGUAGES } from "../../languages/texts.ts";
import { invalid } from "../calls/api-answers.ts";
import { operation } from "../calls/operation.ts";
import type { Serve } from "../calls/serve.ts";
import { named } from "./common-shapes.ts";
import { sampleComplaint, samplePage } from "./page-sample.ts";
import { ROOM_BODY_BYTES_MAX } from "./rooms.ts";

const FIELD = "custom_page_html";

const PREVIEW = operation({
  id: "previewPage",
  method: "POST",
  path: "/v1/preview",
  topic: "rooms",
  scope: "configure",
  summary: "returns the page with sample numbers, in a brand and a language",
  body: {
    schema: named(
      "PagePreview",
      z.strictObject({
        [FIELD]: z.string().describe("a Mustache template; empty for the built-in page"),
        page: PAGE.describe("a room's field `page`").optional(),
        language: z
          .enum(LANGUAGES, "is not a language of the built-in page")
          .default(DEFAULT_LANGUAGE)
          .describe("in which the page is"),
      }),
    ),
    bytesMax: ROOM_BODY_BYTES_MAX,
    repairs: {
      [FIELD]: "send the template as a string",
      page: PAGE_REPAIR,
      language: `write one of ${LANGUAGES.join(", ")}`,
    },
    read: "here",
    example: { [FIELD]: "<p>Place {{position}}</p>" },
  },
  answer: { description: "the page", type: "text/html" },
});

export const PREVIEW_OPERATIONS = [PREVIEW];

export function previewRoutes(serve: Serve, { nowMs }: { readonly nowMs: () => number }): void {
  serve(PREVIEW, ({ c, body: { custom_page_html: template, page, language } }) => {
    const complaint = sampleComplaint(template, nowMs());
    return complaint === undefined
      ? c.html(samplePage(template, nowMs(), { language, ...(page && { page: pageOf(page) }) }).html)
      : invalid([{ path: FIELD, ...complaint }]);
  });
}
