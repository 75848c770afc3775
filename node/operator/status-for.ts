/**
 * A node's status as a principal may see it, given the names of all rooms: a principal who sees some rooms sees these alone, and no warning that names
 * another one. What is about nodes is for all: without it nobody could tell whether the own room is well.
 */

import { namesOther } from "./other-rooms.ts";
import { isLimited, maySee, type Principal } from "./principal.ts";
import type { NodeStatus } from "./status.ts";

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
