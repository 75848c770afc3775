/** A page with plots, written to the file of a flag. */

import { writeFileSync } from "node:fs";
import { messageOf } from "../node/message-of.ts";
import { Failure } from "./failure.ts";

/** Writes the page if a file is given for it. Throws `Failure`. */
export function writePage(path: string, say: (text: string) => void, page: () => string): void {
  if (path === "") return;
  const text = page();
  try {
    writeFileSync(path, text);
  } catch (error) {
    throw new Failure(`cannot write the page to ${path}: ${messageOf(error)}`);
  }
  say(`\nThe page is in ${path}.`);
}
