/** The state of the source's example, at 11:45:54 on 2023-09-11 (WR-6). */

import type { ConvergedState } from "../../node/admission/traffic-split.ts";

export const SAN_JOSE = "San Jose";
export const LONDON = "London";
export const DELHI = "Delhi";

/** As computed in San Jose. */
export const IN_SAN_JOSE: ConvergedState = {
  totalActiveUsers: 200,
  newUsersPerMinute: 200,
  activeUsers: 50,
  globalWorkersActive: 10,
  dataCenterWorkersActive: 3,
  trafficHistory: new Map([
    [SAN_JOSE, 20],
    [LONDON, 30],
  ]),
};

/** As computed in Delhi, which has one worker. */
export const IN_DELHI: ConvergedState = { ...IN_SAN_JOSE, dataCenterWorkersActive: 1 };

/**
 * The small example: 10 slots left to two workers at 10 % utilization, in a room without traffic before (WR-10, WR-12).
 */
export const TEN_SLOTS: ConvergedState = {
  totalActiveUsers: 100,
  newUsersPerMinute: 10,
  activeUsers: 10,
  globalWorkersActive: 2,
  dataCenterWorkersActive: 2,
  trafficHistory: new Map(),
};

/** Of `visitors` at a worker that may admit `slots`: how many go in. */
export function goIn(visitors: number, slots: number): number {
  return Math.min(visitors, slots);
}
