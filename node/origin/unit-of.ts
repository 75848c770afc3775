/**
 * A text as a number from 0 up to but not including 1, the same on every node and practically random.
 *
 * Two rounds of FNV-1a, each with the mixer of MurmurHash3, 53 bits of them: names that differ in their last character
 * only come out far apart (CT-8). Not for secrets.
 */

/** The number of `text`. */
export function unitOf(text: string): number {
  let low = 0x811c9dc5;
  let high = 0x9e3779b9;
  for (let at = 0; at < text.length; at++) {
    low = Math.imul(low ^ text.charCodeAt(at), 0x01000193);
    high = Math.imul(high ^ text.charCodeAt(at), 0x85ebca6b);
  }
  return ((mixed(high) & 0x1fffff) * 2 ** 32 + mixed(low)) / 2 ** 53;
}

function mixed(value: number): number {
  let mix = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  mix = Math.imul(mix ^ (mix >>> 13), 0xc2b2ae35);
  return (mix ^ (mix >>> 16)) >>> 0;
}
