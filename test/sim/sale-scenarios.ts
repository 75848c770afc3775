/** Sales with a pre-queue that is drawn at their start. */

import { type Sale, saleOf } from "./event-scenarios.ts";
import { CALM, type Scenario } from "./scenario.ts";
import { LIGHT } from "./visitor.ts";

const LARGE = 100_000;

/** A sale of 10 minutes after a pre-queue of 5. */
const largeSale = (visitors: number): Sale => ({
  before: visitors,
  after: 0,
  prequeueMinutes: 5,
  minutes: 15,
  localities: ["sjc", "sjc", "lon", "lon", "del"],
  active: 0.3 * visitors,
  perMinute: 0.1 * visitors,
  refreshSeconds: 60,
});

/** The same with a draw that anybody can check, of so many visitors; each asks no more than needed. */
export const drawnSale = (visitors: number): Scenario => ({
  ...CALM,
  name: "draw-100000",
  summary: "a sale with a draw that anybody can check and 100,000 in its pre-queue; takes some minutes; no faults",
  ...saleOf({ ...largeSale(visitors), isDrawn: true }),
  crowd: [{ ...LIGHT, patienceMinutes: 1_000 }],
  stayMinutes: 0.5,
});

export const SALES: readonly Scenario[] = [
  {
    ...CALM,
    name: "event",
    summary: "a sale: 2,000 visitors in a pre-queue of 3 minutes, drawn at its start, which begins a ramp; no faults",
    ...saleOf({
      before: 2_000,
      after: 200,
      prequeueMinutes: 3,
      minutes: 17,
      localities: ["sjc", "sjc", "lon", "lon", "del"],
      active: 600,
      perMinute: 200,
      ramp: { start: 60, unit: "min", percent: 50, minutes: 1 },
      refreshSeconds: 20,
    }),
    stayMinutes: 1,
    useMin: 0,
  },
  {
    ...CALM,
    name: "sale",
    summary:
      "a sale with a pre-queue of 100,000 visitors on 5 nodes, drawn at its start; takes some minutes; no faults",
    ...saleOf(largeSale(LARGE)),
    stayMinutes: 0.5,
  },
  drawnSale(LARGE),
];
