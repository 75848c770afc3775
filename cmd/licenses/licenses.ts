/**
 * `anteroom licenses`: the licence of anteroom, and those of everything in the binary.
 */

import type { Invocation } from "../command.ts";
import { EXIT } from "../exit.ts";
import { notices } from "./notices.ts" with { type: "macro" };

export async function licenses({ io }: Invocation): Promise<number> {
  io.answer(notices());
  return EXIT.ok;
}
