/** What signs notices, and what docs/webhooks.md promises about it to programmers, run. */

import { spawnSync } from "node:child_process";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Webhook } from "standardwebhooks";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { NOTICE_TYPES } from "../../../../node/operator/notices/notice.ts";
import { signedHeaders, WebhookSecrets } from "../../../../node/operator/webhooks/webhook-secret.ts";

/** The checks compare with the process's clock. */
const NOW_MS = Date.UTC(2026, 10, 22);
beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"], now: NOW_MS }));
afterEach(() => void vi.useRealTimers());

const text = readFileSync("docs/webhooks.md", "utf8");
const secrets = new WebhookSecrets({ meshId: "m", meshKey: new Uint8Array(32) });
const hasPython = spawnSync("python3", ["--version"]).status === 0;

/** A message, a damaged one, and an old one. */
function messages() {
  const secret = secrets.make();
  const body = JSON.stringify({ text: "é" });
  const seconds = NOW_MS / 1_000;
  const sign = (at: number) => signedHeaders({ id: "ntc_1", seconds: at, body }, [secrets.make(), secret]);
  return [
    { secret, body, headers: sign(seconds), isGood: true },
    { secret, body: body.replace("é", "e"), headers: sign(seconds), isGood: false },
    { secret, body, headers: sign(seconds - 3_600), isGood: false },
  ];
}

test("a signature is one that the published library of Standard Webhooks accepts", () => {
  const secret = secrets.make();
  const body = JSON.stringify({ text: "é ✓", n: 1 });
  const headers = signedHeaders({ id: "ntc_1", seconds: NOW_MS / 1_000, body }, [secret]);
  expect(new Webhook(secret).verify(body, headers)).toEqual({ text: "é ✓", n: 1 });
  expect(() => new Webhook(secret).verify(`${body} `, headers)).toThrow();
  expect(() => new Webhook(secret).verify(body, { ...headers, "webhook-id": "ntc_2" })).toThrow();
  expect(() => new Webhook(secrets.make()).verify(body, headers)).toThrow();
});

test("a sealed secret opens in its mesh and for its webhook only", () => {
  const secret = secrets.make();
  const sealed = secrets.sealed(secret, "wh_1");
  expect(secrets.opened(sealed, "wh_1")).toBe(secret);
  expect(sealed).not.toContain(Buffer.from(secret).toString("base64url").slice(0, 20));
  expect(secrets.opened(sealed, "wh_2")).toBeUndefined();
  const other = new WebhookSecrets({ meshId: "m", meshKey: new Uint8Array(32).fill(1) });
  expect(other.opened(sealed, "wh_1")).toBeUndefined();
  for (const bad of ["", "AAAA", `${sealed.slice(0, -4)}AAAA`, "é"])
    expect(secrets.opened(bad, "wh_1")).toBeUndefined();
});

test("the table of types is that of the code", () => {
  const rows = Object.entries(NOTICE_TYPES).map(([type, { help, data }]) => {
    return `| \`${type}\` | ${help} | ${data.map((field) => `\`${field}\``).join(", ")} |`;
  });
  expect(text).toContain(`| --- | --- | --- |\n${rows.join("\n")}\n\n`);
});

test("the check in TypeScript accepts what is good, and nothing else", async () => {
  const file = join(tmpdir(), `anteroom-verify-${process.pid}.ts`);
  writeFileSync(file, codeOf("ts"));
  try {
    const { verified } = await import(file);
    for (const { secret, body, headers, isGood } of messages()) {
      const check = () => verified(body, new Headers(headers), secret);
      if (isGood) expect(check()).toEqual({ text: "é" });
      else expect(check).toThrow();
    }
  } finally {
    rmSync(file);
  }
});

test.skipIf(!hasPython)("the check in Python accepts what is good, and nothing else", () => {
  const program = `${codeOf("python")}
import sys
time.time = lambda: ${NOW_MS / 1_000}
case = json.load(sys.stdin)
print(verified(case["body"].encode(), case["headers"], case["secret"])["text"])`;
  for (const { isGood, ...input } of messages()) {
    const { status } = spawnSync("python3", ["-c", program], { input: JSON.stringify(input) });
    expect(status).toBe(isGood ? 0 : 1);
  }
});

function codeOf(language: string): string {
  return new RegExp(`\`\`\`${language}\n(.*?)\`\`\``, "s").exec(text)?.[1] ?? "";
}
