/** What the view from outside says about a site: a finding for each check, without any I/O. */

import { DAY_MS } from "../../node/config/expiry.ts";
import { COOKIE_PREFIX } from "../../node/cookie/cookie-header.ts";
import { isPrivate } from "../../node/http/client.ts";
import { fieldValue, isField } from "../../node/http/fields.ts";
import { pageSeen } from "../crowd/seen.ts";
import { count } from "../print.ts";
import { EXPIRY_WARNING_MS } from "../serve/certificates.ts";
import { dayText } from "../serve/tls-check.ts";
import { type Finding, ok, problem, warning } from "./finding.ts";
import { type Certificate, type Connection, FORGED_ADDRESS, type Outside } from "./outside.ts";

const TRUST = "name your proxies, and nothing else, in --trusted-proxies, and let them set X-Forwarded-For";
const SCHEME = "let the proxy send X-Forwarded-Proto, and name it in --trusted-proxies";
const RENEW = "renew it; the gate reads a changed file by itself";

export function outsideFindings(outside: Outside, nowMs: number): readonly Finding[] {
  const { url, connection } = outside;
  if (typeof connection === "string") {
    const repair = "check that the name leads here, that the port is open, and that the gate or its proxy runs";
    return [problem("site", `${url.href} cannot be reached: ${connection}`, repair)];
  }
  return [
    siteFinding(outside),
    ...healthFindings(outside, connection),
    tlsFinding(connection.certificate, nowMs),
    ...cookieFindings(outside),
  ];
}

function siteFinding({ url: { href }, page }: Outside): Finding {
  if (page.kind !== "answer") {
    const why = page.kind === "failure" ? page.failure : page.kind;
    return problem("site", `${href} does not answer: ${why}`, "look at the log of the proxy or the gate");
  }
  const seen = pageSeen(page);
  const ms = `in ${Math.round(page.ms)} ms`;
  if (seen.kind === "error")
    return problem("site", `${href} answers ${page.status}`, "look at the origin, its log, and anteroom status");
  if (seen.kind === "site") return ok("site", `${href} answers ${page.status} ${ms}`);
  if (seen.kind !== "redirect") return ok("site", `${href} shows the waiting page ${ms}`);
  if (URL.parse(seen.to, href)?.origin === URL.parse(href)?.origin)
    return problem("site", `${href} redirects for ever, at last to ${seen.to}`, SCHEME);
  return warning("site", `${href} sends visitors to ${seen.to}`, "ask about that address as well");
}

function healthFindings({ health }: Outside, connection: Connection): readonly Finding[] {
  const seenAs = health.kind === "answer" ? fieldValue(health.headers, "anteroom-client") : undefined;
  if (health.kind !== "answer" || seenAs === undefined) {
    const what = health.kind === "answer" ? `is answered with ${health.status}, and not by a gate` : "has no answer";
    const repair = "lead name, CDN and proxy to the gates, and pass /.anteroom/ on to them, uncached";
    return [problem("health", `/.anteroom/health ${what}`, repair)];
  }
  const isReady = health.status === 200;
  const answer = `a gate answers /.anteroom/health with ${health.status}`;
  return [
    isReady ? ok("health", answer) : problem("health", `${answer}: it is not ready`, "see anteroom status there"),
    addressFinding(seenAs, connection),
  ];
}

function addressFinding(seenAs: string, { localAddress, remoteAddress }: Connection): Finding {
  if (seenAs === FORGED_ADDRESS) {
    const repair = `${TRUST}; if this host is one of them, ask from another one`;
    return problem("address", "a visitor can claim any address: the gate believes X-Forwarded-For as it came", repair);
  }
  if (isPrivate(seenAs) && !isPrivate(remoteAddress))
    return problem("address", `the gate sees all visitors as ${seenAs}, an address of your network`, TRUST);
  const isOwn = seenAs === localAddress.replace(/^::ffff:/, "");
  return ok("address", `the gate sees this host as ${seenAs}${isOwn ? "" : `; if that is a proxy, ${TRUST}`}`);
}

function tlsFinding(certificate: Certificate | undefined, nowMs: number): Finding {
  if (certificate === undefined)
    return warning(
      "tls",
      "visitors come by http: others can read along, and banks' forms need one step more",
      "use https",
    );
  const { refusal, untilMs } = certificate;
  if (untilMs < nowMs) return problem("tls", `the certificate ended on ${dayText(untilMs)}`, RENEW);
  if (refusal !== "") {
    const chain = "put the certificates that signed it behind it in the file";
    const repair = /LEAF|ISSUER/.test(refusal) ? chain : "get one for this host from an authority that browsers know";
    return problem("tls", `browsers refuse the certificate: ${refusal}`, repair);
  }
  const days = Math.floor((untilMs - nowMs) / DAY_MS);
  const text = `the certificate and its chain are good, for ${count(days, "more day")}, until ${dayText(untilMs)}`;
  return untilMs - nowMs < EXPIRY_WARNING_MS ? warning("tls", text, RENEW) : ok("tls", text);
}

/** None for a page that has no visitor. */
function cookieFindings({ url, page, cookie }: Outside): readonly Finding[] {
  if (page.kind !== "answer" || ["error", "redirect"].includes(pageSeen(page).kind)) return [];
  if (cookie === "none") {
    const repair =
      "let proxy and CDN pass Set-Cookie on, uncached. Or no room covers this address, or a rule, bypass_cidrs or suspended lets this host pass";
    return [problem("cookies", "no cookie of a room comes with the page", repair)];
  }
  if (cookie === "lost")
    return [
      problem("cookies", "the gate does not see the cookie that it set", "let proxy and CDN pass Cookie on, uncached"),
    ];
  const isOpen = page.headers.some(
    (value, at) =>
      isField(page.headers[at - 1] ?? "", "set-cookie") &&
      value.startsWith(COOKIE_PREFIX) &&
      !/; *secure\b/i.test(value),
  );
  if (url.protocol === "https:" && isOpen)
    return [problem("cookies", "the gate takes visitors by https for visitors by http: no Secure", SCHEME)];
  return [ok("cookies", "the room's cookie comes with the page, and is recognised")];
}
