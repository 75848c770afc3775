import { expect, test, vi } from "vitest";
import { accountOf, type NodeId } from "../../../../mesh/core/ids.ts";
import { FakeExchange, originFails } from "../../gate/fake-exchange.ts";
import { GateWorld, MINUTE_MS, SHOP, START_MS } from "../../gate/gate-world.ts";
import { renderOf } from "./metrics-of-world.ts";

function metricsOf(world: GateWorld): () => Promise<Map<string, string>> {
  const render = renderOf(world);
  return async () =>
    new Map(
      (await render())
        .split("\n")
        .filter((line) => line !== "" && !line.startsWith("#"))
        .map((line) => [line.slice(0, line.lastIndexOf(" ")), line.slice(line.lastIndexOf(" ") + 1)]),
    );
}

test("a room's limits, and sessions, waiting and admitted visitors", async () => {
  const world = new GateWorld();
  const read = metricsOf(world);
  await world.fill();
  await world.joinLine();
  const shown = await read();
  const values = ["inside", "inside_limit", "waiting", "admitted_this_minute", "admitted_this_minute_limit"].map(
    (name) => shown.get(`anteroom_${name}{room="shop"}`),
  );
  expect(values).toEqual(["2", "2", "1", "2", "10"]);
});

test("requests by outcome, bad cookies by reason, origin failures by kind; each count is of the whole run", async () => {
  const world = new GateWorld();
  const read = metricsOf(world);
  await world.fill();
  await world.outcome({ headers: { Cookie: "__anteroom_shop=rubbish" } });
  await world.outcome({ method: "POST" });
  originFails(await world.exchange({ host: "nowhere.example" }), "timeout");
  await read();
  const shown = await read();
  expect(shown.get('anteroom_requests_total{room="shop",outcome="admitted"}')).toBe("2");
  expect(shown.get('anteroom_pushes_total{outcome="dropped"}')).toBe("1");
  expect(shown.get('anteroom_requests_total{room="shop",outcome="joined"}')).toBe("1");
  expect(shown.get('anteroom_requests_total{room="shop",outcome="turned_away"}')).toBe("1");
  expect(shown.get('anteroom_requests_total{room="shop",outcome="full"}')).toBe("0");
  expect(shown.get('anteroom_bad_cookies_total{room="shop",reason="malformed"}')).toBe("1");
  expect(shown.get('anteroom_origin_failures_total{kind="timeout"}')).toBe("1");
  expect(shown.get('anteroom_origin_failures_total{kind="unreachable"}')).toBe("0");
  expect(shown.get("anteroom_requests_unmatched_total")).toBe("1");
});

test("sessions that ended give their slots back, and are counted", async () => {
  const world = new GateWorld();
  const read = metricsOf(world);
  await world.fill();
  world.nowMs += 2 * MINUTE_MS + 6_000;
  const shown = await read();
  expect(shown.get('anteroom_inside{room="shop"}')).toBe("0");
  expect(shown.get('anteroom_sessions_ended_total{room="shop"}')).toBe("2");
});

test("rooms come and go with their values", async () => {
  const world = new GateWorld();
  const read = metricsOf(world);
  world.rooms.create({ ...SHOP, name: "bar", host: "bar.example" });
  expect((await read()).has('anteroom_inside{room="bar"}')).toBe(true);
  world.rooms.remove("bar");
  expect([...(await read()).keys()].filter((name) => name.includes("bar"))).toEqual([]);
});

test("the process: version, connections, memory", async () => {
  const shown = await metricsOf(new GateWorld())();
  expect(shown.get('anteroom_build_info{version="1.2.3"}')).toBe("1");
  expect(shown.get("anteroom_connections")).toBe("12");
  expect(shown.get("process_resident_memory_bytes")).toBe("34000000");
  const values = [
    ["anteroom_connections_limit", "4000"],
    ["anteroom_memory_limit_bytes", "64000000"],
    ["anteroom_ready", "1"],
    ["anteroom_store_errors_total", "3"],
    ["anteroom_store_up", "1"],
    ["anteroom_config_last_reload_successful", "0"],
    ["anteroom_config_last_reload_timestamp_seconds", "5"],
    ['anteroom_certificate_not_after_timestamp_seconds{name="shop.example"}', "90"],
    ["process_cpu_seconds_total", "1.5"],
    ["process_open_fds", "20"],
    ["process_max_fds", "1024"],
    ["anteroom_lease_held", "1"],
    ["anteroom_mesh_unreachable_members", "0"],
  ] as const;
  for (const [name, value] of values) expect([name, shown.get(name)]).toEqual([name, value]);
});

test("the origins of a room: up or down, weight, sessions, requests, retries, and a rollout's part", async () => {
  const origin = [
    { url: "http://a.example", weight: 2 },
    { url: "http://b.example", weight: 0 },
  ];
  const world = new GateWorld({ rooms: [{ ...SHOP, origin }] });
  const read = metricsOf(world);
  const exchange = await world.exchange();
  const { plan } = await world.forwarded({ headers: { Cookie: await world.comeIn() } });
  plan.retry?.({ kind: "unreachable", detail: "refused" });
  originFails(exchange, "unreachable");
  for (let probe = 0; probe < 3; probe++) world.room().origin.all[1]?.health.probed("refused", world.nowMs);
  const shown = await read();
  const of = (name: string, target: string) =>
    shown.get(`anteroom_${name}{room="shop",origin="http://${target}.example"}`);
  expect(["origin_up", "origin_weight", "origin_sessions"].map((name) => [of(name, "a"), of(name, "b")])).toEqual([
    ["1", "0"],
    ["2", "0"],
    ["2", "0"],
  ]);
  expect(of("origin_changed_timestamp_seconds", "b")).toBe(String(world.nowMs / 1_000));
  expect([of("origin_requests_total", "a"), of("origin_request_failures_total", "a")]).toEqual(["4", "2"]);
  expect(shown.get('anteroom_origin_retries_total{room="shop"}')).toBe("1");
  expect(shown.get('anteroom_origin_retries_refused_total{room="shop"}')).toBe("0");
  expect(shown.get('anteroom_rollout_ratio{room="shop"}')).toBe("0");
  expect(shown.get("anteroom_pressure")).toBe("0");
});

test("the mesh: members, the number of the view, what went between nodes", async () => {
  const world = new GateWorld();
  world.peer.receive("node2" as NodeId, new Uint8Array([1, 2, 3]), { wallMs: world.nowMs, steadyMs: world.nowMs });
  const shown = await metricsOf(world)();
  expect(shown.get("anteroom_mesh_members")).toBe("1");
  expect(shown.get("anteroom_mesh_view")).toBe("1");
  expect(shown.get('anteroom_mesh_frames_total{direction="in"}')).toBe("1");
  expect(shown.get('anteroom_mesh_frames_total{direction="out"}')).toBe("0");
  expect(shown.get('anteroom_mesh_bytes_total{direction="in"}')).toBe("3");
  expect(shown.get("anteroom_mesh_faults_total")).toBe("1");
});

test("when a member that does not answer is removed, and when nobody can remove it", async () => {
  const world = new GateWorld();
  const read = metricsOf(world);
  const shown = async () => (await read()).get("anteroom_mesh_removal_timestamp_seconds");
  expect(await shown()).toBe("0");
  vi.spyOn(world.peer.members, "removalInMs").mockReturnValue(27_000);
  expect(await shown()).toBe(String((START_MS + 27_000) / 1_000));
});

test("what lost nodes have left idle, by what other nodes say of it", async () => {
  const world = new GateWorld();
  const read = metricsOf(world);
  const idle = ["idle_slots", "idle_ratio", "idle_arrival_slots", "idle_until_timestamp_seconds"];
  const shown = await read();
  expect(idle.map((name) => shown.get(`anteroom_${name}{room="shop"}`))).toEqual(["0", "0", "0", "0"]);
  const { roomNode } = world.peer;
  const accounts = [accountOf(roomNode.self)];
  let untilMs: number | undefined = 90_000;
  Object.defineProperty(world.peer, "idleElsewhere", { get: () => [{ accounts, untilMs }] });
  world.nowMs += 1_000;
  const told = await read();
  expect(idle.map((name) => told.get(`anteroom_${name}{room="shop"}`))).toEqual(["2", "1", "10", "90"]);
  untilMs = undefined;
  world.nowMs += 1_000;
  expect((await read()).get('anteroom_idle_until_timestamp_seconds{room="shop"}')).toBe("0");
});

test("neither a visitor's address nor a target is ever a label", async () => {
  const world = new GateWorld();
  const exchange = new FakeExchange({ target: "/secret?x=1", from: "198.51.100.77" });
  world.gate.handle(exchange);
  await exchange.outcome;
  const shown = JSON.stringify([...(await metricsOf(world)())]);
  expect(shown).not.toMatch(/secret|198\.51/);
});

test("what is idle is computed once for each room at each scrape", async () => {
  const world = new GateWorld();
  world.rooms.create({ ...SHOP, name: "bar", host: "bar.example" });
  let reads = 0;
  Object.defineProperty(world.peer, "idleElsewhere", {
    get: () => {
      reads += 1;
      return [];
    },
  });
  const read = metricsOf(world);
  for (const scrapes of [1, 2]) {
    expect((await read()).get('anteroom_idle_slots{room="bar"}')).toBe("0");
    expect(reads).toBe(2 * scrapes);
    world.nowMs += 1_000;
  }
});

test("durations are histograms: cumulative buckets, a sum and a count", async () => {
  const world = new GateWorld();
  const read = metricsOf(world);
  for (const ms of [0.4, 3, 9_000]) world.room().counts.decisions.observe(ms);
  const shown = await read();
  const of = (part: string) => shown.get(`anteroom_decision_duration_seconds_${part}`);
  expect(
    ['bucket{room="shop",le="0.0005"}', 'bucket{room="shop",le="0.005"}', 'bucket{room="shop",le="+Inf"}'].map(of),
  ).toEqual(["1", "2", "3"]);
  expect([of('sum{room="shop"}'), of('count{room="shop"}')]).toEqual(["9.0034", "3"]);
});

test("ticket counters have a histogram for each reach", async () => {
  const world = new GateWorld();
  const read = metricsOf(world);
  world.room().meshRoom.ticketTimes.far.observe(65);
  const shown = await read();
  const of = (labels: string) => shown.get(`anteroom_ticket_duration_seconds_bucket{room="shop",${labels}}`);
  expect(['reach="near",le="+Inf"', 'reach="far",le="0.05"', 'reach="far",le="0.1"'].map(of)).toEqual(["0", "0", "1"]);
});

test("a visitor's wait in line is measured when it ends", async () => {
  const world = new GateWorld();
  await world.fill();
  const cookie = await world.joinLine();
  world.nowMs += 2 * MINUTE_MS + 6_000;
  await world.outcome({ headers: { Cookie: cookie } });
  const { waits } = world.room().counts;
  expect(waits.counts.reduce((sum, count) => sum + count, 0)).toBe(1);
  expect(waits.sumSeconds).toBeCloseTo((2 * MINUTE_MS + 6_000) / 1_000, 0);
});
