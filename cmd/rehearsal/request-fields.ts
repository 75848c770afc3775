/** The header fields of a visitor's requests, as browsers and the waiting page's script send them. */

import { VERSION } from "../version.ts";

const PAGE_FIELDS = [
  ...["Accept", "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"],
  ...["Accept-Language", "en", "Accept-Encoding", "gzip"],
];
const POLL_FIELDS = ["Anteroom-Poll", "1", "Accept", "application/json", "Accept-Encoding", "gzip"];

/** What browsers add over TLS. */
const PAGE_METADATA = ["Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "document", "Sec-Fetch-Site", "none"];
const POLL_METADATA = ["Sec-Fetch-Mode", "cors", "Sec-Fetch-Dest", "empty", "Sec-Fetch-Site", "same-origin"];

/** What all requests say about their sender. */
export const USER_AGENT = `anteroom-load/${VERSION}`;

/** Those that depend on what is asked. */
export function requestFields(isPoll: boolean, isTls: boolean): string[] {
  const fields = isPoll ? POLL_FIELDS : PAGE_FIELDS;
  const metadata = isPoll ? POLL_METADATA : PAGE_METADATA;
  return [...fields, ...(isTls ? metadata : [])];
}
