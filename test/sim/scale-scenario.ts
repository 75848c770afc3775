/** As many nodes and visitors as memory allows. */

import { CALM, type Drawn, type DrawnScenario } from "./scenario.ts";
import { LIGHT } from "./visitor.ts";

/** Nodes of a scale scenario by default. */
export const SCALE_NODES = 30;
export const SCALE_SCENARIO: DrawnScenario = {
  name: "scale",
  summary:
    "3 nodes in each of many localities, 1,111 visitors per node in ten minutes, at times more than fit; no faults",
  draw: (_, nodes) => scale(nodes),
};

/** Many localities; as many visitors for each node as make a million at 900 of them. */
function scale(nodes: number): Drawn {
  const localities = Array.from({ length: nodes }, (_, index) => `locality-${Math.floor(index / 3)}`);
  const perLocality = (3 * 1_000_000) / 900 / 10;
  const perMinute = (perLocality * nodes) / 3;
  return {
    ...CALM,
    localities,
    minutes: 10,
    foundedMs: 30_000,
    // What is free elsewhere is heard up to 25 ms per node late.
    earlyMax: 1,
    useMin: 95,
    room: {
      totalActiveUsers: Math.round(2.6 * perMinute),
      newUsersPerMinute: Math.round(1.1 * perMinute),
      sessionDuration: 1,
      refreshIntervalSeconds: 20,
    },
    // A wave: half as many at first, half as many again in the middle.
    rate: (minute) => perLocality * (1 - 0.5 * Math.cos((2 * Math.PI * minute) / 10)),
    stayMinutes: 1,
    crowd: [LIGHT],
  };
}
