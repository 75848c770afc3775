/**
 * The short id by which a visitor and the operator name the same place or session: on the page, in JSON and in the log.
 *
 * It is made of the first 40 bits of the visitor's own id, and so the same at all nodes, before and after admission.
 * The id itself stays in the sealed cookie. Of a million visitors two have the same short id about one time in three;
 * the time tells them apart.
 */

/** Crockford's digits: none is mistaken for another when it is read aloud. */
const DIGITS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const BYTES = 5;

/** Used again for each id. */
const bytes = Buffer.alloc(BYTES);

/** The short form of a visitor's id, such as `4QK7-X2MD`. */
export function supportId(id: string): string {
  bytes.fill(0).write(id, "base64url");
  const bits = bytes.readUInt32BE(0);
  return `${fourDigits(bits >>> 12)}-${fourDigits(((bits & 0xfff) << 8) | bytes.readUInt8(4))}`;
}

/** 20 bits, five for each digit. */
function fourDigits(bits: number): string {
  const digit = (shift: number): string => DIGITS.charAt((bits >>> shift) & 31);
  return digit(15) + digit(10) + digit(5) + digit(0);
}

/** The number that somebody read out or typed; undefined for a text that is none. */
export function readSupportId(text: string): string | undefined {
  const digits = text.toUpperCase().replaceAll(/[\s-]/g, "").replaceAll("O", "0").replaceAll(/[IL]/g, "1");
  return /^[0-9A-HJKMNP-TV-Z]{8}$/.test(digits) ? `${digits.slice(0, 4)}-${digits.slice(4)}` : undefined;
}
