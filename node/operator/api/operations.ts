/** All calls of the admin API. A call that is served and not listed here fails a test. */

import type { Operation } from "../calls/operation.ts";
import { ANALYTICS_OPERATIONS } from "./analytics.ts";
import { DRAW_OPERATIONS } from "./draws.ts";
import { EVENT_OPERATIONS } from "./events.ts";
import { LANE_OPERATIONS } from "./lane.ts";
import { MESH_OPERATIONS } from "./mesh.ts";
import { NODE_OPERATIONS } from "./node.ts";
import { OPEN_OPERATIONS } from "./open-calls.ts";
import { PASS_OPERATIONS } from "./passes.ts";
import { PREVIEW_OPERATIONS } from "./preview.ts";
import { ROOM_ORDER_OPERATIONS } from "./room-orders.ts";
import { ROOM_OPERATIONS } from "./rooms.ts";
import { TOKEN_OPERATIONS } from "./tokens.ts";
import { TRIAL_OPERATIONS } from "./trial.ts";
import { VISITOR_KEY_OPERATIONS } from "./visitor-keys.ts";
import { VISITOR_OPERATIONS } from "./visitors.ts";
import { WEBHOOK_OPERATIONS } from "./webhooks.ts";

export const OPERATIONS = [
  ...OPEN_OPERATIONS,
  ...NODE_OPERATIONS,
  ...ROOM_OPERATIONS,
  ...ANALYTICS_OPERATIONS,
  ...EVENT_OPERATIONS,
  ...ROOM_ORDER_OPERATIONS,
  ...DRAW_OPERATIONS,
  ...LANE_OPERATIONS,
  ...PASS_OPERATIONS,
  ...VISITOR_KEY_OPERATIONS,
  ...VISITOR_OPERATIONS,
  ...WEBHOOK_OPERATIONS,
  ...TOKEN_OPERATIONS,
  ...PREVIEW_OPERATIONS,
  ...TRIAL_OPERATIONS,
  ...MESH_OPERATIONS,
] as unknown as readonly Operation[];
