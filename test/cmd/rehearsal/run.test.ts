import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, test } from "vitest";
import { Latencies } from "../../../cmd/rehearsal/latencies.ts";
import { type LoadOptions, readLoadOptions } from "../../../cmd/rehearsal/options.ts";
import { type LoadReport, loadReport } from "../../../cmd/rehearsal/report.ts";
import { rehearse } from "../../../cmd/rehearsal/run.ts";
import { Sockets } from "../../../cmd/rehearsal/sockets.ts";
import { Tally } from "../../../cmd/rehearsal/tally.ts";

let close = (): void => {};

afterEach(() => close());

async function site(handle: (request: IncomingMessage, response: ServerResponse) => void): Promise<string> {
  const server = createServer(handle);
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  close = () => {
    server.close();
    server.closeAllConnections();
  };
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

function optionsOf(url: string, given: Readonly<Record<string, string>>): LoadOptions {
  const flags = new Map(Object.entries({ "i-own-this-site": "true", ...given }).map(([key, value]) => [key, [value]]));
  const options = readLoadOptions({ flags, positionals: [url] });
  if (!options.ok) throw new Error(JSON.stringify(options.problems));
  return options.value;
}

async function reportOf(url: string, given: Readonly<Record<string, string>>): Promise<LoadReport> {
  const options = optionsOf(url, given);
  const run = await rehearse({ options, signal: new AbortController().signal, onSample: () => {} });
  return loadReport(run, options);
}

test("visitors arrive on schedule at a site that does not answer, and the time that they waited for it shows", async () => {
  const waiting: ServerResponse[] = [];
  const url = await site((_, response) => {
    waiting.push(response);
    if (waiting.length === 1) setTimeout(() => waiting.forEach((each) => void each.end("late")), 1_500);
    else if (waiting[0]?.writableEnded === true) response.end("late");
  });
  const report = await reportOf(url, { rate: "600", duration: "2500ms", stay: "0s" });
  // Some 25 arrive, of which those in the first 1.5 s wait for its end: a closed loop would have sent one.
  expect(report.arrived).toBeGreaterThan(12);
  expect(report.admitted).toBe(report.arrived);
  expect(report.response_ms.site?.worst).toBeGreaterThan(1_300);
  // And not of one request only.
  expect(report.response_ms.site?.p95).toBeGreaterThan(500);
});

test("requests without an answer at the end of the run are said, with the age of the oldest", async () => {
  const url = await site(() => {});
  const short = await reportOf(url, { "at-once": "3", duration: "1s" });
  expect(short).toMatchObject({ arrived: 3, admitted: 0, requests: 0, unanswered: { count: 3 }, judged: false });
  expect(short.unanswered.longest_ms).toBeGreaterThan(900);
  const long = await reportOf(url, { "at-once": "3", duration: "2500ms", "max-error-rate": "0.5", "p95-ms": "1000" });
  expect(long).toMatchObject({ requests: 3, ok: false, error_rate: 1, errors: { "no answer by the end": 3 } });
  expect(long.expected.map(({ ok }) => ok)).toEqual([false, false]);
});

test("a circle of redirects ends, as one error", async () => {
  const url = await site((_, response) => response.writeHead(302, { Location: "/again" }).end());
  const report = await reportOf(url, { "at-once": "1", duration: "1s" });
  expect(report.errors).toEqual({ "too many redirects": 1 });
});

test("a generator that was late, or had no connections left, says that its figures are not the site's", () => {
  const options = optionsOf("http://127.0.0.1/", { "p95-ms": "100" });
  const tally = new Tally();
  tally.answered("site", 3);
  const base = { tally, seconds: 1, samples: [], isCutShort: false };
  const late = (ms: number) => {
    const lateness = new Latencies();
    lateness.add(ms);
    return loadReport({ ...base, sockets: new Sockets(1), lateness }, options);
  };
  expect(late(20)).toMatchObject({ judged: true, not_judged_because: [] });
  expect(late(700).not_judged_because[0]).toContain("The load generator was late by up to 700 ms");
  const sockets = new Sockets(1);
  sockets.take();
  sockets.take();
  expect(loadReport({ ...base, sockets, lateness: new Latencies() }, options)).toMatchObject({
    judged: false,
    not_judged_because: [expect.stringContaining("1 requests were not sent")],
  });
});
