/**
 * A node's status as a principal may see it. A principal that sees some rooms sees only these, and no warning that
 * names another one. Everybody sees the nodes: without them, nobody could tell whether their own room is well.
 */

import { namesOther } from "../access/other-rooms.ts";
import { isLimited, maySee, type Principal } from "../access/principal.ts";
import type { NodeStatus } from "./status.ts";

/** `roomNames`: of all rooms. */
export function statusFor(principal: Principal, status: NodeStatus, roomNames: readonly string[]): NodeStatus {
  if (!isLimited(principal)) return status;
  const others = roomNames.filter((name) => !maySee(principal, name));
  const { rooms_file: _file, ...rest } = status;
  return {
    ...rest,
    warnings: status.warnings.filter((warning) => !namesOther(warning, others)),
    rooms: status.rooms.filter(({ name }) => maySee(principal, name)),
  };
}
