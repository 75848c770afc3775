/**
 * How origins read a path: the ways of servers and frameworks that were tried, written down as steps.
 *
 * Each gives the path by which the origin then looks up what to serve; undefined where it answers with an error.
 */

type Step = (path: string) => string | undefined;

export interface OriginReading {
  readonly name: string;
  readonly ignoresCase: boolean;
  readonly read: Step;
}

const parameters = without(/;[^/]*/g);
const query = without(/[?#].*/s);

/** The steps of those that tell letters by their case, and of those that do not. */
const STRICT: Readonly<Record<string, readonly Step[]>> = {
  raw: [],
  nginx: [decoded, (path) => (path.includes("\0") ? undefined : path), merged, resolved],
  "nginx without merge_slashes": [decoded, resolved],
  "decoded, slashes merged, dots kept": [decoded, merged],
  "python http.server": [query, decoded, merged, resolved],
  "decoded, cut at ? and #": [decoded, query, resolved],
  "C string": [decoded, without(/\0.*/s), resolved],
  "first line": [decoded, without(/[\r\n].*/s), resolved],
  Tomcat: [parameters, decoded, merged, resolved],
  "Tomcat with backslashes": [parameters, decoded, slashed, merged, resolved],
  Jetty: [unescaped, parameters, decoded, resolved],
  "Jetty, dots first": [parameters, resolved, decoded],
  "parameters cut after decoding": [decoded, parameters, resolved],
  "all cut after ;": [without(/;.*/s), decoded, resolved],
  "twice decoded": [decoded, decoded, merged, resolved],
  "parameters between two decodings": [decoded, parameters, decoded, merged, resolved],
  "bytes that are no UTF-8 ignored": [decoded, without(/\ufffd/g), resolved],
  "overlong UTF-8": [(path) => path.replaceAll(/%c0%af/gi, "/").replaceAll(/%c0%ae/gi, "."), decoded, resolved],
  "encoded slashes kept": [(path) => path.replaceAll(/%(2f|5c)/gi, "%25$1"), decoded, resolved],
  "new URL": [(path) => urlPath(path) ?? "%", decoded],
  "new URL, undecoded": [urlPath],
  parse_url: [without(/^\/\/[^/]*/), decoded, resolved],
  "regular expression of one line": [decoded, without(/[\n\u2028].*/s), resolved],
};
const LOOSE: Readonly<Record<string, readonly Step[]>> = {
  IIS: [unescaped, decoded, slashed, merged, windows, resolved],
  "Windows names, dots first": [decoded, slashed, resolved, windows],
  "HFS+": [decoded, without(/[\u200b-\u200f\ufeff]/g), resolved],
};

export const ORIGIN_READINGS: readonly OriginReading[] = [
  ...Object.entries(STRICT).map(([name, steps]) => ({ name, ignoresCase: false, read: inTurn(steps) })),
  ...Object.entries(LOOSE).map(([name, steps]) => ({ name, ignoresCase: true, read: inTurn(steps) })),
];

function inTurn(steps: readonly Step[]): Step {
  return (path) => steps.reduce<string | undefined>((read, step) => (read === undefined ? read : step(read)), path);
}

/** Decoded once; what is no UTF-8 becomes U+FFFD. */
function decoded(path: string): string {
  const bytes = Buffer.from(path, "utf8").toString("latin1");
  const text = bytes.replaceAll(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(text, "latin1").toString("utf8");
}

function without(part: RegExp): (path: string) => string {
  return (path) => path.replace(part, "");
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

function urlPath(path: string): string | undefined {
  return URL.parse(path, "http://origin.example")?.pathname;
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
