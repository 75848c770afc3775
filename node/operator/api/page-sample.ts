/** A waiting page with sample numbers, for operators to look at before visitors see it. */

import { ROOM_BYTES_MAX } from "../../../mesh/core/wire/shapes.ts";
import type { Complaint } from "../../config/problem.ts";
import type { BrandPage } from "../../config/room.ts";
import { templateComplaint } from "../../config/template-check.ts";
import { messageAt, PLAIN_PAGE } from "../../gate/brand.ts";
import { renderWaitingPage } from "../../gate/page.ts";
import type { WaitingView } from "../../gate/waiting-view.ts";
import { DEFAULT_LANGUAGE, type Language } from "../../languages/texts.ts";

/** A visitor in the middle of a line. */
const SAMPLE = {
  kind: "waiting",
  queueingMethod: "fifo",
  queueAll: false,
  position: 42,
  waitSeconds: 240,
  keptMinutes: 10,
  stayMinutes: 5,
  refreshSeconds: 20,
  originReachable: true,
  posted: false,
  isDrawing: false,
  message: "",
  supportId: "4QK7-X2MD",
  event: undefined,
} as const;

/** The site that a preview stands for. */
const HOST = "shop.example.com";

/** What differs from a visitor in the middle of a line, of a room without a brand. */
interface Sampled {
  readonly view?: Partial<WaitingView>;
  readonly page?: BrandPage;
  readonly language?: Language;
}

/** The page, or why the template fails. */
export function samplePage(
  template: string,
  nowMs: number,
  { view = {}, page = PLAIN_PAGE, language = DEFAULT_LANGUAGE }: Sampled = {},
): { readonly html: string; readonly problem: string | undefined } {
  const { html, templateProblem } = renderWaitingPage(
    { ...SAMPLE, message: messageAt(page, nowMs, language), ...view, lastUpdatedMs: nowMs },
    {
      customPageHtml: template,
      page,
      language,
      defaultTemplateLanguage: language,
      again: "/",
      leave: "/",
      languages: "/",
      here: "/",
      host: HOST,
    },
  );
  return { html, problem: templateProblem };
}

/** Why a template cannot be shown: one may be previewed if a room could have it. */
export function sampleComplaint(template: string, nowMs: number): Complaint {
  const complaint = templateComplaintOf(template);
  if (complaint !== undefined) return complaint;
  const { problem } = samplePage(template, nowMs);
  return problem === undefined
    ? undefined
    : { problem: `cannot be rendered: ${problem}`, repair: "correct the template" };
}

function templateComplaintOf(template: string): Complaint {
  const bytes = Buffer.byteLength(JSON.stringify(template));
  if (bytes <= ROOM_BYTES_MAX) return templateComplaint(template);
  const problem = `takes ${bytes} bytes as JSON: a room takes at most ${ROOM_BYTES_MAX}, its page included`;
  return { problem, repair: "shorten it; a waiting page may load images, styles and scripts from elsewhere" };
}
