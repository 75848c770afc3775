import { Webhook } from "standardwebhooks";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { signedHeaders, WebhookSecrets } from "../../../../node/operator/webhooks/webhook-secret.ts";

/** The library compares with the process's clock. */
const NOW_MS = Date.UTC(2026, 10, 22);
beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"], now: NOW_MS }));
afterEach(() => void vi.useRealTimers());

const secrets = new WebhookSecrets({ meshId: "m", meshKey: new Uint8Array(32) });

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
