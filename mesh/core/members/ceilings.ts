/**
 * The most slots of each room that nodes hold according to their pledges; none for a room that is not named. See
 * pledges.ts and pot-share.ts.
 */

import type { RoomId } from "../ids.ts";

export type Ceilings = readonly (readonly [RoomId, number])[];
