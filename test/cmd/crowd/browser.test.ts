import { expect, test } from "vitest";
import { Browser, type Gate } from "../../../cmd/crowd/browser.ts";
import { SYSTEM_CLOCK } from "../../../cmd/crowd/clock.ts";
import type { Outcome } from "../../../cmd/crowd/http-client.ts";

const PAGE: Outcome = { kind: "answer", status: 200, headers: ["Set-Cookie", "a=1"], body: Buffer.from("in") };
const BUSY: Outcome = { ...PAGE, status: 503 };
const RESET: Outcome = { kind: "failure", failure: "reset" };

/** A browser before these gates, whose answers come in order; which gate was asked, and with which cookie. */
function before(gates: readonly Gate[], answers: readonly Outcome[], triesMax = 9) {
  const asked: string[] = [];
  let failed = 0;
  const browser = new Browser({
    ...{ gates, triesMax, clock: SYSTEM_CLOCK, random: () => 0, signal: new AbortController().signal },
    failed: () => {
      failed += 1;
    },
    client: {
      get: (url, fields) => {
        asked.push(`${url} ${fields[fields.indexOf("Cookie") + 1]}`);
        return Promise.resolve(answers[asked.length - 1] ?? PAGE);
      },
      end: () => {},
    },
  });
  return { browser, asked, failed: () => failed };
}

const gate = (name: string, locality = "sjc"): Gate => ({ gate: `http://${name}`, locality, isReady: true });

test("a request that a gate fails goes to another one, and the gate is left out; the last one is not", async () => {
  const gates = [gate("one"), gate("two")];
  const { browser, asked, failed } = before(gates, [RESET, RESET, BUSY, PAGE]);
  expect(await browser.get("/", "app")).toMatchObject({ kind: "answer", gate: gates[1] });
  expect(asked.map((each) => each.split("/ ")[0])).toEqual(["http://one", "http://two", "http://two", "http://two"]);
  expect([gates.map(({ isReady }) => isReady), failed()]).toEqual([[false, true], 2]);
});

test("a visitor of one site sees each failure, and its cookies go back", async () => {
  const { browser, asked } = before([gate("site")], [PAGE, RESET], 1);
  expect(await browser.get("/", "page")).toMatchObject({ kind: "answer", status: 200 });
  expect(await browser.get("/", "page")).toEqual(RESET);
  expect(asked[1]).toBe("http://site/ a=1");
});
