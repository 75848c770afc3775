import { expect, test } from "vitest";
import { traceContextOf, traceparent } from "../../../node/http/trace-context.ts";

const TRACE = "0af7651916cd43dd8448eb211c80319c";
const PARENT = "b7ad6b7169203331";

test("a traceparent is read by the letter of W3C Trace Context", () => {
  expect(traceContextOf(["TraceParent", `00-${TRACE}-${PARENT}-01`])).toEqual({
    ...{ traceId: TRACE, spanId: PARENT, flags: 1 },
  });
  // A later version may have more.
  expect(traceContextOf(["traceparent", `01-${TRACE}-${PARENT}-00-more`])).toMatchObject({ flags: 0 });
});

test.each([
  ["none", []],
  ["more than version 00 has", ["traceparent", `00-${TRACE}-${PARENT}-01-x`]],
  ["capitals", ["traceparent", `00-${TRACE.toUpperCase()}-${PARENT}-01`]],
  ["a trace id of zeros", ["traceparent", `00-${"0".repeat(32)}-${PARENT}-01`]],
  ["a parent of zeros", ["traceparent", `00-${TRACE}-${"0".repeat(16)}-01`]],
  ["two in one field", ["traceparent", `00-${TRACE}-${PARENT}-01, 00-${TRACE}-${PARENT}-01`]],
  ["two fields", ["traceparent", `00-${TRACE}-${PARENT}-01`, "traceparent", `00-${TRACE}-${PARENT}-01`]],
])("%s continues no trace", (_, headers) => {
  expect(traceContextOf(headers)).toBeUndefined();
});

test("a recorded part has the flag for it, and no flag that version 00 does not know", () => {
  const written = (flags: number): string => traceparent({ traceId: TRACE, spanId: PARENT, flags });
  expect([written(0), written(3), written(0xff)].map((text) => text.slice(-2))).toEqual(["01", "03", "03"]);
});
