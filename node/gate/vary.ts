/**
 * The request fields on which the gate's own answers depend (`Vary`, RFC 9110 §12.5.5): who asks, from where, for what,
 * and in which form and language.
 */

import type { HeaderList } from "../http/message.ts";

export const VARY: HeaderList = [
  "Vary",
  ["Accept", "Accept-Encoding", "Accept-Language", "Anteroom-Poll", "Cookie", "Origin"]
    .concat(["Sec-Fetch-Dest", "Sec-Fetch-Mode", "Sec-Fetch-Site"])
    .join(", "),
];
