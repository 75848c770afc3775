/**
 * Templates for the gate's own pages: `{{name}}` marks a slot, and a page is the fixed pieces with the values between.
 *
 * The pages have no sections or loops, so the text is split once and joined for each visitor: 1 µs for the waiting
 * page, where mustache takes 30. Operators' templates still use mustache (`page.ts`). Values are escaped by the caller
 * where they are not numbers or our own words.
 */

const SLOT = /\{\{(\w+)\}\}/;

/** Splits `text` once; the returned function fills the slots. Throws at once for a slot that is not in `names`. */
export function slotTemplate<Name extends string>(
  text: string,
  names: readonly Name[],
): (values: Readonly<Record<Name, string | number>>) => string {
  const [start = "", ...rest] = text.split(SLOT);
  const pieces: { name: Name; after: string }[] = [];
  for (let i = 0; i < rest.length; i += 2) {
    const name = names.find((known) => known === rest[i]);
    if (name === undefined)
      throw new Error(`Cannot fill a template as every slot must have a value: ${rest[i]} has none`);
    pieces.push({ name, after: rest[i + 1] ?? "" });
  }
  return (values) => {
    let filled = start;
    for (const { name, after } of pieces) filled += values[name] + after;
    return filled;
  };
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** `text` escaped as HTML text or as a quoted attribute value. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? "");
}
