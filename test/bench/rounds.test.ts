/** A variant that cannot be measured is named with its reason, what it started is ended, and the others go on. */

import { tmpdir } from "node:os";
import { expect, test } from "vitest";
import { Server } from "./programs.ts";
import { measureRounds } from "./rounds.ts";
import type { Variant } from "./variants.ts";

const LENGTHS = { rounds: 2, warmUpSeconds: 0, seconds: 0 };
const RESULT = { requests: 1, durationMs: 1, p50Ms: 0, p99Ms: 0, badStatus: 0, socketErrors: 0 };

test("a variant that fails, between two that do not", async () => {
  const started: Server[] = [];
  const variant = (name: string): Variant => ({
    ...{ name, needs: [], isGate: false },
    start: async () => {
      const server = new Server(["sleep", "600"], "any");
      started.push(server);
      if (name === "ends") throw new Error("Cannot measure as it ended");
      return { server, load: { url: name, cookies: undefined, fields: [] } };
    },
  });
  const apply = async ({ url }: { readonly url: string }) => ({ ...RESULT, badStatus: url === "refuses" ? 1 : 0 });
  const place = { lengths: LENGTHS, folder: tmpdir(), apply };
  const variants = ["one", "ends", "refuses", "two"].map(variant);
  const { results, failed } = await measureRounds(variants, place, () => undefined);
  expect([...results].map(([name, rounds]) => [name, rounds.length])).toEqual([
    ["one", 2],
    ["two", 2],
  ]);
  expect(Object.fromEntries(failed)).toEqual({
    ends: "Cannot measure as it ended",
    refuses: "Cannot measure as every request must be answered: 1 failed",
  });
  expect(await Promise.all(started.map(({ exited }) => exited))).toHaveLength(6);
});
