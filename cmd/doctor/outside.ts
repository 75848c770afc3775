/**
 * What `anteroom doctor` sees of a site from outside, as one visitor: the connection, the health path, and a page that
 * is asked for again with the cookies that came with it.
 *
 * Certificates are looked at and never believed, so that all else is seen behind a bad one. Nothing is sent to another
 * host than that of the URL.
 */

import { X509Certificate } from "node:crypto";
import { connect as connectTcp, isIP } from "node:net";
import { connect as connectTls, TLSSocket } from "node:tls";
import { messageOf } from "../../node/message-of.ts";
import { Browser, type Got, type NoAnswer } from "../crowd/browser.ts";
import { SYSTEM_CLOCK } from "../crowd/clock.ts";
import { HttpClient, type Outcome } from "../crowd/http-client.ts";
import { pageSeen } from "../crowd/seen.ts";
import { codeOf } from "../failure.ts";

/** An address of documentation (RFC 5737), which no visitor has: a gate that shows it believes anybody. */
export const FORGED_ADDRESS = "192.0.2.1";

/** Longest wait for one answer: visitors are gone by then. */
const ANSWER_MAX_MS = 15_000;

/** Redirects that are followed: no site means more. */
const REDIRECTS_MAX = 5;

/** How often a page is asked for again: a minute that begins between two requests renews the cookie once. */
const AGAIN_MAX = 3;

export interface Connection {
  readonly localAddress: string;
  readonly remoteAddress: string;
  /** Undefined without TLS. */
  readonly certificate?: Certificate;
}

export interface Certificate {
  /** Why a browser refuses it, as a code; empty if it does not. */
  readonly refusal: string;
  /** Unix ms. */
  readonly untilMs: number;
}

export interface Outside {
  readonly url: URL;
  /** Or why there is none; then nothing else was asked. */
  readonly connection: Connection | string;
  /** The answer of the health path to a request that claims to come from `FORGED_ADDRESS`. */
  readonly health: Outcome;
  /** The page at the end of all redirects. */
  readonly page: Got | NoAnswer;
  /** Whether it set a cookie of a room, and whether the gate has recognised that. */
  readonly cookie: "none" | "kept" | "lost";
}

const NOTHING: NoAnswer = { kind: "failure", failure: "refused" };

export async function lookFromOutside(url: URL): Promise<Outside> {
  const connection = await connectionTo(url);
  if (typeof connection === "string") return { url, connection, health: NOTHING, page: NOTHING, cookie: "none" };
  const client = new HttpClient({ answerMaxMs: ANSWER_MAX_MS, insecure: true });
  try {
    const health = await client.get(new URL("/.anteroom/health", url).href, ["X-Forwarded-For", FORGED_ADDRESS]);
    return { url, connection, health, ...(await visit(client, url)) };
  } finally {
    client.end();
  }
}

async function visit(client: HttpClient, { origin, pathname, search }: URL): Promise<Pick<Outside, "page" | "cookie">> {
  const browser = new Browser({
    gates: [{ gate: origin, locality: "", isReady: true }],
    triesMax: 1,
    client,
    clock: SYSTEM_CLOCK,
    random: () => 0,
    signal: new AbortController().signal,
  });
  let path = pathname + search;
  let page = await browser.get(path, "page");
  for (let redirects = 0; redirects < REDIRECTS_MAX; redirects++) {
    const seen = page.kind === "answer" ? pageSeen(page) : undefined;
    const next = seen?.kind === "redirect" ? browser.onSite(seen.to, path) : undefined;
    if (next === undefined) break;
    path = next;
    page = await browser.get(path, "page");
  }
  for (let again = 0; again < AGAIN_MAX && browser.roomCookie !== undefined; again++) {
    const before = browser.roomCookie;
    await browser.get(path, "page");
    if (browser.roomCookie === before) return { page, cookie: "kept" };
  }
  return { page, cookie: browser.roomCookie === undefined ? "none" : "lost" };
}

/** Opens a connection, and closes it. */
function connectionTo({ hostname, port, protocol }: URL): Promise<Connection | string> {
  const host = hostname.replace(/^\[|\]$/g, "");
  const isTls = protocol === "https:";
  const to = { host, port: Number(port) || (isTls ? 443 : 80) };
  const name = isIP(host) === 0 ? { servername: host } : {};
  return new Promise((resolve) => {
    const socket = isTls ? connectTls({ ...to, ...name, rejectUnauthorized: false }) : connectTcp(to);
    socket.setTimeout(ANSWER_MAX_MS, () => socket.destroy(new Error(`nothing within ${ANSWER_MAX_MS / 1_000} s`)));
    socket.on("error", (error) => resolve(codeOf(error) || messageOf(error)));
    socket.on(isTls ? "secureConnect" : "connect", () => {
      const { localAddress = "", remoteAddress = "" } = socket;
      const certificate = socket instanceof TLSSocket ? certificateOf(socket, host) : undefined;
      socket.destroy();
      resolve({ localAddress, remoteAddress, ...(certificate && { certificate }) });
    });
  });
}

function certificateOf(socket: TLSSocket, host: string): Certificate {
  const certificate = new X509Certificate(socket.getPeerCertificate().raw);
  const isForHost = (isIP(host) === 0 ? certificate.checkHost(host) : certificate.checkIP(host)) !== undefined;
  const refused = socket.authorizationError;
  const refusal = refused ? codeOf(refused) || String(refused) : isForHost ? "" : "it is for other hosts";
  return { refusal, untilMs: certificate.validToDate.getTime() };
}
