/**
 * Which site a host belongs to: the domain that its owner registered, by the Public Suffix List
 * (https://publicsuffix.org).
 *
 * Browsers draw the line between "same-site" and "cross-site" there, and refuse cookies for a public suffix. The list
 * comes with the program (tldts), so it is as old as the program: a suffix that is newer counts as a site of its own.
 */

import { getDomain } from "tldts";

/** Browsers also heed the private part of the list: `a.github.io` and `b.github.io` are two sites. */
const AS_BROWSERS_DO = { allowPrivateDomains: true, validateHostname: false } as const;

/**
 * The registered domain that `host` (lower case, without port) is in; undefined for an address, a suffix, or a single
 * label.
 */
export function registeredDomain(host: string): string | undefined {
  return getDomain(host, AS_BROWSERS_DO) ?? undefined;
}

/** Whether two hosts are of one site: the same host, or hosts of the same registered domain. */
export function isSameSite(host: string, other: string): boolean {
  if (host === other) return true;
  const domain = registeredDomain(host);
  return domain !== undefined && domain === registeredDomain(other);
}
