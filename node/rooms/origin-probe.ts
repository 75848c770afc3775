/**
 * Asks a target for its health, or just whether it answers: one request of our own, apart from visitors' connections.
 *
 * It asks as a visitor's request would come: with the room's host and the origin's secret. What comes back is not read.
 */

import type { Room } from "../config/room.ts";
import { LOOP_FIELD } from "../http/loop.ts";
import { messageOf } from "../message-of.ts";
import { SECRET_FIELD } from "../origin/secret-field.ts";

export interface Question {
  /** Base URL of the target. */
  readonly url: string;
  /** A path to ask for, of which any answer below 500 is well; without one any answer at all is. */
  readonly path: string | undefined;
  /** Value of the Host field; undefined for that of the URL. */
  readonly host: string | undefined;
  readonly timeoutMs: number;
}

/** What a target of a room is asked: for the path of its health check, if it has one, under the room's name. */
export function questionFor({ healthCheck, host }: Room, url: string, timeoutMs: number): Question {
  return { url, path: healthCheck?.path, host: host === "*" ? undefined : host, timeoutMs };
}

/** Asks; what was wrong, in words, or undefined when the target is well. Never throws. */
export type Probe = (question: Question) => Promise<string | undefined>;

export interface ProbeOptions {
  /** Certificates in PEM that origins are checked against; undefined for the system's. */
  readonly originCa: string | undefined;
  readonly originSecret: string | undefined;
  /** By which a gate knows requests of its own mesh. */
  readonly loopName: string;
  /** Ends questions that are open. */
  readonly stop: AbortSignal;
}

/** A function that asks by HTTP. */
export function httpProbe({ originCa, originSecret, loopName, stop }: ProbeOptions): Probe {
  return async ({ url, path, host, timeoutMs }) => {
    try {
      const response = await fetch(url.replace(/\/+$/, "") + (path ?? "/"), {
        method: path === undefined ? "HEAD" : "GET",
        headers: {
          "User-Agent": "anteroom-health-check",
          [LOOP_FIELD]: loopName,
          ...(host !== undefined && { Host: host }),
          ...(originSecret !== undefined && { [SECRET_FIELD]: originSecret }),
        },
        redirect: "manual",
        proxy: false,
        keepalive: false,
        signal: AbortSignal.any([stop, AbortSignal.timeout(timeoutMs)]),
        ...(originCa !== undefined && { tls: { ca: originCa } }),
      });
      await response.body?.cancel();
      const { status } = response;
      return path === undefined || status < 500 ? undefined : `it answered ${path} with ${status}`;
    } catch (error) {
      // Saves the check: no answer is what it is there to find out.
      const message = messageOf(error);
      if (/timed out/.test(message)) return `no answer within ${timeoutMs / 1_000} s`;
      if (/ECONNREFUSED|ConnectionRefused/.test(message)) return "the connection is refused";
      // The runtime asks the reader a question at the end.
      return message.replace(/ Is the computer able .*$/, "");
    }
  };
}
