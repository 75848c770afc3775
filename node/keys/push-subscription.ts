/**
 * A browser's push subscription (https://www.w3.org/TR/push-api/), as a visitor leaves it to be told of the turn.
 *
 * Its endpoint is an address that a stranger gives, and a node calls it: so it must be one of the push services that
 * browsers use, and no other host.
 */

import { z } from "zod";
import { LANGUAGES } from "../languages/texts.ts";

/** Those of Chrome and browsers made from it, Firefox, Safari, and Edge. */
const HOSTS = /^(?:fcm\.googleapis\.com|(?:[\w-]+\.)+(?:push\.services\.mozilla|push\.apple|notify\.windows)\.com)$/;

/** Twice what the longest of them gives. Doubled, contacts would not fit into a message between nodes. */
const ENDPOINT_MAX = 800;

const SUBSCRIPTION = z.object({
  endpoint: z.url().max(ENDPOINT_MAX),
  keys: z.object({
    /** A point of P-256, uncompressed: 65 bytes, of which the first is 4. */
    p256dh: z.string().regex(/^B[A-P][\w-]{85}$/),
    /** 16 bytes. */
    auth: z.string().regex(/^[\w-]{22}$/),
  }),
  /** Of the page on which it was left. */
  language: z.enum(LANGUAGES),
});
export type PushSubscription = z.output<typeof SUBSCRIPTION>;

/** Whether a push may go to an address. Tests have one of their own. */
export type MayPush = (endpoint: URL) => boolean;

export const isPushService: MayPush = ({ protocol, hostname, port, username, password }) =>
  protocol === "https:" && port === "" && username === "" && password === "" && HOSTS.test(hostname);

/** What was left, from its JSON; undefined if that is none, or leads elsewhere. */
export function subscriptionIn(json: string, mayPush: MayPush = isPushService): PushSubscription | undefined {
  const { data } = SUBSCRIPTION.safeParse(parsed(json));
  const url = data && URL.parse(data.endpoint);
  if (!url || !mayPush(url) || url.href.length > ENDPOINT_MAX) return undefined;
  // As JSON each would be two.
  if (url.href.includes("\\")) return undefined;
  return { ...data, endpoint: url.href };
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    // A stranger wrote it.
    return undefined;
  }
}
