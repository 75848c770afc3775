/**
 * Whether calls from servers, such as a bank's notice of a payment, pass while a room is full.
 *
 * The room's own rules are asked about a `POST` to each path that the operator names. Nothing is sent there.
 */

import { routesOf } from "../../node/config/check-rooms.ts";
import type { Room } from "../../node/config/room.ts";
import { CONTESTED, RouteTable } from "../../node/rooms/match.ts";
import { Rules } from "../../node/rules/rules.ts";
import { type Finding, ok, problem, warning } from "./finding.ts";
import { FORGED_ADDRESS } from "./outside.ts";

/** `calls`: where servers send them. */
export function paymentFindings(rooms: readonly Room[], calls: readonly URL[]): readonly Finding[] {
  if (calls.length > 0) return calls.map((call) => callFinding(rooms, call));
  const closed = rooms.filter(({ rules, bypassCidrs }) => rules.length + bypassCidrs.length === 0);
  if (closed.length === 0) return [ok("payments", "each room lets some calls pass: name yours with --webhook PATH")];
  const names = closed.map(({ name }) => name).join(", ");
  const repair = "see docs/first-sale.md; then name the paths of such calls with --webhook PATH";
  return [warning("payments", `no call of a server passes when the room is full: ${names}`, repair)];
}

function callFinding(rooms: readonly Room[], { hostname, pathname, search, protocol }: URL): Finding {
  const target = pathname + search;
  const table = new RouteTable(rooms.flatMap((room) => routesOf(room).map((route) => ({ ...route, value: room }))));
  const room = table.find(hostname, target);
  if (room === CONTESTED) return problem("payments", `servers read ${target} in different ways`, "use a plain path");
  if (room === undefined || room.suspended) return ok("payments", `POST ${target} always passes: no room limits it`);
  const ruling = new Rules(room.rules).ruling({
    request: { method: "POST", target, host: hostname, headers: ["Host", hostname] },
    client: { address: FORGED_ADDRESS, secure: protocol === "https:" },
  });
  if (ruling === "bypass_waiting_room") return ok("payments", `POST ${target} passes by a rule of room ${room.name}`);
  if (ruling === "block")
    return problem("payments", `POST ${target} is blocked by a rule of room ${room.name}`, "change the rule");
  const except = room.bypassCidrs.length === 0 ? "" : `, except from ${room.bypassCidrs.join(", ")}`;
  const what = `POST ${target} gets 503 when room ${room.name} is full${except}`;
  return (except === "" ? problem : warning)("payments", what, "give the room a rule: see docs/first-sale.md");
}
