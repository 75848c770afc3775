/**
 * Pages that ask for a person's step before something happens that an opened link alone must not do: an invitation is
 * used. They need no JavaScript.
 *
 * Scanners of mail and previews of chats open links too, and take no step.
 */

import { withSetCookie } from "../cookie/cookie-header.ts";
import type { Exchange } from "../http/message.ts";
import { TEXTS, type Texts } from "../languages/texts.ts";
import { perLanguage } from "../languages/words.ts";
import { BRAND_SLOTS, brandOf, brandSlots } from "./brand.ts";
import type { ErrorRoom } from "./error-page.ts";
import { asHtml, localised } from "./localised.ts";
import { markedTarget } from "./marked-target.ts";
import { inlineOnlyPolicy, OWN_FRAMES_ONLY, pageHeaders, pageSource } from "./own-page.ts";
import { pageLanguage } from "./page-language.ts";
import { forReaders } from "./readers.ts";
import { escapeHtml, slotTemplate } from "./slot-template.ts";
import html from "./step-page.html" with { type: "text" };

interface StepPage {
  readonly title: string;
  readonly text: string;
  readonly button: string;
  /** Where the button leads. */
  readonly action: string;
  /** Another way on, as HTML. */
  readonly other: string;
}

const source = pageSource(String(html));
// Browsers apply a limit of where forms lead to the redirects of the origin as well.
const policyFor = inlineOnlyPolicy(source, `; ${OWN_FRAMES_ONLY}`);

const fillIn = perLanguage((language) =>
  slotTemplate(localised(source, { language, scriptTexts: {} }), [
    ...BRAND_SLOTS,
    ...(["title", "text", "button", "action", "other"] as const),
  ]),
);

/** Answers a link with an invitation: the button uses it. `setCookie` keeps its pass. */
export function answerInvitation(exchange: Exchange, room: ErrorRoom, setCookie: string | undefined): void {
  answerStep(exchange, room, {
    page: ({ steps }) => ({
      title: steps.invitedTitle,
      text: steps.invitedText,
      button: steps.continue,
      action: markedTarget(exchange.request.target, ["invited"]),
      other: "",
    }),
    setCookie,
  });
}

function answerStep(
  exchange: Exchange,
  { page: own, defaultTemplateLanguage }: ErrorRoom,
  { page, setCookie }: { readonly page: (texts: Texts) => StepPage; readonly setCookie?: string | undefined },
): void {
  const { host, headers } = exchange.request;
  const language = pageLanguage(headers, defaultTemplateLanguage);
  const { title, text, button, action, other } = page(TEXTS[language]);
  const body = fillIn(language)({
    ...brandSlots(own, host, language),
    ...{ title: asHtml(title), text: asHtml(text), button: asHtml(button), action: escapeHtml(action), other },
  });
  const all = [...pageHeaders(policyFor(brandOf(own))), "Content-Language", language];
  exchange.answer(200, withSetCookie(forReaders(exchange.request, all), setCookie), body);
}
