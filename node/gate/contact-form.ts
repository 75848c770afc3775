/**
 * The part of the waiting page where a visitor leaves an address, or reads that one was left. It works without
 * JavaScript, but for push, and only pages of rooms with `notify` have it.
 */

import { filled, type Words } from "../languages/words.ts";
import { type PushForm, pushPart } from "./push-page.ts";
import { asHtml, escapeHtml } from "./slot-template.ts";
import type { WaitingView } from "./waiting-view.ts";

/** Where the form leads, and whether what came before could not be read. */
export interface ContactForm {
  readonly action: string;
  readonly isUnclear: boolean;
  /** Left out where the room does not offer it. */
  readonly push?: PushForm | undefined;
}

/** What a browser may fill in; one field for several kinds is a text. */
const INPUTS = {
  email: 'type="email" autocomplete="email"',
  phone: 'type="tel" autocomplete="tel"',
  both: 'type="text" autocomplete="email"',
};

/** As HTML; empty where no address can be left. */
export function contactPart(
  { notify, hasContact, stayMinutes = 0 }: WaitingView,
  form: ContactForm,
  { texts: { page }, minutes }: Words,
): string {
  if (notify === undefined) return "";
  const time = minutes(Math.min(notify.graceMinutes, stayMinutes));
  const { push } = form;
  // A browser whose subscription was not kept is not asked for one again: its alert sounds.
  const pushed =
    push === undefined || (form.isUnclear && hasContact !== true) ? "" : pushPart(form.action, push, hasContact);
  if (hasContact) return `<p class="notice">${asHtml(filled(page.contactKept, { time }))}</p>${pushed}`;
  const written = notify.by.filter((kind) => kind !== "push");
  if (written.length === 0) return pushed;
  const names = { email: page.contactEmail, phone: page.contactPhone };
  const label = asHtml(written.map((kind) => names[kind]).join(" / "));
  const [first, second] = written;
  const input = INPUTS[second === undefined && first !== undefined ? first : "both"];
  const wrong = form.isUnclear ? `<p id="wrong">${asHtml(page.contactWrong)}</p>` : "";
  return `<details${form.isUnclear ? " open" : ""}>
<summary>${label}</summary>
<p id="use" class="soft">${asHtml(page.contactUse)}</p>
<form method="post" action="${escapeHtml(form.action)}">
<p><label for="contact">${label}</label></p>
${wrong}
<p><input id="contact" class="button quiet" name="contact" ${input} maxlength="254" required aria-describedby="use${wrong && ' wrong" aria-invalid="true'}"></p>
<p><button type="submit" class="button">${asHtml(page.contactKeep)}</button></p>
</form>
</details>${pushed}`;
}
