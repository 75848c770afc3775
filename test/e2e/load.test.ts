import { afterEach, expect, test } from "vitest";
import { Anteroom, endAll, Origin, TestNode } from "./process.ts";

afterEach(endAll);

const ROOM = {
  name: "shop",
  host: "*",
  total_active_users: 6,
  new_users_per_minute: 100,
  session_duration: 1,
  refresh_interval_seconds: 1,
};

/** The visitors that reach an origin, by the name that each request carries. */
async function countingOrigin(sessionMs: number) {
  const seenMs = new Map<string, number>();
  let peak = 0;
  const agents = new Set<string>();
  const origin = await Origin.start(({ headers }, response) => {
    const nowMs = performance.now();
    seenMs.set(String(headers["x-load-visitor"]), nowMs);
    agents.add(String(headers["user-agent"]));
    peak = Math.max(peak, [...seenMs.values()].filter((each) => nowMs - each < sessionMs).length);
    response.setHeader("Content-Type", "text/html");
    response.end("<!doctype html><title>shop</title>");
  });
  return { url: origin.url, visitors: () => seenMs.size, peak: () => peak, agents };
}

const QUICK = ["--i-own-this-site", "--stay", "1s", "--think", "300ms", "--json", "--seed", "7"];

test("forty visitors at once at a room for six: the report counts what the origin counted, and never over", {
  timeout: 90_000,
}, async () => {
  // Shorter than a session by the origin's own lag.
  const origin = await countingOrigin(750);
  const node = await TestNode.start({ origin: origin.url, rooms: [ROOM], minuteMs: 1_000 });
  const manners = ["--without-js", "0.2", "--reloading", "0.2", "--abandoning", "0.2", "--patience", "3s"];
  const { code, stdout, stderr } = await new Anteroom([
    ...["load", node.gate, ...QUICK, "--at-once", "40", "--duration", "50s", "--path", "/", "--path", "/shop"],
    ...manners,
  ]).finished;
  expect(stderr).toContain("40 visitors at once");
  const report = JSON.parse(stdout);
  expect(report).toMatchObject({ arrived: 40, errors: {}, lost_to_errors: 0, still_waiting: 0, cut_short: false });
  expect(report.admitted).toBe(origin.visitors());
  expect(report.admitted + report.abandoned).toBe(40);
  expect(report.abandoned).toBeGreaterThan(0);
  expect(report.put_in_line).toBeGreaterThanOrEqual(34);
  expect(report.waited_seconds.p95).toBeGreaterThan(report.waited_seconds.p25);
  expect([report.inside_max <= 6, origin.peak() <= 6]).toEqual([true, true]);
  expect(report.response_ms.poll.count).toBeGreaterThan(0);
  expect([...origin.agents]).toEqual([expect.stringMatching(/^anteroom-load\/\d/)]);
  expect(code).toBe(0);
});

test("without a waiting room in front all come in, and errors fail what was expected", {
  timeout: 60_000,
}, async () => {
  const origin = await Origin.start((_, response) => {
    response.statusCode = 503;
    response.end("busy");
  });
  const { code, stdout } = await new Anteroom([
    ...["load", origin.url, ...QUICK, "--rate", "600", "--duration", "3s", "--max-error-rate", "0.1"],
  ]).finished;
  const report = JSON.parse(stdout);
  expect(report).toMatchObject({ admitted: 0, put_in_line: 0, ok: false, error_rate: 1 });
  expect(report.errors["status 503"]).toBe(origin.requests.length);
  // 5 on a machine that is too busy for the generator.
  expect(code).toBe(report.judged ? 3 : 5);
});

test("a redirect to another host is not followed, and Ctrl-C ends the run with its report", {
  timeout: 60_000,
}, async () => {
  const other = await Origin.start();
  const origin = await Origin.start((request, response) => {
    response.writeHead(303, { Location: request.url === "/" ? "/next" : `${other.url}/pay` });
    response.end();
  });
  const load = new Anteroom(["load", `${origin.url}/`, ...QUICK, "--rate", "600", "--duration", "10m"]);
  while (origin.requests.filter(({ target }) => target === "/next").length < 3) await Bun.sleep(50);
  const { code, stdout } = await load.end("SIGINT");
  const report = JSON.parse(stdout);
  expect(report.cut_short).toBe(true);
  expect(report.sent_elsewhere).toBeGreaterThan(0);
  expect(report.sent_elsewhere).toBe(report.errors["redirect to another host"]);
  expect(other.requests).toEqual([]);
  expect(code).toBe(1);
});

test("in a held room all wait; in one that asks to enter, visitors with and without JavaScript do", {
  timeout: 90_000,
}, async () => {
  const origin = await countingOrigin(750);
  const rooms = [
    { ...ROOM, name: "held", path: "/held", queue_all: true },
    { ...ROOM, total_active_users: 1, enter_within_seconds: 10 },
  ];
  const node = await TestNode.start({ origin: origin.url, rooms, minuteMs: 1_000 });
  const play = async (path: string, ...more: string[]) => {
    const flags = [...QUICK, "--at-once", "4", "--without-js", "0.5", "--abandoning", "0", ...more];
    return JSON.parse((await new Anteroom(["load", `${node.gate}${path}`, ...flags]).finished).stdout);
  };
  expect(await play("/held", "--duration", "4s")).toMatchObject({
    ...{ arrived: 4, admitted: 0, put_in_line: 4, still_waiting: 4, inside_max: 0, response_ms: { site: null } },
  });
  expect(origin.visitors()).toBe(0);
  expect(await play("/", "--duration", "60s")).toMatchObject({ arrived: 4, admitted: 4, errors: {}, inside_max: 1 });
  expect(origin.visitors()).toBe(4);
});
