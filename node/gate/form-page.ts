/**
 * The page that sends a form of another site again, from the site itself, so that our cookie goes with it.
 *
 * It does so by itself, or by its button without JavaScript. Another site may show it in a frame: what it sends is no
 * more than that site could send itself (`resent-form.ts`). Its policy does not limit where the form leads, as browsers
 * apply that to the redirects of the origin as well.
 */

import type { Exchange } from "../http/message.ts";
import { perLanguage } from "../languages/words.ts";
import { type BrandSlot, brandOf, brandSlots } from "./brand.ts";
import type { ErrorRoom } from "./error-page.ts";
import type { SentForm } from "./form-body.ts";
import html from "./form-page.html" with { type: "text" };
import { framedPageHeaders, inlineOnlyPolicy, pageSource } from "./own-page.ts";
import { pageLanguage } from "./page-language.ts";
import { forReaders } from "./readers.ts";
import { resentTarget } from "./resent-form.ts";
import { escapeHtml, localised, slotTemplate } from "./slot-template.ts";

const source = pageSource(String(html));
const policyFor = inlineOnlyPolicy(source, "");

const fillIn = perLanguage((language) =>
  slotTemplate<BrandSlot | "action" | "charset" | "fields">(localised(source, { language, scriptTexts: {} })),
);

/** Answers with a page that sends `form` again. */
export function answerForm(exchange: Exchange, { charset, fields }: SentForm, room: ErrorRoom): void {
  const { target, headers, host } = exchange.request;
  const language = pageLanguage(headers, room.defaultTemplateLanguage);
  const body = fillIn(language)({
    ...brandSlots(room.page, host, language),
    action: escapeHtml(resentTarget(target, headers)),
    charset,
    fields: fields.map(hiddenField).join("\n"),
  });
  const all = [...framedPageHeaders(policyFor(brandOf(room.page))), "Content-Language", language];
  exchange.answer(200, forReaders(exchange.request, all), body);
}

function hiddenField([name, value]: readonly [string, string]): string {
  return `<input type="hidden" name="${inAttribute(name)}" value="${inAttribute(value)}">`;
}

/** A reader of HTML would make one line end of CR LF. */
function inAttribute(text: string): string {
  return escapeHtml(text).replaceAll("\r", "&#13;").replaceAll("\n", "&#10;");
}
