import { expect, test } from "vitest";
import { DurationHistogram } from "../../../../node/admission/duration-histogram.ts";
import type { Family } from "../../../../node/operator/metrics/metric-family.ts";
import { MetricsExport } from "../../../../node/operator/metrics/metrics-export.ts";
import { GateWorld } from "../../gate/gate-world.ts";
import { sendingTo, startCollector, valuesOf } from "../tracing/collector.ts";
import { metricsOf } from "./metrics-of-world.ts";

function exportOf(families: () => Promise<readonly Family[]>, answer?: () => Response) {
  const collector = startCollector(answer);
  const { otlp, logged, later } = sendingTo(`${collector.url}/v1/traces`);
  const clock = { nowMs: 1_700_000_000_000 };
  return { collector, logged, later, clock, sent: new MetricsExport(otlp, { families, clock: () => clock.nowMs }) };
}

test("all families arrive under the names of the Prometheus text, with their values", async () => {
  const world = new GateWorld();
  const { text, families } = metricsOf(world);
  const { collector, sent } = exportOf(families);
  await sent.close();
  const [first] = collector.metrics;
  expect([collector.metrics.length, first?.path, first?.resource]).toEqual([
    1,
    "/v1/metrics",
    { "service.name": "anteroom" },
  ]);
  const shown = [...(await text()).matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name, type]) => `${name} ${type}`);
  const arrived = first?.metrics.map(
    ({ name, gauge, histogram }) => `${name} ${gauge ? "gauge" : histogram ? "histogram" : "counter"}`,
  );
  expect(arrived).toEqual(shown);
  const memory = first?.metrics.find(({ name }) => name === "process_resident_memory_bytes");
  expect(memory?.gauge?.dataPoints[0]?.asDouble).toBe(34_000_000);
});

test("counts begin with the process, and durations keep their classes", async () => {
  const durations = new DurationHistogram([0.1, 1]);
  for (const ms of [50, 70, 500, 9_000]) durations.observe(ms);
  const families: Family[] = [
    { name: "asked_total", help: "Asked.", type: "counter", values: [{ labels: { room: "shop" }, value: 4 }] },
    {
      name: "took_seconds",
      help: "Took.",
      type: "histogram",
      values: [{ labels: { room: "shop" }, value: durations }],
    },
  ];
  const { collector, clock, sent } = exportOf(async () => families);
  clock.nowMs += 60_500;
  await sent.close();
  const [asked, took] = collector.metrics[0]?.metrics ?? [];
  expect(asked).toMatchObject({ description: "Asked.", sum: { isMonotonic: true, aggregationTemporality: 2 } });
  const [point] = asked?.sum?.dataPoints ?? [];
  expect(point).toMatchObject({
    ...{ asDouble: 4, startTimeUnixNano: "1700000000000000000", timeUnixNano: "1700000060500000000" },
  });
  expect(valuesOf(point?.attributes ?? [])).toEqual({ room: "shop" });
  expect(took?.histogram?.dataPoints[0]).toMatchObject({
    ...{ explicitBounds: [0.1, 1], bucketCounts: [2, 1, 1], count: 4, sum: 9.62 },
  });
});

test("a metric that cannot be read costs a line in the log, and the next minute is tried again", async () => {
  const families = (): Promise<Family[]> => Promise.reject(new Error("no such room"));
  const { later, logged, sent } = exportOf(families);
  later[0]?.act();
  while (later.length === 1) await Bun.sleep(1);
  await sent.close();
  expect(logged).toEqual(Array(2).fill("error the metrics could not be read for the collector"));
});

test("they leave each minute until the end, and a collector that refuses them costs one warning", async () => {
  const asked = Promise.withResolvers<void>();
  let times = 0;
  const families = async () => {
    times += 1;
    if (times === 3) asked.resolve();
    return [];
  };
  const { later, logged, sent } = exportOf(families, () => new Response("no", { status: 404 }));
  for (let minute = 0; minute < 3; minute++) {
    while (later.length === minute) await Bun.sleep(1);
    expect(later[minute]?.ms).toBe(60_000);
    later[minute]?.act();
  }
  await asked.promise;
  await sent.close();
  expect(logged).toEqual(["warn the collector does not take metrics: they are dropped until it does"]);
  while (later.length === 3) await Bun.sleep(1);
  later[3]?.act();
  expect(times).toBe(4);
});
