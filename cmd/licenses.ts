/** `anteroom --licenses`: the licence of anteroom, and those of everything in the binary. */

import { notices } from "./licence-notices.ts" with { type: "macro" };

export function licenses(): string {
  return notices();
}
