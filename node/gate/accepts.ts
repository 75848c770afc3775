/**
 * Whether an `Accept` value names a media type, or an `Accept-Encoding` value a coding (RFC 9110 §12.5).
 *
 * Only a type that is spelled out counts: images, scripts and fetches accept everything with a wildcard, and want no
 * page.
 */

/** By type: how a field names it. */
const named = new Map<string, RegExp>();

/** Whether `accept` names `type`, and not with a weight of 0. */
export function accepts(accept: string, type: string): boolean {
  return named.getOrInsertComputed(type, naming).test(accept);
}

/** A member of a list that is `type`, without the parameter `q=0`; a weight has at most three decimals. */
function naming(type: string): RegExp {
  const parameter = String.raw`;(?!\s*q=0(?:\.0{0,3})?\s*(?:[;,]|$))[^;,]*`;
  return new RegExp(String.raw`(?:^|,)\s*${RegExp.escape(type)}\s*(?:${parameter})*(?:,|$)`, "i");
}
