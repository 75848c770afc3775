/**
 * Probes a target's health, or only whether it answers: one request of our own, apart from visitors' connections.
 *
 * The probe looks like a visitor's request: with the room's host and the origin's secret. The body of the answer is not
 * read.
 */

import type { Room } from "../config/room.ts";
import { LOOP_FIELD } from "../http/client.ts";
import { UNIX_PREFIX } from "../http/origin-target.ts";
import type { OriginTls } from "../http/upstream.ts";
import { messageOf } from "../message-of.ts";
import { SECRET_FIELD } from "../origin/secret-field.ts";
import { outside } from "../outside.ts";

/** By which an origin can tell probes from visitors. */
export const PROBE_AGENT = "anteroom-health-check";

export interface Question {
  /** Base URL of the target. */
  readonly url: string;
  /** A path to request; any answer below 500 is healthy. Without one, any answer at all is. */
  readonly path: string | undefined;
  /** Value of the Host field; undefined for that of the URL. */
  readonly host: string | undefined;
  /** The name in TLS; undefined for that of the URL. */
  readonly serverName?: string | undefined;
  readonly timeoutMs: number;
  /** Whether it may not lead to this host, nor get the secret of origins. */
  readonly isOutside?: boolean | undefined;
}

/** The probe of a room's target: the path of its health check, if it has one, under the room's name. */
export function questionFor(
  { healthCheck, host, originHost }: Room,
  url: string,
  { timeoutMs, isOutside }: Pick<Question, "timeoutMs" | "isOutside">,
): Question {
  const asked = originHost === "" ? host : originHost;
  const serverName = originHost === "" ? undefined : originHost;
  return { url, path: healthCheck?.path, host: asked === "*" ? undefined : asked, serverName, timeoutMs, isOutside };
}

/** Probes; returns what was wrong as text, or undefined when the target is healthy. Never throws. */
export type Probe = (question: Question) => Promise<string | undefined>;

export interface ProbeOptions {
  /** As for visitors' requests; undefined for the system's certificates and none of our own. */
  readonly originTls: () => OriginTls | undefined;
  readonly originSecret: string | undefined;
  /** The mark by which a gate recognises requests of its own mesh. */
  readonly loopName: string;
  /** Ends open probes. */
  readonly stop: AbortSignal;
}

/** A function that asks by HTTP. */
export function httpProbe({ originTls, originSecret, loopName, stop }: ProbeOptions): Probe {
  return async ({ url, path, host, serverName, timeoutMs, isOutside }) => {
    const tls = originTls();
    const ask = isOutside === true ? outside(fetch) : fetch;
    const unix = url.startsWith(UNIX_PREFIX) ? url.slice(UNIX_PREFIX.length) : undefined;
    try {
      const response = await ask((unix === undefined ? url.replace(/\/+$/, "") : "http://localhost") + (path ?? "/"), {
        method: path === undefined ? "HEAD" : "GET",
        headers: {
          "User-Agent": PROBE_AGENT,
          [LOOP_FIELD]: loopName,
          ...(host !== undefined && { Host: host }),
          ...(originSecret !== undefined && isOutside !== true && { [SECRET_FIELD]: originSecret }),
        },
        redirect: "manual",
        proxy: false,
        keepalive: false,
        signal: AbortSignal.any([stop, AbortSignal.timeout(timeoutMs)]),
        ...(unix !== undefined && { unix }),
        ...((tls ?? serverName) !== undefined && {
          tls: { ...tls, ...(serverName !== undefined && { serverName }) },
        }),
      });
      await response.body?.cancel();
      const { status } = response;
      return path === undefined || status < 500 ? undefined : `it answered ${path} with ${status}`;
    } catch (error) {
      // The check continues: finding no answer is its purpose.
      const message = messageOf(error);
      if (/timed out/.test(message)) return `no answer within ${timeoutMs / 1_000} s`;
      if (/ECONNREFUSED|ConnectionRefused/.test(message)) return "the connection is refused";
      // The runtime ends its message with a question; that part is cut.
      return message.replace(/ Is the computer able .*/, "");
    }
  };
}
