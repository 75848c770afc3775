/** Every regular expression of the product takes linear time on every text, or never meets a stranger's. */

import { expect, test } from "vitest";
import { expressionsIn, productFiles } from "./product.ts";
import { verdictOn } from "./super-linear.ts";

/** What `new RegExp` is given besides fixed text, by file. */
const HOLES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "cmd/crowd/seen.ts": { name: "anteroom" },
  "cmd/snippet/kubernetes.ts": { LABEL: "[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?" },
  "mesh/core/wire/shapes.ts": { NAME_CHARS_MAX: "128" },
  "node/config/template-check.ts": { "BLANKS_MAX + 1": "501" },
  "node/http/fields.ts": {
    "RegExp.escape(type)": RegExp.escape("text/html"),
    parameter: String.raw`;(?!\s*q=0(?:\.0{0,3})?\s*(?:[;,]|$))[^;,]*`,
  },
  "node/gate/origin-commands.ts": { REASON_CHARS_MAX: "32" },
  "node/gate/origin-headers.ts": {
    '[SECRET_FIELD, POLL_FIELD, PROOF_FIELD, PASS_FIELD, LANE_FIELD, VISITOR_FIELD].join("|").replaceAll("-", "[^a-z0-9]")':
      "anteroom[^a-z0-9]secret|anteroom[^a-z0-9]poll",
  },
  "node/gate/own-page.ts": { tag: "script" },
  "node/http/client.ts": { OCTET: String.raw`(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)` },
  "node/operator/calls/serve.ts": {
    [String.raw`path.replaceAll(".", "\\.").replace(/\{\w+\}/g, "[^/]+")`]: String.raw`/v1/rooms/[^/]+/events/[^/]+`,
  },
  "node/adapters/cloudflare/zone.ts": { zone: "example" },
  "node/operator/tokens/token-text.ts": { PREFIX: "anteroom_", "SECRET_CHARS + CHECK_CHARS": "36" },
  "node/rooms/lane-table.ts": { LANE_PATH_CHARACTERS: "A-Za-z0-9._~/@:+=,-" },
};

/** Those that a stranger's bytes never meet, and whose they meet. */
const EXCEPTIONS: Readonly<Record<string, string>> = {
  [String.raw`cmd/admin-client.ts /\/+$/`]: "a URL on the command line",
  [String.raw`cmd/snippet/kubernetes.ts /^#.*$/gm`]: "our own manifest, with an operator's values",
  [String.raw`node/config/origin-fields.ts /\/+$/`]: "a URL of an operator's document",
  [String.raw`node/config/queue-it-fields.ts /\/+$/`]: "a URL of an operator's document",
  [String.raw`node/config/setting-sources.ts /^ANTEROOM_(.*_)?(SERVICE_HOST|SERVICE_PORT(_.*)?|PORT(_\d+_.*)?)$/`]:
    "names in the environment of the process",
  [String.raw`node/config/template-check.ts /<meta\b[^>]{0,500}>/gi`]: "an operator's template, 500 times at most",
  [String.raw`node/config/template-check.ts /\s{501}/`]: "an operator's template, 501 times at most",
  [String.raw`node/config/template-check.ts /\bcontent\s*=\s*["']?\s*([\d.]+)/i`]: "510 characters of such a template",
  [String.raw`node/gate/own-page.ts /(?<=<script(?: id="(?:solver|worker)"[^>]*)?>)[\s\S]*?(?=<\/script>)/g`]:
    "our own pages",
  [String.raw`node/gate/own-page.ts /<script>([\s\S]*?)</script>/g`]: "our own pages",
  [String.raw`node/gate/own-page.ts /\/\*[\s\S]*?\*\//g`]: "our own pages",
  [String.raw`node/adapters/queue-it/integration-config.ts /^\/+|\/+$/g`]: "the path of an operator's room",
  [String.raw`node/http/origin-target.ts /\/+$/`]: "the URL of an origin",
  [String.raw`node/operator/api/openapi.ts /\[([^\]]+)\]\([^)]*\)/g`]: "our own descriptions",
  [String.raw`node/operator/calls/json-body.ts /("[^"\\]*(?:\\.[^"\\]*)*")(\s*:)?|[{}[\]]/g`]:
    "only a text that JSON.parse has read, so each string ends",
  [String.raw`node/adapters/cloudflare/zone.ts /([\w:-]+) \(room \1\)/g`]: "our own messages",
  [String.raw`node/operator/otlp-collector.ts /\/+$/`]: "a URL among the settings",
  [String.raw`node/rooms/origin-probe.ts /\/+$/`]: "the URL of an origin",
};

const all = [...productFiles()].flatMap(({ file, text }) => expressionsIn(file, text, HOLES[file] ?? {}));
const judged = all.map((expression) => {
  const { file, source, flags } = expression;
  return { ...expression, key: `${file} /${source}/${flags}`, verdict: verdictOn(source, flags) };
});

test("no expression of the product takes more than linear time on some text", () => {
  expect(all.length).toBeGreaterThan(200);
  const found = judged.filter(({ verdict, key }) => verdict.kind !== "linear" && EXCEPTIONS[key] === undefined);
  expect(found.map(({ key, line, verdict }) => ({ key, line, verdict }))).toEqual([]);
});

test("each exception is needed", () => {
  const needed = new Set(judged.filter(({ verdict }) => verdict.kind !== "linear").map(({ key }) => key));
  expect(Object.keys(EXCEPTIONS).filter((key) => !needed.has(key))).toEqual([]);
});

test("an expression that is put together by itself must say of what", () => {
  expect(() => expressionsIn("a.ts", "const a = new RegExp(`^$" + "{b}+`);", {})).toThrow("say what may be in");
  expect(expressionsIn("a.ts", "\nconst a = new RegExp(`^$" + '{b}+`, "i");', { b: "c" })).toEqual([
    { file: "a.ts", line: 2, source: "^c+", flags: "i" },
  ]);
});
