/** Views for the tests of the waiting page and its JSON. */

import fc from "fast-check";
import type { WaitingView } from "../../../node/gate/waiting-view.ts";

export const VIEW: WaitingView = {
  kind: "waiting",
  queueingMethod: "fifo",
  queueAll: false,
  position: 42,
  waitSeconds: 245,
  refreshSeconds: 20,
  lastUpdatedMs: Date.UTC(2020, 7, 3, 23, 46),
  originReachable: true,
  posted: false,
  isDrawing: false,
  message: "",
  supportId: "4QK7-X2MD",
  event: undefined,
};

export const anyView: fc.Arbitrary<WaitingView> = fc.record({
  kind: fc.constantFrom(
    "waiting" as const,
    "full" as const,
    "rejected" as const,
    "cookieless" as const,
    "unproved" as const,
  ),
  isSoldOut: fc.boolean(),
  posted: fc.boolean(),
  isDrawing: fc.boolean(),
  event: fc.option(
    fc.record({
      phase: fc.constantFrom("prequeue" as const, "active" as const),
      seconds: fc.integer({ min: 1, max: 1_000_000 }),
      shuffles: fc.boolean(),
    }),
    { nil: undefined },
  ),
  queueingMethod: fc.constantFrom("fifo" as const, "random" as const, "passthrough" as const, "reject" as const),
  queueAll: fc.boolean(),
  position: fc.nat(10_000_000),
  waitSeconds: fc.option(fc.nat(10_000_000)),
  refreshSeconds: fc.integer({ min: 1, max: 1_800 }),
  lastUpdatedMs: fc.nat(4_000_000_000_000),
  originReachable: fc.boolean(),
  message: fc.constantFrom("", "Half an hour late.", `<b>"&'`),
  supportId: fc.constantFrom("", "4QK7-X2MD"),
});
