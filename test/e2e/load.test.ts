import { expect, test } from "vitest";
import { Anteroom, Origin, TestNode } from "./process.ts";

/** They run for as long as they are told to: side by side. */
const sideBySide = test.concurrent;

const ROOM = {
  name: "shop",
  host: "*",
  total_active_users: 6,
  new_users_per_minute: 100,
  session_duration: 1,
  refresh_interval_seconds: 1,
};

/** A session is good for one minute of a second. */
const MINUTE_MS = 1_000;
/**
 * Two visitors seen this close to each other were inside together: shorter than a session by what a request may take.
 */
const TOGETHER_MS = 750;
const LAG_EVERY_MS = 20;
/** A host whose timers are later than this, a quarter of a session, says little of what another process counts. */
const LATE_MS = 250;

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
  const lag = lagOfThisProcess();
  const peak = (): number => {
    // On a busy machine this process, the gate and the one that asks are all late.
    const togetherMs = Math.min(TOGETHER_MS, MINUTE_MS - 3 * lag.mostMs());
    const insideAt = (nowMs: number) => seen.filter(({ atMs }) => atMs <= nowMs && nowMs - atMs < togetherMs);
    return Math.max(0, ...seen.map(({ atMs }) => new Set(insideAt(atMs).map(({ visitor }) => visitor)).size));
  };
  return {
    url: origin.url,
    visitors: () => new Set(seen.map(({ visitor }) => visitor)).size,
    peak,
    lagMs: lag.mostMs,
    agents,
  };
}

/** How late the timers of this process have been at most. */
function lagOfThisProcess(): { mostMs(): number } {
  let [lastMs, mostMs] = [performance.now(), 0];
  const timer = setInterval(() => {
    const nowMs = performance.now();
    mostMs = Math.max(mostMs, nowMs - lastMs - LAG_EVERY_MS);
    lastMs = nowMs;
  }, LAG_EVERY_MS);
  timer.unref();
  return { mostMs: () => mostMs };
}

const QUICK = ["--i-own-this-site", "--stay", "1s", "--think", "300ms", "--json", "--seed", "7"];

sideBySide(
  "forty visitors at once at a room for six: the report counts what the origin counted, and never over",
  {
    timeout: 180_000,
  },
  async () => {
    // Shorter than a session by the origin's own lag.
    const origin = await countingOrigin();
    const node = await TestNode.start({ origin: origin.url, rooms: [ROOM], minuteMs: MINUTE_MS });
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
    expect(origin.peak()).toBeLessThanOrEqual(6);
    // The report counts each from its answer to the end of its stay: late answers and timers make more of them overlap.
    if (origin.lagMs() < LATE_MS) expect(report.inside_max).toBeLessThanOrEqual(6);
    expect(report.response_ms.poll.count).toBeGreaterThan(0);
    expect([...origin.agents]).toEqual([expect.stringMatching(/^anteroom-load\/\d/)]);
    expect(code).toBe(0);
  },
);

sideBySide(
  "without a waiting room in front all come in, and errors fail what was expected",
  {
    timeout: 180_000,
  },
  async () => {
    const origin = await Origin.start((_, response) => {
      response.statusCode = 503;
      response.end("busy");
    });
    const { code, stdout } = await new Anteroom([
      ...["load", origin.url, ...QUICK, "--rate", "600", "--duration", "3s", "--max-error-rate", "0.1"],
    ]).finished;
    const report = JSON.parse(stdout);
    expect(report).toMatchObject({ admitted: 0, put_in_line: 0, ok: !report.judged, error_rate: 1 });
    expect(report.errors["status 503"]).toBe(origin.requests.length);
    expect(code).toBe(report.judged ? 3 : 0);
  },
);

sideBySide(
  "a redirect to another host is not followed, and Ctrl-C ends the run with its report",
  {
    timeout: 180_000,
  },
  async () => {
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
  },
);

sideBySide(
  "in a held room all wait; in one that asks to enter, visitors with and without JavaScript do",
  {
    timeout: 180_000,
  },
  async () => {
    const origin = await countingOrigin();
    const rooms = [
      { ...ROOM, name: "held", path: "/held", queue_all: true },
      { ...ROOM, total_active_users: 1, enter_within_seconds: 10 },
    ];
    const node = await TestNode.start({ origin: origin.url, rooms, minuteMs: MINUTE_MS });
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
  },
);
