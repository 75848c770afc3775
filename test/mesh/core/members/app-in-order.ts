/** What a node that is in order, and has no sessions to hand over, says to its `Members`: worlds replace what they watch. */

import type { MembersApp } from "../../../../mesh/core/members/members-app.ts";

export const APP_IN_ORDER = {
  tables: () => undefined,
  takeOver: () => {},
  stoppedBy: () => {},
  isInStep: () => true,
  mayHandOver: () => true,
  mayTakeOver: () => true,
  heirLost: () => {},
  hasLostCounts: () => false,
  log: () => {},
} satisfies Partial<MembersApp>;
