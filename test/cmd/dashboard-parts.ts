/** The dashboard of an admin API in a test. */

import type { DashboardParts } from "../../node/operator/dashboard/dashboard.ts";
import { Logins } from "../../node/operator/dashboard/session.ts";
import { Timeline } from "../../node/operator/dashboard/timeline.ts";

export function dashboardParts(clock: () => number = Date.now): DashboardParts {
  return { logins: new Logins(clock), timeline: new Timeline(clock) };
}
