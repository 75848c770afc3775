/**
 * How origins read a path: the ways of servers and frameworks that were tried, written down as functions.
 *
 * Each returns the path by which the origin then looks up what to serve; undefined where it answers with an error.
 */

export interface OriginReading {
  readonly name: string;
  readonly ignoresCase?: true;
  read(path: string): string | undefined;
}

export const ORIGIN_READINGS: readonly OriginReading[] = [
  { name: "raw", read: (path) => path },
  {
    name: "nginx",
    read: (path) => decoded(path, (text) => (text.includes("\0") ? undefined : resolved(merged(text)))),
  },
  { name: "nginx without merge_slashes", read: (path) => decoded(path, resolved) },
  { name: "decoded, slashes merged, dots kept", read: (path) => decoded(path, merged) },
  {
    name: "python http.server",
    read: (path) => decoded(path.replace(/[?#].*/s, ""), (text) => resolved(merged(text))),
  },
  { name: "decoded, cut at ? and #", read: (path) => decoded(path, (text) => resolved(text.replace(/[?#].*/s, ""))) },
  { name: "C string", read: (path) => decoded(path, (text) => resolved(text.replace(/\0.*/s, ""))) },
  { name: "first line", read: (path) => decoded(path, (text) => resolved(text.replace(/[\r\n].*/s, ""))) },
  { name: "Tomcat", read: (path) => decoded(withoutParameters(path), (text) => resolved(merged(text))) },
  {
    name: "Tomcat with backslashes",
    read: (path) => decoded(withoutParameters(path), (text) => resolved(merged(slashed(text)))),
  },
  { name: "Jetty", read: (path) => decoded(withoutParameters(unescaped(path)), resolved) },
  { name: "Jetty, dots first", read: (path) => decoded(resolved(withoutParameters(path)), (text) => text) },
  { name: "parameters cut after decoding", read: (path) => decoded(path, (text) => resolved(withoutParameters(text))) },
  { name: "all cut after ;", read: (path) => decoded(path.replace(/;.*/s, ""), resolved) },
  { name: "twice decoded", read: (path) => decoded(path, (text) => decoded(text, (again) => resolved(merged(again)))) },
  {
    name: "parameters between two decodings",
    read: (path) => decoded(path, (text) => decoded(withoutParameters(text), (again) => resolved(merged(again)))),
  },
  {
    name: "IIS",
    ignoresCase: true,
    read: (path) => decoded(unescaped(path), (text) => resolved(windows(merged(slashed(text))))),
  },
  {
    name: "Windows names, dots first",
    ignoresCase: true,
    read: (path) => decoded(path, (text) => windows(resolved(slashed(text)))),
  },
  {
    name: "HFS+",
    ignoresCase: true,
    read: (path) => decoded(path, (text) => resolved(text.replaceAll(/[\u200b-\u200f\ufeff]/g, ""))),
  },
  {
    name: "bytes that are no UTF-8 ignored",
    read: (path) => decoded(path, (text) => resolved(text.replaceAll("\ufffd", ""))),
  },
  {
    name: "overlong UTF-8",
    read: (path) => decoded(path.replaceAll(/%c0%af/gi, "/").replaceAll(/%c0%ae/gi, "."), resolved),
  },
  { name: "encoded slashes kept", read: (path) => decoded(path.replaceAll(/%(2f|5c)/gi, "%25$1"), resolved) },
  {
    name: "new URL",
    read: (path) => decoded(URL.parse(path, "http://origin.example")?.pathname ?? "%", (text) => text),
  },
  { name: "new URL, undecoded", read: (path) => URL.parse(path, "http://origin.example")?.pathname },
  { name: "parse_url", read: (path) => decoded(path.replace(/^\/\/[^/]*/, ""), resolved) },
  {
    name: "regular expression of one line",
    read: (path) => decoded(path, (text) => resolved(text.split(/[\n\u2028]/)[0] ?? "")),
  },
];

/** `read` of the path, once decoded; what is no UTF-8 becomes U+FFFD. */
function decoded(path: string | undefined, read: (text: string) => string | undefined): string | undefined {
  if (path === undefined) return undefined;
  const bytes = Buffer.from(path, "utf8").toString("latin1");
  const text = bytes.replaceAll(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return read(Buffer.from(text, "latin1").toString("utf8"));
}

function merged(path: string): string {
  return path.replaceAll(/\/+/g, "/");
}

function slashed(path: string): string {
  return path.replaceAll("\\", "/");
}

/** `%u0073` as an `s`. */
function unescaped(path: string): string {
  return path.replaceAll(/%u00([0-9a-f]{2})/gi, "%$1");
}

function withoutParameters(path: string): string {
  return path.replaceAll(/;[^/]*/g, "");
}

/** Names without the dots and blanks at their ends; names of dots alone as they are. */
function windows(path: string): string {
  return path
    .split("/")
    .map((name) => (/^\.\.?\s*$/.test(name) ? name.trim() : name.replace(/[. ]+$/, "")))
    .join("/");
}

function resolved(path: string): string {
  const names: string[] = [];
  for (const name of path.split("/").slice(1)) {
    if (name === "..") names.pop();
    else if (name !== ".") names.push(name);
  }
  return `/${names.join("/")}`;
}
