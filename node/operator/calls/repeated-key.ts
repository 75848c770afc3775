/**
 * Whether an object of a JSON text has a key twice (RFC 8259, section 4, leaves open which one counts).
 *
 * `JSON.parse` takes the last one and says nothing; another reader, such as a proxy that checks requests, may take the
 * first. A change that can be read in two ways is refused.
 */

/** A string, and whether it is a key; or a bracket. The string's parts overlap nowhere, so nothing is tried twice. */
const TOKEN = /("[^"\\]*(?:\\.[^"\\]*)*")(\s*:)?|[{}[\]]/g;

/** The first key that an object has twice, in a text that `JSON.parse` has read; undefined if there is none. */
export function repeatedKey(text: string): string | undefined {
  // A list has no keys, and its set stays empty.
  const keysOf: Set<string>[] = [];
  for (const [token, string, colon] of text.matchAll(TOKEN)) {
    if (token === "{" || token === "[") keysOf.push(new Set());
    else if (token === "}" || token === "]") keysOf.pop();
    else if (string !== undefined && colon !== undefined) {
      const key: string = JSON.parse(string);
      const keys = keysOf.at(-1);
      if (keys?.has(key) === true) return key;
      keys?.add(key);
    }
  }
  return undefined;
}
