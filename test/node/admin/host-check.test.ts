import { hostname } from "node:os";
import { expect, test } from "vitest";
import { hostCheck } from "../../../node/admin/host-check.ts";

const check = hostCheck({ admin: { host: "10.1.2.3", port: 8081 }, adminHosts: ["gate1.internal"] });
const asked = (host: string) => check(new Request("http://127.0.0.1/", { headers: { host } }))?.status;

test.each([
  "127.0.0.1:8081",
  "10.1.2.3",
  "[::1]:8081",
  "[::1]",
  "localhost:8081",
  "LOCALHOST",
  "node.localhost:1",
  "gate1.internal:8081",
  "Gate1.Internal.",
  hostname(),
])("answers to %s", (host) => expect(asked(host)).toBeUndefined());

test.each([
  "evil.example:8081",
  "evil.example",
  "127.0.0.1.evil.example",
  "localhost.evil.example",
  "[evil]:1",
  "[::1].evil.example",
  "[::1]evil.example:8081",
  "[::1",
  "127.0.0.1:evil.example",
  "",
])("does not answer to %j", (host) => expect(asked(host)).toBe(421));
