/**
 * Where a request comes from, according to its browser: the site that caused it, and what is to be loaded.
 *
 * Over TLS all current browsers say so (Fetch Metadata, https://www.w3.org/TR/fetch-metadata/). Over plain HTTP they
 * send none of these fields: there `Origin` and `Referer` name the page, unless it forbade that. Doubt counts for the
 * visitor: a request without any of these fields comes from no other site's page.
 */

import { isSameSite } from "../config/site-of-host.ts";

/** The values of Fetch Metadata; `none`: the visitor, not a page, caused the request. */
export type Site = "none" | "same-origin" | "same-site" | "cross-site";

/** The fields that say it; undefined where they are not sent. */
export interface SourceFields {
  readonly fetchSite: string | undefined;
  readonly origin: string | undefined;
  readonly referer: string | undefined;
}

/**
 * The site that caused a request to `host`. A field that cannot be read, and a page that hides its name, count as
 * another site.
 */
export function siteOf({ fetchSite, origin, referer }: SourceFields, host: string): Site {
  if (fetchSite !== undefined) return SITES.find((site) => site === fetchSite) ?? "cross-site";
  const page = origin ?? referer;
  if (page === undefined) return "none";
  // `null` is the origin of sandboxed frames and of pages from other sites' redirects.
  const from = URL.parse(page)?.hostname ?? "";
  if (from === host) return "same-origin";
  return isSameSite(from, host) ? "same-site" : "cross-site";
}

const SITES: readonly Site[] = ["none", "same-origin", "same-site"];
