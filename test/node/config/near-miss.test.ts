import { expect, test } from "vitest";
import { nearMiss } from "../../../node/config/near-miss.ts";

test.each([
  ["sevre", ["serve", "status"], "serve"],
  ["tls-cert", ["tls_cert", "tls_key"], "tls_cert"],
  ["QueueAll", ["queue_all", "suspended"], "queue_all"],
  ["new_users_per_minte", ["new_users_per_minute"], "new_users_per_minute"],
  ["xyz", ["serve", "get"], undefined],
  ["colour", ["name", "host"], undefined],
  ["", ["name"], undefined],
])("%s among %j is %s", (word, known, near) => expect(nearMiss(word, known)).toBe(near));
