/** What an admin API of a test says of the fast lane. */

import { LaneKeys } from "../../node/cookie/lane-keys.ts";
import { VisitorKeys } from "../../node/keys/visitor-keys.ts";
import type { LaneParts } from "../../node/operator/api/lane.ts";
import { MESH } from "../node/peer/lone-peer.ts";

export const VISITOR_KEYS = new VisitorKeys(MESH);

export const LANE: Omit<LaneParts, "rooms"> = {
  keys: new LaneKeys(MESH),
  place: {
    ...{ version: "1", gate: "127.0.0.1:8080", isTls: false, hasOriginSecret: false },
    origin: "http://origin.internal:3000",
  },
};
