/** Each fault of a site that can be seen from outside, planted in what was seen. */

import { expect, test } from "vitest";
import type { Got } from "../../../cmd/crowd/browser.ts";
import { FORGED_ADDRESS, type Outside } from "../../../cmd/doctor/outside.ts";
import { outsideFindings } from "../../../cmd/doctor/outside-checks.ts";

const NOW_MS = Date.parse("2026-11-27T10:00:00Z");
const DAY_MS = 86_400_000;
const URL_TEXT = "https://shop.example/";
const OWN = "198.51.100.9";
const COOKIE = "__anteroom_.s_shop=x; Path=/; Secure; HttpOnly";

function page(parts: Partial<Pick<Got, "status" | "headers">> = {}): Got {
  const gate = { gate: "https://shop.example", locality: "", isReady: true };
  const headers = ["Set-Cookie", COOKIE];
  return { kind: "answer", status: 200, headers, body: Buffer.from("hello"), gate, askedMs: NOW_MS, ms: 12, ...parts };
}

function health(address: string, status = 200): Outside["health"] {
  return { kind: "answer", status, headers: ["Anteroom-Client", address], body: Buffer.from("ok\n") };
}

const CERTIFICATE = { refusal: "", untilMs: NOW_MS + 60 * DAY_MS };
const CONNECTION = { localAddress: OWN, remoteAddress: "203.0.113.5", certificate: CERTIFICATE };
const WELL: Outside = {
  url: new URL(URL_TEXT),
  connection: CONNECTION,
  health: health(OWN),
  page: page(),
  cookie: "kept",
};

function shown(outside: Partial<Outside>): string[] {
  return outsideFindings({ ...WELL, ...outside }, NOW_MS)
    .filter(({ verdict }) => verdict !== "ok")
    .map(({ check, verdict, text, repair }) => `${verdict} ${check}: ${text} → ${repair}`);
}

test("nothing is wrong with a site that is well, and each check says what it saw", () => {
  const findings = outsideFindings(WELL, NOW_MS);
  expect(findings.map(({ check, verdict }) => [check, verdict])).toEqual(
    ["site", "health", "address", "tls", "cookies"].map((check) => [check, "ok"]),
  );
  expect(findings.map(({ text }) => text)).toEqual([
    "https://shop.example/ answers 200 in 12 ms",
    "a gate answers /.anteroom/health with 200",
    `the gate sees this host as ${OWN}`,
    "the certificate and its chain are good, for 60 more days, until 2027-01-26",
    "the room's cookie comes with the page, and is recognised",
  ]);
});

const failure = { kind: "failure", failure: "timeout" } as const;
const redirect = (to: string) => page({ status: 302, headers: ["Location", to] });

test.each<[fault: string, planted: Partial<Outside>, wanted: RegExp]>([
  [
    "no connection",
    { connection: "ECONNREFUSED" },
    /^problem site: .*cannot be reached: ECONNREFUSED → .*port is open/,
  ],
  ["no answer", { page: failure }, /^problem site: .*does not answer: timeout/],
  ["an error of the site", { page: page({ status: 502 }) }, /^problem site: .*answers 502 → look at the origin/],
  ["an endless redirect", { page: redirect(URL_TEXT) }, /^problem site: .*redirects for ever.* → .*X-Forwarded-Proto/],
  [
    "a redirect to another host",
    { page: redirect("https://www.shop.example/") },
    /^warning site: .*www\.shop\.example/,
  ],
  [
    "a name that leads past the gates",
    { health: { ...health(OWN), headers: [] } as Outside["health"] },
    /^problem health: /,
  ],
  ["a health path without an answer", { health: failure }, /^problem health: .*has no answer → /],
  ["a gate that is not ready", { health: health(OWN, 503) }, /^problem health: .*503: it is not ready/],
  ["an address that visitors write", { health: health(FORGED_ADDRESS) }, /^problem address: .*any address/],
  [
    "a proxy that hides visitors",
    { health: health("10.0.0.7") },
    /^problem address: .*as 10\.0\.0\.7.* → .*--trusted-proxies/,
  ],
  [
    "no TLS",
    { connection: { localAddress: OWN, remoteAddress: "203.0.113.5" } },
    /^warning tls: visitors come by http/,
  ],
  [
    "a chain that is not complete",
    { connection: { ...CONNECTION, certificate: { ...CERTIFICATE, refusal: "UNABLE_TO_VERIFY_LEAF_SIGNATURE" } } },
    /^problem tls: .*LEAF_SIGNATURE → put the certificates that signed it behind it/,
  ],
  [
    "a certificate that is over",
    { connection: { ...CONNECTION, certificate: { refusal: "CERT_HAS_EXPIRED", untilMs: NOW_MS - DAY_MS } } },
    /^problem tls: the certificate ended on 2026-11-26 → renew it/,
  ],
  [
    "a certificate that ends soon",
    { connection: { ...CONNECTION, certificate: { refusal: "", untilMs: NOW_MS + 6.5 * DAY_MS } } },
    /^warning tls: .*6 more days, until 2026-12-03 → renew it/,
  ],
  ["a proxy that drops Set-Cookie", { cookie: "none" }, /^problem cookies: no cookie .* → .*Set-Cookie/],
  ["a proxy that drops Cookie", { cookie: "lost" }, /^problem cookies: .* does not see the cookie/],
  [
    "a proxy that does not say https",
    { page: page({ headers: ["Set-Cookie", "__anteroom_shop=x; Path=/"] }) },
    /^problem cookies: .*by http: no Secure → .*X-Forwarded-Proto/,
  ],
])("%s is found, and nothing else", (_, planted, wanted) => {
  expect(shown(planted)).toEqual([expect.stringMatching(wanted)]);
});

test("the host of a check that reaches the gate by another address is told which", () => {
  const [, , address] = outsideFindings({ ...WELL, health: health("203.0.113.77") }, NOW_MS);
  expect(address).toMatchObject({
    verdict: "ok",
    text: expect.stringMatching(/as 203\.0\.113\.77; if that is a proxy, /),
  });
});
