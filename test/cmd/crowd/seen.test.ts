import { expect, test } from "vitest";
import { type AnswerParts, pageSeen, pollSeen } from "../../../cmd/crowd/seen.ts";

function answer(headers: readonly string[], { status = 200, body = "" } = {}): AnswerParts {
  return { status, headers, body: Buffer.from(body) };
}

/** Of a page of the gate's own. */
const ownFields = (policy: string) => ["Cache-Control", "private, no-store", "Content-Security-Policy", policy];
const JSON_TYPE = ["Content-Type", "application/json"];
const PAGE =
  '<body data-state="waiting" data-position="7"><script id="anteroom" data-refresh="20" data-enter="0">""</script>';

test("a waiting page is known by its fields, and tells place and pauses with and without JavaScript", () => {
  const fields = ["Content-Type", "text/html", "Refresh", "2; url=/?__anteroom=again"];
  expect(pageSeen(answer(fields, { body: PAGE }))).toEqual({
    ...{ kind: "waiting", position: 7, refreshSeconds: 2, again: "/?__anteroom=again", pollSeconds: 20 },
    owesProof: false,
  });
  expect(pageSeen(answer(fields, { status: 503, body: PAGE }))).toMatchObject({ kind: "waiting" });
});

test("the call to enter, which does not reload itself and may be compressed, is not the site's page", () => {
  const fields = ["Content-Encoding", "gzip", ...ownFields("default-src 'none'; frame-ancestors 'self'")];
  const body = Buffer.from(Bun.gzipSync(PAGE.replace("waiting", "turn").replace('enter="0"', 'enter="30"')));
  expect(pageSeen({ status: 200, headers: fields, body })).toEqual({ kind: "turn", enterSeconds: 30 });
});

test("a room's own template waits without a script; a page of the site that reloads itself is the site's", () => {
  const own = [...ownFields("frame-ancestors 'self'"), "Refresh", "15"];
  expect(pageSeen(answer(own))).toMatchObject({ kind: "waiting", refreshSeconds: 15, pollSeconds: undefined });
  expect(pageSeen(answer(["Refresh", "15"]))).toEqual({ kind: "site" });
  expect(pageSeen(answer(own.slice(0, 4), { body: "<title>shop</title>" }))).toEqual({ kind: "site" });
});

test.each([
  ['{"cfWaitingRoom":{"inWaitingRoom":true,"refreshIntervalSeconds":9},"anteroom":{"position":3}}', 200, "waiting"],
  ['{"cfWaitingRoom":{"inWaitingRoom":false},"anteroom":{"position":0,"enterSeconds":30}}', 200, "turn"],
  ['{"products":[]}', 200, "turn"],
  ["", 502, "error"],
])("a poll that is answered with %s and %i is: %s", (body, status, kind) => {
  expect(pollSeen(answer(JSON_TYPE, { status, body })).kind).toBe(kind);
});

test("errors and redirects of the site are told apart", () => {
  expect(pageSeen(answer(["Retry-After", "5"], { status: 429 }))).toMatchObject({
    what: "status 429",
    retryAfterSeconds: 5,
  });
  expect(pageSeen(answer(["Location", "/next"], { status: 303 }))).toEqual({ kind: "redirect", to: "/next" });
});
