/**
 * The query of a request's target as its pairs: the gate reads its own ones, and takes them out. The rest stays as it
 * is.
 */

/** The pairs of a target's query. */
export function pairsOf(target: string): string[] {
  const at = target.indexOf("?");
  return at < 0 ? [] : target.slice(at + 1).split("&");
}

/** `target` without the pairs that begin with `start`. Text in a path that looks like one belongs to the site. */
export function withoutPairs(target: string, start: string): string {
  const at = target.indexOf("?");
  if (at < 0 || !target.includes(start)) return target;
  const rest = pairsOf(target).filter((pair) => !pair.startsWith(start));
  const path = target.slice(0, at);
  return rest.length === 0 ? path : `${path}?${rest.join("&")}`;
}

/** `target` with one more pair. */
export function withPair(target: string, pair: string): string {
  return `${target}${target.includes("?") ? "&" : "?"}${pair}`;
}
