/**
 * What an answer is to a visitor: a waiting page or its JSON, the call to enter, the site, a redirect, or an error.
 *
 * A waiting page is known by its `Refresh` field with the gate's mark, or by the fields of the gate's pages: the call
 * to enter does not reload itself. A site without anteroom never looks like that, and all its answers are the site's.
 */

import { fieldValue } from "../../node/http/fields.ts";
import type { HeaderList } from "../../node/http/message.ts";
import type { Answer } from "./http-client.ts";

/** A place in line, as a page or its JSON says. */
export interface Waiting {
  readonly kind: "waiting";
  /** 1 for the next to come in; 0 without a place, or while places are drawn. */
  readonly position: number;
  /** When a page without JavaScript asks again, and where; undefined for its own address. */
  readonly refreshSeconds: number;
  readonly again: string | undefined;
  /** When the page's script polls; undefined for a page without one. */
  readonly pollSeconds: number | undefined;
  /** The moment of the next poll in ms from now, where the gate names it. */
  readonly pollMs?: number | undefined;
  /** Whether a place costs a proof of work that is still owed. */
  readonly owesProof: boolean;
}

export type Seen =
  | Waiting
  | { readonly kind: "turn"; readonly enterSeconds: number }
  | { readonly kind: "site" }
  | { readonly kind: "redirect"; readonly to: string }
  | { readonly kind: "error"; readonly what: string; readonly retryAfterSeconds: number };

export type AnswerParts = Pick<Answer, "status" | "headers" | "body">;

/** Seconds between polls when the answer does not say. */
const POLL_SECONDS = 1;

/**
 * What the answer to a poll of a waiting page is: anything that is not the room's own ends the wait, unless it is an
 * error.
 */
export function pollSeen(answer: AnswerParts): Seen {
  const place = placeIn(answer);
  if (place !== undefined) return place;
  const error = errorIn(answer);
  return error ?? { kind: "turn", enterSeconds: 0 };
}

/** What the answer to a navigation is. */
export function pageSeen(answer: AnswerParts): Seen {
  const waits = placeIn(answer) ?? waitingPageIn(answer);
  if (waits !== undefined) return waits;
  const { status, headers } = answer;
  const to = fieldValue(headers, "location");
  if (REDIRECTS.has(status) && to !== undefined) return { kind: "redirect", to };
  return errorIn(answer) ?? { kind: "site" };
}

const REDIRECTS = new Set([301, 302, 303, 307, 308]);

/** A room's own template has no place in it, and none of our data. */
const OWN_FRAMES = /frame-ancestors 'self'/;

function errorIn({ status, headers }: AnswerParts): Seen | undefined {
  if (status < 400) return undefined;
  return {
    kind: "error",
    what: `status ${status}`,
    retryAfterSeconds: Number(fieldValue(headers, "retry-after")) || 0,
  };
}

/** The place in the JSON of a waiting room; undefined for anything else. */
function placeIn({ headers, body }: AnswerParts): Seen | undefined {
  if (!/json/i.test(fieldValue(headers, "content-type") ?? "")) return undefined;
  try {
    const { cfWaitingRoom: room, anteroom: ours } = JSON.parse(textOf(headers, body)) as {
      readonly cfWaitingRoom?: {
        readonly inWaitingRoom?: boolean;
        readonly refreshIntervalSeconds?: number;
        readonly infiniteQueue?: boolean;
      };
      readonly anteroom?: { readonly position?: number; readonly enterSeconds?: number; readonly pollMs?: number };
    };
    if (typeof room !== "object" || room === null) return undefined;
    if (room.inWaitingRoom === false) return { kind: "turn", enterSeconds: ours?.enterSeconds ?? 0 };
    const refreshSeconds = room.refreshIntervalSeconds ?? POLL_SECONDS;
    return {
      kind: "waiting",
      position: ours?.position ?? 0,
      refreshSeconds,
      again: undefined,
      pollSeconds: refreshSeconds,
      pollMs: ours?.pollMs,
      owesProof: room.infiniteQueue === true,
    };
  } catch {
    // Not JSON after all, or cut: it is the site's.
    return undefined;
  }
}

function waitingPageIn({ headers, body }: AnswerParts): Seen | undefined {
  const [, digits, again] = /^(\d{1,6})(?:; ?url=(\S+))?$/i.exec(fieldValue(headers, "refresh") ?? "") ?? [];
  const isMarked = again?.includes("__anteroom=") === true;
  const isGates =
    OWN_FRAMES.test(fieldValue(headers, "content-security-policy") ?? "") &&
    fieldValue(headers, "cache-control") === "private, no-store";
  if (!isMarked && !isGates) return undefined;
  const html = textOf(headers, body);
  const hasScript = html.includes('id="anteroom"');
  const state = dataOf(html, "state");
  // The call to enter does not reload itself.
  if (hasScript && state === "turn") return { kind: "turn", enterSeconds: Number(dataOf(html, "enter")) || 0 };
  if (digits === undefined && !hasScript) return undefined;
  const pollSeconds = Number(dataOf(html, "refresh")) || Number(digits);
  return {
    kind: "waiting",
    position: Number(dataOf(html, "position")) || 0,
    refreshSeconds: Number(digits ?? pollSeconds),
    again,
    pollSeconds: hasScript ? pollSeconds : undefined,
    owesProof: state === "proving",
  };
}

function textOf(headers: HeaderList, body: Buffer): string {
  if (fieldValue(headers, "content-encoding") !== "gzip") return body.toString();
  try {
    return Buffer.from(Bun.gunzipSync(new Uint8Array(body))).toString();
  } catch {
    // Cut or damaged: the page still says by its fields when to ask again.
    return "";
  }
}

function dataOf(html: string, name: string): string | undefined {
  return new RegExp(`\\bdata-${name}="([^"]*)"`).exec(html)?.[1];
}
