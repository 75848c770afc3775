/** The most slots of each room that nodes hold by what they pledged: a room that is not named has none. See pledges.ts and pot-share.ts. */

import type { RoomId } from "../ids.ts";

export type Ceilings = readonly (readonly [RoomId, number])[];
