/**
 * Texts with `*` for any characters, or none; `\*` is an asterisk itself, and `\\` a backslash.
 *
 * The parts between asterisks are looked for one after the other, each where it first occurs: no later place could fit
 * where that one does not. So the work grows with the text, and never goes back.
 */

/** Whether a whole text fits the pattern. */
export function wildcard(pattern: string): (text: string) => boolean {
  const [first = "", ...others] = partsOf(pattern);
  const last = others.pop();
  if (last === undefined) return (text) => text === first;
  return (text) => {
    if (!text.startsWith(first)) return false;
    let at = first.length;
    for (const part of others) {
      const found = text.indexOf(part, at);
      if (found < 0) return false;
      at = found + part.length;
    }
    return text.length - last.length >= at && text.endsWith(last);
  };
}

/** What stands between asterisks, without its backslashes. */
function partsOf(pattern: string): string[] {
  const parts = [""];
  for (const [sign] of pattern.matchAll(/\\[*\\]|./gs)) {
    if (sign === "*") parts.push("");
    else parts.push(`${parts.pop()}${sign.length === 2 ? sign[1] : sign}`);
  }
  return parts;
}
