/**
 * The fields of a form as its browser sent them (https://url.spec.whatwg.org/#application/x-www-form-urlencoded), so
 * that a page can send the same ones again.
 *
 * A page repeats a form exactly only in the form's own encoding. UTF-8 is nearly always right; what is no UTF-8 is read
 * as windows-1252, which has a character for every byte.
 */

/** Doubled, a page of as many fields costs twice as much to make; halved, a large payment form no longer fits. */
const FIELDS_MAX = 500;

export interface SentForm {
  readonly charset: "utf-8" | "windows-1252";
  readonly fields: readonly (readonly [name: string, value: string])[];
}

/** The fields of `body`, which is latin1 text; undefined if a page could not send the same ones. */
export function formOf(body: string): SentForm | undefined {
  const pairs = body === "" ? [] : body.split("&");
  if (pairs.length > FIELDS_MAX) return undefined;
  const read = pairs.map((pair) => {
    const equals = pair.indexOf("=");
    return equals < 0 ? [pair, ""] : [pair.slice(0, equals), pair.slice(equals + 1)];
  });
  for (const charset of ["utf-8", "windows-1252"] as const) {
    const decoder = new TextDecoder(charset, { fatal: true, ignoreBOM: true });
    try {
      const fields = read.map(([name = "", value = ""]) => [decoded(name, decoder), decoded(value, decoder)] as const);
      return fields.every(isRepeatable) ? { charset, fields } : undefined;
    } catch {
      // Not in this encoding.
    }
  }
  return undefined;
}

function decoded(text: string, decoder: TextDecoder): string {
  const bytes = text.replaceAll("+", " ").replace(/%([0-9a-f]{2})/gi, (_, hex: string) => latin1(hex));
  return decoder.decode(Uint8Array.from(bytes, (character) => character.charCodeAt(0)));
}

function latin1(hex: string): string {
  return String.fromCharCode(Number.parseInt(hex, 16));
}

/**
 * Whether a browser sends the field from a page as it is: it writes every line end as CR LF, has no null character, and
 * fills in a field called `_charset_` by itself.
 */
function isRepeatable([name, value]: readonly [string, string]): boolean {
  return name.toLowerCase() !== "_charset_" && [name, value].every((text) => !/\0|\r(?!\n)|(?<!\r)\n/.test(text));
}
