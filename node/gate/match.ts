/**
 * Which room a request belongs to: by host, then by the longest path prefix.
 *
 * A room must not be passed by writing its path otherwise, and origins differ in what they make of `%73`, `..`, `;x` or `\`.
 * So a path is compared in all the forms an origin might see in it, without regard to case. A path with forms in two rooms
 * (`/static/../shop`) is refused: whichever room were chosen, it would be a way past the other. Browsers send no such path.
 * A name matches before `*`. What the origin gets is the path as it came.
 */

export interface Routed<Value> {
  readonly host: string;
  readonly path: string;
  readonly value: Value;
}

/** What is found for a path that lies in one room or in another, depending on who reads it. */
export const CONTESTED: unique symbol = Symbol("contested");

/** Percent-decodings after which a path counts as decoded: origins decode once, sloppy ones twice. */
const DECODINGS_MAX = 3;

/** What makes a path readable in more than one way. */
const AMBIGUOUS = /[%;\\\0\x80-\xff]|\/\/|\/\.|[. ](?:\/|$)/;

/** `//name/…`: a URL without its scheme for origins that resolve the target as one, as `new URL` and `parse_url` do. */
const AUTHORITY = /^[/\\]{2,}[^/\\]*(?=[/\\])/;

/** Where a path ends for origins that decode it before they take it apart, or that hold it in a C string. */
const END = /[\0?#]/;

export class RouteTable<Value> {
  readonly #byHost = new Map<string, Routed<Value>[]>();

  constructor(routes: readonly Routed<Value>[]) {
    for (const route of routes) {
      const path = trimSlash(route.path.toLowerCase());
      const sameHost = this.#byHost.get(route.host) ?? [];
      sameHost.push({ ...route, path });
      sameHost.sort((one, other) => other.path.length - one.path.length);
      this.#byHost.set(route.host, sameHost);
    }
  }

  /** The value of the route for `host` (lower case, without port) and `target` (path and query as they came). */
  find(host: string, target: string): Value | typeof CONTESTED | undefined {
    const named = this.#byHost.get(host);
    const any = this.#byHost.get("*");
    if (named === undefined && any === undefined) return undefined;
    let found: Value | undefined;
    for (const form of pathForms(target)) {
      const value = longest(named, form) ?? longest(any, form);
      if (value === undefined || value === found) continue;
      if (found !== undefined) return CONTESTED;
      found = value;
    }
    return found;
  }
}

/** The forms in which an origin may read the path of `target`, in lower case; one form where there is no doubt. */
export function pathForms(target: string): readonly string[] {
  const query = target.indexOf("?");
  const path = query < 0 ? target : target.slice(0, query);
  if (!AMBIGUOUS.test(path)) return [path.toLowerCase()];
  const afterAuthority = path.replace(AUTHORITY, "");
  const paths = afterAuthority === path ? [path] : [path, afterAuthority];
  return paths.flatMap(readings).flatMap((reading) => {
    const segments = reading.split("/").map((segment) => segment.replace(/;.*$/, ""));
    return [joinUnresolved(segments), joinResolved(segments)];
  });
}

/** `path` decoded, and what is left of it for an origin that takes a decoded `?`, `#` or NUL for its end. */
function readings(path: string): string[] {
  const decoded = decode(path).replaceAll("\\", "/").toLowerCase();
  const end = decoded.search(END);
  return end < 0 ? [decoded] : [decoded, decoded.slice(0, end)];
}

function longest<Value>(routes: readonly Routed<Value>[] | undefined, form: string): Value | undefined {
  return routes?.find(({ path }) => covers(path, form))?.value;
}

function covers(prefix: string, path: string): boolean {
  return path.startsWith(prefix) && (path.length === prefix.length || path.charCodeAt(prefix.length) === 0x2f);
}

function trimSlash(path: string): string {
  return path.endsWith("/") ? path.slice(0, -1) : path;
}

function decode(path: string): string {
  let decoded = path;
  for (let round = 0; round < DECODINGS_MAX && decoded.includes("%"); round++) {
    const next = decoded.replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
    if (next === decoded) break;
    decoded = next;
  }
  return Buffer.from(decoded, "latin1").toString("utf8");
}

function joinUnresolved(segments: readonly string[]): string {
  return `/${segments.filter((segment) => segment !== "").join("/")}`;
}

/** With `.` and `..` resolved and, as some origins do, trailing dots, spaces and line ends of a name ignored. */
function joinResolved(segments: readonly string[]): string {
  const resolved: string[] = [];
  for (const segment of segments) {
    if (segment === "..") resolved.pop();
    else if (segment !== "" && segment !== ".") resolved.push(segment.replace(/[.\s]+$/, "") || segment);
  }
  return `/${resolved.join("/")}`;
}
