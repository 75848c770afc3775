/**
 * `anteroom version`: which anteroom this is, and what it runs on.
 */

import manifest from "../package.json" with { type: "json" };
import type { Invocation } from "./command.ts";
import { EXIT } from "./exit.ts";

/** The version of this anteroom, as in package.json. */
export const VERSION: string = manifest.version;

export async function version({ io }: Invocation): Promise<number> {
  io.answer(`anteroom ${VERSION} (Bun ${Bun.version}, ${process.platform} ${process.arch})`);
  return EXIT.ok;
}
