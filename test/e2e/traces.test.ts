/** Traces of the binary: spans and metrics at a collector, the origin's `traceparent`, and a collector that is not there. */

import { expect, test } from "vitest";
import { type OtlpSpan, startCollector, valuesOf } from "../node/operator/tracing/collector.ts";
import { endLater, Origin, TestNode, until } from "./process.ts";

const ROOM = { name: "shop", host: "*", total_active_users: 1, new_users_per_minute: 10 };
const TRACE = "0af7651916cd43dd8448eb211c80319c";
const PARENT = "b7ad6b7169203331";

test("a trusted proxy's trace goes on through the gate to the origin, and its spans are at the collector", async () => {
  const collector = startCollector();
  endLater(collector.stop);
  const origin = await Origin.start();
  const flags = ["--otlp-endpoint", collector.url, "--trusted-proxies", "127.0.0.1", "--name", "gate1"];
  const node = await TestNode.start({ origin: origin.url, rooms: [ROOM], flags });
  const headers = { traceparent: `00-${TRACE}-${PARENT}-01`, tracestate: "v=1", accept: "text/html" };
  expect(await (await fetch(`${node.gate}/in?a=1`, { headers })).text()).toBe("hello");
  await (await fetch(`${node.gate}/waits`, { headers })).text();
  const untraced = { traceparent: `00-${TRACE}-${PARENT}-00` };
  await (await fetch(`${node.gate}/quiet`, { headers: untraced })).text();
  const spans = (): OtlpSpan[] => collector.exports.flatMap((each) => [...each.spans]);
  // At its end a node gives the collector only some seconds.
  await until(() => spans().length >= 3);
  await node.process.end("SIGTERM");
  const of = (kind: number, path: string): OtlpSpan | undefined =>
    spans().find((span) => span.kind === kind && JSON.stringify(valuesOf(span.attributes)).includes(path));
  const [gate, sent, waits] = [of(2, "/in"), of(3, "/in"), of(2, "/waits")];
  expect([spans().length, of(2, "/quiet")]).toEqual([3, undefined]);
  expect(spans().every(({ traceId }) => traceId === TRACE)).toBe(true);
  expect([gate?.parentSpanId, sent?.parentSpanId, waits?.parentSpanId]).toEqual([PARENT, gate?.spanId, PARENT]);
  expect(origin.requests[0]?.headers).toMatchObject({
    traceparent: `00-${TRACE}-${sent?.spanId}-01`,
    tracestate: "v=1",
  });
  expect(valuesOf(gate?.attributes ?? [])).toMatchObject({ "anteroom.room": "shop", "anteroom.outcome": "admitted" });
  expect(valuesOf(waits?.attributes ?? [])).toMatchObject({ "anteroom.outcome": "joined" });
  const last = collector.metrics.at(-1);
  const counted = last?.metrics.find(({ name }) => name === "anteroom_requests_total")?.sum?.dataPoints ?? [];
  const admitted = counted.filter(({ attributes }) => JSON.stringify(valuesOf(attributes)).includes("admitted"));
  expect(admitted.map(({ asDouble }) => asDouble)).toEqual([1]);
  expect(last).toMatchObject({ path: "/v1/metrics", resource: { "service.instance.id": "gate1" } });
  expect(collector.exports[0]?.resource).toMatchObject({
    "service.name": "anteroom",
    "service.instance.id": "gate1",
  });
});
