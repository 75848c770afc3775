/**
 * The field of a room whose visitors come from, and return to, sites behind Queue-it's connectors.
 *
 * Such a room has no origin: its visitors are sent back to the site that they came from, with a token that the
 * connector there checks (`node/gate/queue-it.ts`). Nobody is ever sent to a site that the field does not name.
 */

import { z } from "zod";
import type { Complaint } from "./problem.ts";
import { text } from "./text-field.ts";

/** Each is a rule of the connectors, which read all of them at each request. */
const SITES_MAX = 20;

const WRITE_SITE = "write a base URL such as https://www.example.com/tickets";

export const QUEUE_IT = z
  .strictObject({
    event_id: z
      .string()
      // Underscores and tildes separate the parts of a token. A connector compares the name in its cookie in lower case.
      .regex(/^[a-z0-9-]{1,64}$/, "is not an event id of lower-case letters, digits and hyphens")
      .describe("the event id in the connectors' configuration: 1 to 64 lower-case letters, digits and hyphens"),
    protects: z
      .array(text(siteComplaint).transform(normalSite))
      .min(1)
      .max(SITES_MAX)
      .describe(`up to ${SITES_MAX} base URLs of the sites whose connectors send visitors here`),
  })
  .nullable()
  .default(null);

/** Fields that a room with `queue_it` cannot have, as far as they decide. */
export interface BesideQueueIt {
  readonly queue_it: unknown;
  readonly host: string;
  readonly additional_routes: readonly unknown[];
  readonly session_duration: number;
  readonly origin: unknown;
  readonly origin_host: unknown;
  readonly health_check: unknown;
  readonly rollout: unknown;
  readonly enabled_origin_commands: readonly string[];
}

/** What keeps a room from being one for connectors: the field, and what is wrong with it. */
export function queueItComplaints(room: BesideQueueIt): readonly (readonly [field: string, complaint: Complaint])[] {
  if (room.queue_it === null) return [];
  const complaints: [string, Complaint][] = [];
  if (room.host === "*")
    complaints.push([
      "host",
      {
        problem: "is every host, beside queue_it: connectors send visitors to one name",
        repair: "write the queue domain, such as queue.example.com",
      },
    ]);
  if (room.additional_routes.length > 0)
    complaints.push([
      "additional_routes",
      { problem: "is given beside queue_it: connectors send visitors to one address", repair: "leave them out" },
    ]);
  // A token is valid for a while, and the connector's cookie for a whole minute at least.
  if (room.session_duration < 2)
    complaints.push([
      "session_duration",
      { problem: "is below 2, beside queue_it: a connector's cookie lasts whole minutes", repair: "write 2 to 30" },
    ]);
  const goesNowhere = "is given beside queue_it, whose visitors go back to the site that they came from";
  for (const field of ["origin", "origin_host", "health_check", "rollout"] as const)
    if (room[field] !== "" && room[field] !== null)
      complaints.push([field, { problem: goesNowhere, repair: "leave one of the two out" }]);
  if (room.enabled_origin_commands.length > 0)
    complaints.push([
      "enabled_origin_commands",
      { problem: "is given beside queue_it: no answer of an origin comes through the gate", repair: "write []" },
    ]);
  return complaints;
}

function siteComplaint(site: string): Complaint {
  const url = URL.parse(site);
  if (url === null || !["http:", "https:"].includes(url.protocol) || !/^https?:\/\//i.test(site))
    return { problem: "is not a URL of a site", repair: WRITE_SITE };
  if (url.username !== "" || url.password !== "") return { problem: "has a user name", repair: WRITE_SITE };
  if (url.search !== "" || url.hash !== "" || /[?#]/.test(site))
    return { problem: "has a query or fragment", repair: WRITE_SITE };
  return undefined;
}

/** Without a slash at the end of a path. */
function normalSite(site: string): string {
  const url = new URL(site);
  return url.origin + (url.pathname === "/" ? "/" : url.pathname.replace(/\/+$/, ""));
}
