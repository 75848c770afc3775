/** What the parts of the gate have in common: clocks, the log, the disk and the rooms. */

import type { Log, LogLevel } from "../log.ts";
import type { Rooms } from "../rooms/rooms.ts";
import type { CommitQueue } from "../storage/group-commit.ts";

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

/**
 * What the gate needs of the process around it: timers, chance, and a clock for durations. A simulation has its own.
 */
export interface Surroundings {
  after(ms: number, act: () => void): void;
  /** An id that no visitor has had and that cannot be guessed. */
  newId(): string;
  /** Ms that never go back. */
  steadyMs(): number;
}

const ID_BYTES = 16;

export const PROCESS: Surroundings = {
  after: (ms, act) => void setTimeout(act, ms),
  // A tenth of the time that `randomBytes` of node:crypto takes.
  newId: () => crypto.getRandomValues(new Uint8Array(ID_BYTES)).toBase64({ alphabet: "base64url", omitPadding: true }),
  steadyMs: () => performance.now(),
};
