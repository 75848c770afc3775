/**
 * How an origin may read a path.
 *
 * Origins differ in what they make of `%73`, `//`, `\`, `;x`, `shop.` or capitals, and no list of them is complete. So
 * a path gets one reading, the strongest: everything that any origin is known to decode or resolve is undone. A milder
 * origin then reads the same place or one above it. Paths for which that would not hold are refused. Browsers send none
 * of them: dot segments (browsers resolve them), control characters, `%u0041`, overlong UTF-8, more than three
 * encodings, and an encoded slash or a backslash beside `;` or a leading `//`. A `%` that decodes to nothing, as in
 * `/50%-off`, browsers send as it stands: that path has all the readings that origins are known to give it. Every step
 * is linear in the path's length.
 */

import { hexDigit } from "./hex-digit.ts";

/** How much of a path is read: no route is deeper, and no part of a route is longer. */
export interface ReadingBounds {
  readonly segmentsMax: number;
  readonly segmentCharsMax: number;
}

/** Percent-decodings after which a path counts as decoded: origins decode once, careless ones twice. */
const DECODINGS_MAX = 3;

/** Characters of which Unicode may compose one (Greek, with all its marks). */
const COMPOSED_OF_MAX = 4;

const PERCENT = 0x25;
const SLASH = 0x2f;
const BACKSLASH = 0x5c;

/** For callers that do not ask which place it is. */
const FIRST_NAME: ReadingBounds = { segmentsMax: 1, segmentCharsMax: 1 };

/** What makes a path readable in more than one way, capitals apart. */
const UNCLEAR = /[^!-~]|[%;\\]|\/\/|\/\.|\.(?:\/|$)/;

const BARE_PERCENT = /%(?![0-9a-f]{2})/i;
const BARE_PERCENTS = /%(?![0-9a-f]{2})/gi;
/** With what a lenient decoder takes with it. */
const BARE_ESCAPES = /%(?![0-9a-f]{2})[\s\S]{0,2}/gi;
/** At the end of a path, a decoder that has the query behind it may take that for the escape. */
const ENDS_BARE = /%[0-9a-f]?$/i;
/** Also with the blanks and dots that Windows ignores at the end of a name. */
const DOT_SEGMENT = /\/\s*\.[.\s]*(?=[/;?#]|$)/;

/** Forbidden in a decoded path, as latin1 text. */
const REFUSED: readonly RegExp[] = [
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these and the line ends of Unicode are looked for.
  /[\0-\x1f\x7f]|\xc2[\x80-\x9f]|\xe2\x80[\xa8\xa9]/,
  // Still encoded, or encoded in the way of IIS and old scripts.
  /%(?:[0-9a-f]{2}|u[0-9a-f]{4})/i,
  // UTF-8 that takes more bytes than a character needs, as `%c0%af` for a slash.
  /[\xc0\xc1]|\xe0[\x80-\x9f]|\xf0[\x80-\x8f]|\xf8[\x80-\x87]|\xfc[\x80-\x83]/,
];

/** What file systems and lenient decoders drop from a name. */
const IGNORED = /[\p{Default_Ignorable_Code_Point}\p{Cc}\p{Cf}\u2028\u2029\ufffd]/gu;
/** Where a name ends: at its parameters, or, for origins that decode a path before they take it apart, at its end. */
const NAME_END = /[;?#]/;

/** The places that the path of `target` (as received) means, as `readPath` says. */
export function readTarget(target: string, bounds: ReadingBounds): readonly string[] | undefined {
  const query = target.indexOf("?");
  const path = query < 0 ? target : target.slice(0, query);
  const places = readPath(path, bounds);
  if (query < 0 || places === undefined || !ENDS_BARE.test(path)) return places;
  const others = readPath(target, bounds);
  return others && [...places, ...others];
}

/**
 * The places that `path` (as received, without query) means in its strongest reading, as `/name/name` in lower case,
 * cut at the bounds; mostly one. Undefined when the path must be refused.
 */
function readPath(path: string, bounds: ReadingBounds): readonly string[] | undefined {
  if (!UNCLEAR.test(path)) return [path.toLowerCase()];
  const bare = path.search(BARE_PERCENT);
  if (bare < 0) return readEscaped(path, bounds);
  // It stands for itself, is dropped, is dropped with what follows, or ends the path.
  const ways = [path, path.replace(BARE_PERCENTS, ""), path.replace(BARE_ESCAPES, ""), path.slice(0, bare)];
  const places = ways.map((way) => readEscaped(way, bounds));
  return places.every((one) => one !== undefined) ? places.flat() : undefined;
}

/** The same of a path where each `%` is an escape, or stands for itself. */
function readEscaped(path: string, bounds: ReadingBounds): readonly string[] | undefined {
  const bytes = decode(path);
  unifySlashes(bytes);
  const latin1 = bytes.toString("latin1");
  if (REFUSED.some((pattern) => pattern.test(latin1))) return undefined;
  const hasHiddenSlash = count(latin1, "/") > count(path, "/");
  if (hasHiddenSlash && (latin1.includes(";") || latin1.startsWith("//"))) return undefined;

  const utf8 = bytes.toString("utf8");
  if (DOT_SEGMENT.test(utf8.replace(IGNORED, ""))) return undefined;
  // Names that are not UTF-8 are latin1 to old origins.
  const texts = utf8.includes("\ufffd") ? [utf8, latin1] : [utf8];
  // `//name/…` is a URL without its scheme to origins that resolve the target as one, as `new URL` and `parse_url` do.
  const paths = latin1.startsWith("//") ? texts.flatMap((one) => [one, afterAuthority(one)]) : texts;
  return paths.map((one) => placeOf(one, bounds));
}

/** Whether no origin reads `target`, appended to the path of a base URL, as a place outside of it. */
export function staysBelow(target: string): boolean {
  return readTarget(target, FIRST_NAME) !== undefined;
}

/** The place that a decoded path means. */
export function placeOf(path: string, { segmentsMax, segmentCharsMax }: ReadingBounds): string {
  let place = "";
  let found = 0;
  for (let at = 0; at < path.length && found < segmentsMax; ) {
    const slash = path.indexOf("/", at);
    const end = slash < 0 ? path.length : slash;
    if (end === at) {
      at += 1;
      continue;
    }
    const segment = path.slice(at, end);
    const nameEnd = segment.search(NAME_END);
    const name = nameOf(nameEnd < 0 ? segment : segment.slice(0, nameEnd), segmentCharsMax);
    if (name !== "") {
      place += `/${name}`;
      found += 1;
    }
    if (nameEnd >= 0 && segment[nameEnd] !== ";") break;
    at = end + 1;
  }
  return place === "" ? "/" : place;
}

/** A name as compared: without ignored characters, surrounding blanks and trailing dots; composed, in lower case. */
function nameOf(text: string, charsMax: number): string {
  const name = trimmed(text.replace(IGNORED, ""));
  // Longer than any route's name. Composing a long run of marks would not be linear.
  if (name.length > charsMax * COMPOSED_OF_MAX) return name;
  return trimmed(name.normalize("NFKC").toLowerCase());
}

function trimmed(name: string): string {
  let start = 0;
  let end = name.length;
  while (start < end && isBlank(name[start])) start += 1;
  while (end > start && (name[end - 1] === "." || isBlank(name[end - 1]))) end -= 1;
  return name.slice(start, end);
}

function isBlank(character: string | undefined): boolean {
  return character?.trim() === "";
}

function afterAuthority(path: string): string {
  let start = 0;
  while (path.charCodeAt(start) === SLASH) start += 1;
  const slash = path.indexOf("/", start);
  return slash < 0 ? "" : path.slice(slash);
}

/** The bytes of `path`, decoded until nothing is left to decode, three times at most. */
function decode(path: string): Buffer {
  let bytes: Buffer = Buffer.from(path, "latin1");
  for (let round = 0; round < DECODINGS_MAX; round++) {
    const next = decodeOnce(bytes);
    if (next.length === bytes.length) break;
    bytes = next;
  }
  return bytes;
}

/** Decodes in place; returns the part that is left. */
function decodeOnce(bytes: Buffer): Buffer {
  const first = bytes.indexOf(PERCENT);
  if (first < 0) return bytes;
  let to = first;
  for (let from = first; from < bytes.length; to++) {
    const byte = bytes[from] ?? 0;
    const high = byte === PERCENT ? hexDigit(bytes[from + 1] ?? 0) : -1;
    const low = high < 0 ? -1 : hexDigit(bytes[from + 2] ?? 0);
    bytes[to] = low < 0 ? byte : high * 16 + low;
    from += low < 0 ? 1 : 3;
  }
  return bytes.subarray(0, to);
}

function unifySlashes(bytes: Buffer): void {
  for (let at = bytes.indexOf(BACKSLASH); at >= 0; at = bytes.indexOf(BACKSLASH, at + 1)) bytes[at] = SLASH;
}

function count(text: string, character: string): number {
  let found = 0;
  for (let at = text.indexOf(character); at >= 0; at = text.indexOf(character, at + 1)) found += 1;
  return found;
}
