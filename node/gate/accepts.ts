/**
 * Whether an `Accept` value names a media type, or an `Accept-Encoding` value a coding (RFC 9110 §12.5).
 *
 * Only a type that is spelled out counts: images, scripts and fetches accept everything with a wildcard, and want no page.
 */

/** Whether `accept` names `type` (lower case), and not with a weight of 0. */
export function accepts(accept: string, type: string): boolean {
  const text = accept.toLowerCase();
  if (!text.includes(type)) return false;
  return text.split(",").some((range) => {
    const [named = "", ...parameters] = range.split(";").map((part) => part.trim());
    return named === type && !parameters.some((parameter) => NO_WEIGHT.test(parameter));
  });
}

/** A weight has at most three decimals. */
const NO_WEIGHT = /^q=0(?:\.0{0,3})?$/;
