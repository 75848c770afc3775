/**
 * A token as text: a prefix for scanners that look for leaked secrets, 214 random bits, and a checksum.
 *
 * `anteroom_`, 36 characters of base 62, and 6 characters of base 62: the CRC-32 of the text before them. By it a
 * scanner recognizes a real token, and a node recognizes one that was cut off. Only the SHA-256 of a token is
 * kept: there is nothing to guess, so it needs neither salt nor a slow hash.
 */

import { randomInt } from "node:crypto";
import { crc32 } from "node:zlib";
import { sha256Hex } from "../../sha256.ts";

const PREFIX = "anteroom_";
const SECRET_CHARS = 36;
const CHECK_CHARS = 6;
const DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

const FORM = new RegExp(`^${PREFIX}[0-9A-Za-z]{${SECRET_CHARS + CHECK_CHARS}}$`);

/** Another token with each call. */
export function newTokenText(): string {
  const secret = Array.from({ length: SECRET_CHARS }, () => DIGITS[randomInt(DIGITS.length)]).join("");
  return PREFIX + secret + checkOf(PREFIX + secret);
}

/** Whether a text can be a token: its form and its checksum are right. */
export function isTokenText(text: string): boolean {
  return FORM.test(text) && checkOf(text.slice(0, -CHECK_CHARS)) === text.slice(-CHECK_CHARS);
}

/** What is kept of a token, as hex. */
export function hashOfToken(text: string): string {
  return sha256Hex(text);
}

function checkOf(text: string): string {
  let rest = crc32(text);
  let digits = "";
  for (let at = 0; at < CHECK_CHARS; at++) {
    digits = (DIGITS[rest % DIGITS.length] ?? "") + digits;
    rest = Math.floor(rest / DIGITS.length);
  }
  return digits;
}
