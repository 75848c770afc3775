/**
 * Pages that ask for a person's step, without JavaScript: before an invitation is used, because scanners of mail and
 * previews of chats open links too; before a place in line is given up, which a slip of a finger must not do; and for a
 * language, each in its own words.
 *
 * The choice of a language is a part of the page's address, and goes on from there to its reloads and polls
 * (`marked-target.ts`): no cookie has to be declared for it, and it is forgotten with the visit.
 */

import { withSetCookie } from "../cookie/cookie-header.ts";
import type { Exchange, HeaderList } from "../http/message.ts";
import { LANGUAGES, type Language, TEXTS } from "../languages/texts.ts";
import { perLanguage, wordsOf } from "../languages/words.ts";
import { type BrandSlot, brandOf, brandSlots } from "./brand.ts";
import type { ErrorRoom } from "./error-page.ts";
import languagesHtml from "./languages-page.html" with { type: "text" };
import { markedTarget } from "./marked-target.ts";
import { inlineOnlyPolicy, OWN_FRAMES_ONLY, pageHeaders, pageSource } from "./own-page.ts";
import { pageLanguage } from "./page-language.ts";
import { forReaders } from "./readers.ts";
import { asHtml, escapeHtml, localised, slotTemplate } from "./slot-template.ts";
import stepHtml from "./step-page.html" with { type: "text" };

// Browsers apply a limit of where forms lead to the redirects of the origin as well.
const answerStep = answering<"title" | "text" | "button" | "action" | "kind" | "other">(
  String(stepHtml),
  `; ${OWN_FRAMES_ONLY}`,
);

const answerList = answering<"links">(String(languagesHtml));

/** Answers a link with an invitation: the button uses it. `setCookie` keeps its pass. */
export function answerInvitation(exchange: Exchange, room: ErrorRoom, setCookie: string | undefined): void {
  const action = escapeHtml(markedTarget(exchange.request.target, ["invited"]));
  answerStep(exchange, room, {
    fields: withSetCookie([], setCookie),
    slots: (language) => {
      const { invitedTitle, invitedText, continue: button } = TEXTS[language].steps;
      const texts = { title: asHtml(invitedTitle), text: asHtml(invitedText), button: asHtml(button) };
      return { ...texts, action, kind: "button", other: "" };
    },
  });
}

/**
 * A visitor who takes no step goes back to the waiting page after so long: the place is kept, and polls go on. Doubled,
 * a turn may pass meanwhile; halved, there is little time to read.
 */
const STAY_SECONDS = 30;

/** Asks a visitor in line whether to leave it. */
export function answerLeaving(exchange: Exchange, room: ErrorRoom): void {
  const { target } = exchange.request;
  const stay = markedTarget(target, ["again"]);
  const action = escapeHtml(markedTarget(target, ["leave", "sure"]));
  answerStep(exchange, room, {
    fields: ["Refresh", `${STAY_SECONDS}; url=${stay}`],
    slots: (language) => {
      const { steps, page } = TEXTS[language];
      const other = `<a class="button" href="${escapeHtml(stay)}">${asHtml(steps.stay)}</a>`;
      const texts = { title: asHtml(page.leave), text: asHtml(steps.leaveText), button: asHtml(page.leave) };
      // Of two ways, the one that changes nothing is the first.
      return { ...texts, action, kind: "button quiet", other };
    },
  });
}

/** Answers with the list of languages; the visitor keeps the place meanwhile. */
export function answerLanguages(exchange: Exchange, room: ErrorRoom): void {
  const { target } = exchange.request;
  answerList(exchange, room, {
    fields: ["Refresh", `${STAY_SECONDS}; url=${markedTarget(target, ["again"])}`],
    slots: (language) => {
      const links = LANGUAGES.map((each) => linkTo(each, markedTarget(target, ["again"], each), each === language));
      return { links: links.join("\n") };
    },
  });
}

function linkTo(language: Language, address: string, isCurrent: boolean): string {
  const { name, direction } = wordsOf(language);
  const current = isCurrent ? ' aria-current="true"' : "";
  return `<a href="${escapeHtml(address)}" lang="${language}" dir="${direction}"${current}>${asHtml(name)}</a>`;
}

/** What differs from one answer with a page to the next; slots are HTML. */
interface Asked<Slot extends string> {
  readonly fields: HeaderList;
  readonly slots: (language: Language) => Readonly<Record<Slot, string>>;
}

/** Answers with a page, in the visitor's language and with the brand of the room. */
function answering<Slot extends string>(html: string, limits?: string) {
  const source = pageSource(html);
  const policyFor = inlineOnlyPolicy(source, limits);
  const fillIn = perLanguage((language) =>
    slotTemplate<BrandSlot | Slot>(localised(source, { language, scriptTexts: {} })),
  );
  return (exchange: Exchange, room: ErrorRoom, { fields, slots }: Asked<Slot>): void => {
    const { host, headers, target } = exchange.request;
    const language = pageLanguage(headers, room.defaultTemplateLanguage, target);
    const body = fillIn(language)({ ...brandSlots(room.page, host, language), ...slots(language) });
    const all = [...pageHeaders(policyFor(brandOf(room.page))), "Content-Language", language, ...fields];
    exchange.answer(200, forReaders(exchange.request, all), body);
  };
}
