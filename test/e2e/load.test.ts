import { expect, test } from "vitest";
import { Anteroom, Origin, TestNode, until } from "./process.ts";

const ROOM = {
  name: "shop",
  host: "*",
  total_active_users: 6,
  new_users_per_minute: 100,
  session_duration: 1,
  refresh_interval_seconds: 1,
};

/** A session is good for one minute. */
const MINUTE_MS = 6_000;

/**
 * Two visitors whom the origin saw so close to each other were inside together, although requests are on their way for
 * seconds on a busy machine.
 */
const TOGETHER_MS = 1_500;

/** Runs end when their visitors have left, or by Ctrl-C. A report comes every six seconds. */
const DURATION = ["--duration", "4m"];

/** The visitors that reach an origin, by the name that each request carries. */
async function countingOrigin() {
  const seen: { readonly visitor: string; readonly atMs: number }[] = [];
  const agents = new Set<string>();
  const origin = await Origin.start(({ headers }, response) => {
    seen.push({ visitor: String(headers["x-load-visitor"]), atMs: performance.now() });
    agents.add(String(headers["user-agent"]));
    response.setHeader("Content-Type", "text/html");
    response.end("<!doctype html><title>shop</title>");
  });
  const peak = (): number => {
    const insideAt = (nowMs: number) => seen.filter(({ atMs }) => atMs <= nowMs && nowMs - atMs < TOGETHER_MS);
    return Math.max(0, ...seen.map(({ atMs }) => new Set(insideAt(atMs).map(({ visitor }) => visitor)).size));
  };
  return { url: origin.url, visitors: () => new Set(seen.map(({ visitor }) => visitor)).size, peak, agents };
}

const QUICK = ["--i-own-this-site", "--stay", "1s", "--think", "300ms", "--json", "--seed", "27"];

test.concurrent("fourteen visitors at once at a room for six: the report counts what the origin counted, and never over", async () => {
  const origin = await countingOrigin();
  const node = await TestNode.start({ origin: origin.url, rooms: [ROOM], minuteMs: MINUTE_MS });
  // Four of this seed's visitors are impatient, and leave the line before any slot is free again.
  const manners = ["--without-js", "0.2", "--patience", "1s"];
  const { code, stdout, stderr } = await new Anteroom([
    ...["load", node.gate, ...QUICK, "--at-once", "14", ...DURATION, "--path", "/", "--path", "/shop"],
    ...manners,
  ]).finished;
  expect(stderr).toContain("14 visitors at once");
  const report = JSON.parse(stdout);
  expect(report).toMatchObject({ arrived: 14, errors: {}, lost_to_errors: 0, still_waiting: 0, cut_short: false });
  expect(report.admitted).toBe(origin.visitors());
  expect(report.admitted + report.abandoned).toBe(14);
  expect(report.abandoned).toBeGreaterThan(0);
  expect(report.put_in_line).toBeGreaterThanOrEqual(8);
  expect(report.waited_seconds.p25).toBeGreaterThan(MINUTE_MS / 1_000);
  expect(Math.max(origin.peak(), report.inside_max)).toBeLessThanOrEqual(6);
  expect(report.response_ms.poll.count).toBeGreaterThan(0);
  expect([...origin.agents]).toEqual([expect.stringMatching(/^anteroom-load\/\d/)]);
  expect(code).toBe(0);
});

test.concurrent("visitors leave after errors, and errors fail what was expected, unless the machine was busy", async () => {
  const origin = await Origin.start((_, response) => {
    response.statusCode = 503;
    response.end("busy");
  });
  const { code, stdout } = await new Anteroom([
    ...["load", origin.url, ...QUICK, "--at-once", "5", ...DURATION, "--max-error-rate", "0.1"],
  ]).finished;
  const report = JSON.parse(stdout);
  expect(report).toMatchObject({ admitted: 0, put_in_line: 0, lost_to_errors: 5, ok: !report.judged, error_rate: 1 });
  expect(report.errors).toEqual({ "status 503": origin.requests.length });
  expect([report.judged, report.busy, code]).toEqual(report.judged ? [true, false, 3] : [false, true, 0]);
});

test.concurrent("in a held room all wait; in one that asks to enter, visitors with and without JavaScript do", async () => {
  const origin = await countingOrigin();
  const rooms = [
    { ...ROOM, name: "held", path: "/held", queue_all: true },
    { ...ROOM, total_active_users: 1, enter_within_seconds: 60 },
  ];
  const node = await TestNode.start({ origin: origin.url, rooms, minuteMs: MINUTE_MS });
  const load = (path: string, visitors: number) => {
    const flags = [...QUICK, "--at-once", String(visitors), "--without-js", "0.5", ...DURATION];
    return new Anteroom(["load", `${node.gate}${path}`, ...flags]);
  };
  const held = load("/held", 4);
  await until(() => held.log.includes("waiting 4"));
  expect(JSON.parse((await held.end("SIGINT")).stdout)).toMatchObject({
    ...{ arrived: 4, admitted: 0, put_in_line: 4, still_waiting: 4, inside_max: 0, response_ms: { site: null } },
  });
  expect(origin.visitors()).toBe(0);
  const entered = JSON.parse((await load("/", 3).finished).stdout);
  expect(entered).toMatchObject({ arrived: 3, admitted: 3, errors: {}, inside_max: 1, cut_short: false });
  expect(origin.visitors()).toBe(3);
});
