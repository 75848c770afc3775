/** What the parts of the gate have in common: clocks, the log, the disk and the rooms. */

import type { Log, LogLevel } from "../log.ts";
import type { Rooms } from "../rooms/rooms.ts";
import type { CommitQueue } from "../storage/group-commit.ts";
import type { Surroundings } from "./surroundings.ts";

export interface GateContext {
  readonly rooms: Rooms;
  readonly commit: CommitQueue;
  /**
   * Brings the node's time to this moment, to which decisions and questions to the mesh refer, and returns it in Unix
   * ms.
   */
  readonly clock: () => number;
  readonly surroundings: Surroundings;
  readonly minuteMs: number;
  readonly log: Log;
  /** Whether the log takes lines of a level. */
  readonly isLogged: (level: LogLevel) => boolean;
  /** Whether each request has a line in the access log. */
  readonly hasAccessLog: boolean;
}
