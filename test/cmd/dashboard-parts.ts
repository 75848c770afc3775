/** The dashboard of an admin API in a test. */

import type { DashboardParts } from "../../node/operator/dashboard/dashboard.ts";
import { History } from "../../node/operator/dashboard/history.ts";
import { Logins } from "../../node/operator/dashboard/session.ts";
import { Timeline } from "../../node/operator/dashboard/timeline.ts";

export function dashboardParts(token: string, clock: () => number = Date.now): DashboardParts {
  return { logins: new Logins(token, clock), history: new History(), timeline: new Timeline(clock) };
}
