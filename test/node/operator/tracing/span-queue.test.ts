import { expect, onTestFinished, test } from "vitest";
import { OtlpCollector } from "../../../../node/operator/otlp-collector.ts";
import { type Span, spanSerializer } from "../../../../node/operator/tracing/span.ts";
import { SpanQueue } from "../../../../node/operator/tracing/span-queue.ts";
import { sendingTo, startCollector, valuesOf } from "./collector.ts";

const SPAN: Span = {
  ...{ name: "GET", kind: "server" },
  context: { traceId: "0af7651916cd43dd8448eb211c80319c", spanId: "b7ad6b7169203331", flags: 1 },
  parent: { spanId: "00f067aa0ba902b7", isRemote: true },
  ...{ startMs: 1_700_000_000_123.25, endMs: 1_700_000_001_000 },
  ...{ attributes: { "http.request.method": "GET", "http.response.status_code": 503 }, isError: true },
};

function queueTo(endpoint: string) {
  const { otlp, logged, later } = sendingTo(endpoint);
  const collector = new OtlpCollector(otlp, "traces");
  const queue = new SpanQueue({ collector, serialize: spanSerializer(otlp.resource, "1.2.3"), later: otlp.later });
  return { queue, url: collector.url, logged, later };
}

test("spans arrive as OTLP over HTTP in JSON, in one batch", async () => {
  const { url, exports } = startCollector();
  const { queue, later } = queueTo(`${url}/`);
  queue.add(SPAN);
  queue.add({ ...SPAN, parent: undefined });
  expect(later).toHaveLength(1);
  await queue.flush();
  const [first] = exports;
  expect([exports.length, first?.path, first?.type]).toEqual([1, "/v1/traces", "application/json"]);
  expect(first?.resource).toEqual({ "service.name": "anteroom" });
  expect(first?.spans[0]).toMatchObject({
    ...{ traceId: SPAN.context.traceId, spanId: SPAN.context.spanId, parentSpanId: "00f067aa0ba902b7", kind: 2 },
    ...{ startTimeUnixNano: "1700000000123250000", endTimeUnixNano: "1700000001000000000", status: { code: 2 } },
  });
  expect(valuesOf(first?.spans[0]?.attributes ?? [])).toEqual(SPAN.attributes);
  expect(first?.spans[1]?.parentSpanId).toBeUndefined();
  expect([queue.exported, queue.length]).toEqual([2, 0]);
});

test("an endpoint that has the path already gets no second one", () => {
  expect(queueTo("http://c.example:4318/v1/traces").url).toBe("http://c.example:4318/v1/traces");
  expect(queueTo("http://c.example:4318/v1/metrics").url).toBe("http://c.example:4318/v1/traces");
  expect(queueTo("http://c.example/base/").url).toBe("http://c.example/base/v1/traces");
});

/** Nobody else listens here, so a port that was let go of stays free. */
const OWN_HOST = "127.0.0.63";

test("a dead collector costs the spans and one warning, and the first success says so", async () => {
  const gone = startCollector(undefined, OWN_HOST);
  const url = new URL(gone.url);
  gone.stop();
  const { queue, logged } = queueTo(gone.url);
  for (let batch = 0; batch < 3; batch++) {
    queue.add(SPAN);
    await queue.flush();
  }
  expect([queue.dropped.unreachable, queue.length, logged.length]).toEqual([3, 0, 1]);
  const again = Bun.serve({ hostname: OWN_HOST, port: Number(url.port), fetch: () => Response.json({}) });
  onTestFinished(() => again.stop(true));
  queue.add(SPAN);
  await queue.flush();
  expect([queue.exported, logged.at(-1)]).toEqual([1, "info the collector takes traces again"]);
});

test("a collector that hangs costs no more than a full queue", async () => {
  const hanging = Promise.withResolvers<Response>();
  const { queue } = queueTo(startCollector(() => hanging.promise).url);
  for (let count = 0; count < 5_000; count++) queue.add(SPAN);
  expect([queue.length, queue.dropped.queue_full]).toEqual([2_048, 5_000 - 2_048 - 512]);
  hanging.resolve(new Response());
  await queue.flush();
  expect(queue.exported).toBe(512);
});

test.each([
  ["an error", () => new Response("no", { status: 503 }), [0, 2]],
  ["a redirect", () => new Response(null, { status: 307, headers: { Location: "http://127.0.0.1:9/" } }), [0, 2]],
  ["a partial success", () => Response.json({ partialSuccess: { rejectedSpans: "1" } }), [1, 1]],
  ["an answer without a body", () => new Response(), [2, 0]],
  ["an answer that is not an object", () => new Response("null"), [2, 0]],
] as const)("%s of the collector is counted", async (_, answer, [exported, refused]) => {
  const { queue } = queueTo(startCollector(answer).url);
  queue.add(SPAN);
  queue.add(SPAN);
  await queue.flush();
  expect([queue.exported, queue.dropped.refused]).toEqual([exported, refused]);
});

test("the last spans leave when the process ends", async () => {
  const { url } = startCollector();
  const { queue } = queueTo(url);
  for (let count = 0; count < 1_000; count++) queue.add(SPAN);
  await queue.close();
  expect([queue.exported, queue.length]).toEqual([1_000, 0]);
});
