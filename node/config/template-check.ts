/**
 * Whether a text is a Mustache template from which a waiting page can be made, in bounded time.
 *
 * Mustache's parser looks for the end of a tag by an expression that takes the square of the longest run of blanks, and
 * each lookup takes as long as sections are deep. Both are bounded, so that a template of the largest size is checked
 * and rendered in milliseconds.
 */

import Mustache from "mustache";
import { messageOf } from "../message-of.ts";
import type { Complaint } from "./problem.ts";

/** Blanks in a row. 256 KiB of such runs cost 0.1 s; twice as many, twice that. No indentation comes near. */
const BLANKS_MAX = 500;

/** Sections within sections. Each costs every lookup within it a step, and a frame of the stack at render. */
const DEPTH_MAX = 50;

const LONG_BLANKS = new RegExp(`\\s{${BLANKS_MAX + 1}}`);

/** A value that is probably the name of a file, as the command line accepts it. */
const FILE_NAME = /^@\S{1,1024}$/;

/** The position that Mustache gives is turned into line and column. */
export function templateComplaint(template: string): Complaint {
  if (FILE_NAME.test(template)) {
    const repair = "send the text of the page; on the command line, custom_page_html=@FILE reads it from a file";
    return { problem: "is the name of a file, not a page", repair };
  }
  const blanks = template.search(LONG_BLANKS);
  if (blanks >= 0) {
    const problem = `has more than ${BLANKS_MAX} blanks in a row at ${lineAndColumn(template, blanks)}`;
    return { problem, repair: "shorten them: HTML shows one" };
  }
  try {
    // Its own writer: the shared one keeps every template it ever parsed.
    if (depthOf(new Mustache.Writer().parse(template)) <= DEPTH_MAX) return undefined;
    return { problem: `has sections more than ${DEPTH_MAX} deep`, repair: "close each {{#section}} with {{/section}}" };
  } catch (error) {
    // The parser can report only by throwing; nothing is lost but its wording.
    const message = messageOf(error);
    const position = / at (\d+)$/.exec(message)?.[1];
    const place = position === undefined ? "" : ` at ${lineAndColumn(template, Number(position))}`;
    const wrong = message.replace(/ at \d+$/, "").replace(/^./, (first) => first.toLowerCase());
    return { problem: `is not a Mustache template: ${wrong}${place}`, repair: "close every {{tag}} and {{#section}}" };
  }
}

/** How deep sections are; level by level, because a deep template must not overflow the stack of this check. */
function depthOf(tokens: readonly unknown[]): number {
  let depth = 0;
  for (let level = tokens; level.length > 0; depth++) {
    level = level.flatMap((token) => (Array.isArray(token) && Array.isArray(token[4]) ? token[4] : []));
  }
  return depth;
}

function lineAndColumn(text: string, position: number): string {
  const before = text.slice(0, position).split("\n");
  return `line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}`;
}
