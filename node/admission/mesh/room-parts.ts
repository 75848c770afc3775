/** What the parts of one room at a node share: each of them is made with the ones before it. */

import type { RoomId } from "../../../mesh/core/ids.ts";
import type { Admission } from "../admission.ts";
import type { RoomConfig } from "../room-config.ts";
import type { Counters, Participants } from "./counters.ts";
import type { Elsewhere } from "./elsewhere.ts";
import type { LineKeeper } from "./line-keeper.ts";
import type { OwnSlots } from "./own-slots.ts";
import type { RoomNode } from "./room-node.ts";

export interface RoomParts {
  readonly id: RoomId;
  readonly roomNode: RoomNode;
  readonly config: RoomConfig;
  readonly admission: Admission;
  readonly slots: OwnSlots;
  readonly participants: Participants;
  readonly counters: Counters;
  readonly line: LineKeeper;
  readonly elsewhere: Elsewhere;
}
