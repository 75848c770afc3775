/**
 * Visitors: how they ask, and how they come to their cookies, which is by asking.
 */

/** What a browser sends when a person opens a page. */
export const NAVIGATION: readonly string[] = [
  "User-Agent: Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36",
  "Accept: text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8",
  "Accept-Language: en-US,en;q=0.9",
  "Accept-Encoding: gzip, deflate, br, zstd",
  "Upgrade-Insecure-Requests: 1",
  "Sec-Fetch-Site: none",
  "Sec-Fetch-Mode: navigate",
  "Sec-Fetch-User: ?1",
  "Sec-Fetch-Dest: document",
];

/** What the waiting page's script adds when it asks for its place. */
export const POLL: readonly string[] = ["Accept: application/json", "Anteroom-Poll: 1"];

/** Requests under way at once. */
const PARALLEL = 32;

export interface Visit {
  /** With which it asked. */
  readonly asked: string | undefined;
  /** `name=value` of the cookie that was set, if any. */
  readonly cookie: string | undefined;
  readonly body: string;
}

/** Has one visitor ask `url` for each of `cookies` (undefined: a new one), and tells `seen` of every answer. */
export async function visitAll(
  { url, fields }: { readonly url: string; readonly fields: readonly string[] },
  cookies: Iterable<string | undefined>,
  seen: (visit: Visit) => void,
): Promise<void> {
  const headers = fields.map((field) => field.split(": ", 2) as [string, string]);
  const queue = cookies[Symbol.iterator]();
  const visitInTurn = async (): Promise<void> => {
    for (let next = queue.next(); !next.done; next = queue.next()) {
      const cookie: [string, string][] = next.value === undefined ? [] : [["Cookie", next.value]];
      const answer = await fetch(url, { headers: [...headers, ...cookie] });
      if (answer.status !== 200)
        throw new Error(`Cannot measure as visitors must get 200: current is ${answer.status}`);
      seen({ asked: next.value, cookie: answer.headers.getSetCookie()[0]?.split(";")[0], body: await answer.text() });
    }
  };
  await Promise.all(Array.from({ length: PARALLEL }, visitInTurn));
}

/**
 * Lets `count` new visitors open `url` and returns the cookies they got. Throws when one got none.
 *
 * They come as people do. A page that polls is admitted too, but its visitor still has to enter.
 */
export async function cookiesOf(url: string, count: number): Promise<string[]> {
  const cookies: string[] = [];
  await visitAll({ url, fields: NAVIGATION }, newcomers(count), ({ cookie }) => {
    if (cookie === undefined) throw new Error("Cannot measure as every new visitor must get a cookie");
    cookies.push(cookie);
  });
  return cookies;
}

/** `count` visitors without a cookie. */
export function newcomers(count: number): Iterable<undefined> {
  return Array.from({ length: count }, () => undefined);
}
