/**
 * The page on which a visitor who waits chooses a language, without JavaScript: a list of links, each in its own words.
 *
 * The choice is a part of the page's address, and goes on from there to its reloads and polls (`marked-target.ts`): no
 * cookie has to be declared for it, and it is forgotten with the visit.
 */

import type { Exchange } from "../http/message.ts";
import { LANGUAGES, type Language } from "../languages/texts.ts";
import { perLanguage, wordsOf } from "../languages/words.ts";
import { type BrandSlot, brandOf, brandSlots } from "./brand.ts";
import type { ErrorRoom } from "./error-page.ts";
import html from "./languages-page.html" with { type: "text" };
import { markedTarget } from "./marked-target.ts";
import { inlineOnlyPolicy, pageHeaders, pageSource } from "./own-page.ts";
import { pageLanguage } from "./page-language.ts";
import { forReaders } from "./readers.ts";
import { asHtml, escapeHtml, localised, slotTemplate } from "./slot-template.ts";
import { STAY_SECONDS } from "./step-page.ts";

const source = pageSource(String(html));
const policyFor = inlineOnlyPolicy(source);

const fillIn = perLanguage((language) =>
  slotTemplate<BrandSlot | "links">(localised(source, { language, scriptTexts: {} })),
);

/** Answers with the list; the visitor keeps the place meanwhile. */
export function answerLanguages(exchange: Exchange, { page, defaultTemplateLanguage }: ErrorRoom): void {
  const { host, target, headers } = exchange.request;
  const language = pageLanguage(headers, defaultTemplateLanguage, target);
  const links = LANGUAGES.map((each) => linkTo(each, markedTarget(target, ["again"], each), each === language));
  const body = fillIn(language)({ ...brandSlots(page, host, language), links: links.join("\n") });
  const stay = ["Refresh", `${STAY_SECONDS}; url=${markedTarget(target, ["again"])}`];
  const fields = [...pageHeaders(policyFor(brandOf(page))), "Content-Language", language, ...stay];
  exchange.answer(200, forReaders(exchange.request, fields), body);
}

function linkTo(language: Language, address: string, isCurrent: boolean): string {
  const { name, direction } = wordsOf(language);
  const current = isCurrent ? ' aria-current="true"' : "";
  return `<a href="${escapeHtml(address)}" lang="${language}" dir="${direction}"${current}>${asHtml(name)}</a>`;
}
