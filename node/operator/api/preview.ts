/** The part of the admin API that shows a page before visitors see it: `POST /v1/preview`. */

import { z } from "zod";
import { ROOM_BYTES_MAX } from "../../../mesh/core/wire/shapes.ts";
import type { Complaint } from "../../config/problem.ts";
import { templateComplaint } from "../../config/template-check.ts";
import { PLAIN_PAGE } from "../../gate/brand.ts";
import { renderWaitingPage } from "../../gate/page.ts";
import { DEFAULT_LANGUAGE } from "../../languages/texts.ts";
import { invalid } from "../api-answers.ts";
import { named } from "./common-shapes.ts";
import { operation } from "./operation.ts";
import { ROOM_BODY_BYTES_MAX } from "./rooms.ts";
import type { Serve } from "./serve.ts";

const FIELD = "custom_page_html";

const PREVIEW = operation({
  ...{ id: "previewPage", method: "POST", path: "/v1/preview", topic: "rooms", scope: "configure" },
  summary: "returns the page with sample numbers",
  body: {
    schema: named("PagePreview", z.strictObject({ [FIELD]: z.string().describe("a Mustache template") })),
    bytesMax: ROOM_BODY_BYTES_MAX,
    repairs: { [FIELD]: "send the template as a string" },
    read: "here",
    example: { [FIELD]: "<p>Place {{position}}</p>" },
  },
  answer: { status: 200, description: "the page", type: "text/html" },
  problems: [],
});

export const PREVIEW_OPERATIONS = [PREVIEW];

/** A visitor in the middle of a line. */
const SAMPLE = {
  kind: "waiting",
  queueingMethod: "fifo",
  queueAll: false,
  position: 42,
  waitSeconds: 240,
  keptMinutes: 10,
  refreshSeconds: 20,
  originReachable: true,
  posted: false,
  isDrawing: false,
  message: "",
  supportId: "4QK7-X2MD",
  event: undefined,
  receipt: "/.anteroom/receipt",
} as const;

export function previewRoutes(serve: Serve, { nowMs }: { readonly nowMs: () => number }): void {
  serve(PREVIEW, ({ c, body: { custom_page_html: template } }) => {
    const complaint = previewComplaint(template);
    if (complaint !== undefined) return invalid([{ path: FIELD, ...complaint }]);
    const view = { ...SAMPLE, lastUpdatedMs: nowMs() };
    const { html, templateProblem } = renderWaitingPage(view, {
      ...{ customPageHtml: template, page: PLAIN_PAGE, language: DEFAULT_LANGUAGE },
      ...{ again: "/", leave: "/", here: "/", host: "shop.example.com" },
    });
    if (templateProblem === undefined) return c.html(html);
    const problem = `cannot be rendered: ${templateProblem}`;
    return invalid([{ path: FIELD, problem, repair: "correct the template" }]);
  });
}

/** A template may be previewed if a room could have it. */
function previewComplaint(template: string): Complaint {
  const bytes = Buffer.byteLength(JSON.stringify(template));
  if (bytes <= ROOM_BYTES_MAX) return templateComplaint(template);
  const problem = `takes ${bytes} bytes as JSON: a room takes at most ${ROOM_BYTES_MAX}, its page included`;
  return { problem, repair: "shorten it; a waiting page may load images, styles and scripts from elsewhere" };
}
