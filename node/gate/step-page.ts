/**
 * Pages that ask for a person's step, without JavaScript: before an invitation is used, because scanners of mail and
 * previews of chats open links too; and before a place in line is given up, which a slip of a finger must not do.
 */

import { withSetCookie } from "../cookie/cookie-header.ts";
import type { Exchange, HeaderList } from "../http/message.ts";
import { TEXTS, type Texts } from "../languages/texts.ts";
import { perLanguage } from "../languages/words.ts";
import { type BrandSlot, brandOf, brandSlots } from "./brand.ts";
import type { ErrorRoom } from "./error-page.ts";
import { markedTarget } from "./marked-target.ts";
import { inlineOnlyPolicy, OWN_FRAMES_ONLY, pageHeaders, pageSource } from "./own-page.ts";
import { pageLanguage } from "./page-language.ts";
import { forReaders } from "./readers.ts";
import { asHtml, escapeHtml, localised, slotTemplate } from "./slot-template.ts";
import html from "./step-page.html" with { type: "text" };

interface StepPage {
  readonly title: string;
  readonly text: string;
  readonly button: string;
  /** Where the button leads. */
  readonly action: string;
  /** The way that changes nothing, as HTML; empty for none. */
  readonly other: string;
}

const source = pageSource(String(html));
// Browsers apply a limit of where forms lead to the redirects of the origin as well.
const policyFor = inlineOnlyPolicy(source, `; ${OWN_FRAMES_ONLY}`);

const fillIn = perLanguage((language) =>
  slotTemplate<BrandSlot | "title" | "text" | "button" | "action" | "kind" | "other">(
    localised(source, { language, scriptTexts: {} }),
  ),
);

/** Answers a link with an invitation: the button uses it. `setCookie` keeps its pass. */
export function answerInvitation(exchange: Exchange, room: ErrorRoom, setCookie: string | undefined): void {
  answerStep(exchange, room, {
    fields: withSetCookie([], setCookie),
    page: ({ steps }) => ({
      title: steps.invitedTitle,
      text: steps.invitedText,
      button: steps.continue,
      action: markedTarget(exchange.request.target, ["invited"]),
      other: "",
    }),
  });
}

/**
 * A visitor who takes no step goes back to the waiting page after so long: the place is kept, and polls go on. Doubled,
 * a turn may pass meanwhile; halved, there is little time to read.
 */
export const STAY_SECONDS = 30;

/** Asks a visitor in line whether to leave it. */
export function answerLeaving(exchange: Exchange, room: ErrorRoom): void {
  const { target } = exchange.request;
  const stay = markedTarget(target, ["again"]);
  answerStep(exchange, room, {
    fields: ["Refresh", `${STAY_SECONDS}; url=${stay}`],
    page: ({ steps, page }) => ({
      title: page.leave,
      text: steps.leaveText,
      button: page.leave,
      action: markedTarget(target, ["leave", "sure"]),
      other: `<a class="button" href="${escapeHtml(stay)}">${asHtml(steps.stay)}</a>`,
    }),
  });
}

function answerStep(
  exchange: Exchange,
  { page: own, defaultTemplateLanguage }: ErrorRoom,
  { page, fields }: { readonly page: (texts: Texts) => StepPage; readonly fields: HeaderList },
): void {
  const { host, headers, target } = exchange.request;
  const language = pageLanguage(headers, defaultTemplateLanguage, target);
  const { title, text, button, action, other } = page(TEXTS[language]);
  const body = fillIn(language)({
    ...brandSlots(own, host, language),
    title: asHtml(title),
    text: asHtml(text),
    button: asHtml(button),
    action: escapeHtml(action),
    other,
    // Of two ways, the one that changes nothing is the first.
    kind: other === "" ? "button" : "button quiet",
  });
  const all = [...pageHeaders(policyFor(brandOf(own))), "Content-Language", language, ...fields];
  exchange.answer(200, forReaders(exchange.request, all), body);
}
