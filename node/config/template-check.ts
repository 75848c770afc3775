/**
 * Whether a text is a Mustache template from which a waiting page can be made, in bounded time.
 *
 * Mustache's parser looks for the end of a tag by an expression that takes the square of the longest run of blanks, and
 * each lookup takes as long as sections are deep. Both are bounded, so that a template of the largest size is checked
 * and rendered in milliseconds. A template that asks for others, shows nothing (neither HTML nor the wait), or reloads
 * itself at once is refused: its visitors would see less than the built-in page shows, or load the gate without end.
 */

import Mustache from "mustache";
import { messageOf } from "../message-of.ts";
import type { Complaint } from "./problem.ts";

/** Blanks in a row. 256 KiB of such runs cost 0.1 s; twice as many, twice that. No indentation comes near. */
const BLANKS_MAX = 500;

/** Sections within sections. Each costs every lookup within it a step, and a frame of the stack at render. */
const DEPTH_MAX = 50;

const LONG_BLANKS = new RegExp(`\\s{${BLANKS_MAX + 1}}`);

/** Seconds that a page must stay before it reloads itself. The gate's own pages ask no sooner for nothing. */
const RELOAD_SECONDS_MIN = 5;

/** A text without HTML is a page if it tells the wait, as the example in Cloudflare's documents does. */
const TELLS_WAIT = /\{\{[{&#^]?\s*waitTime/;

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
    const { depth, partial } = lookedThrough(new Mustache.Writer().parse(template));
    if (depth > DEPTH_MAX)
      return {
        problem: `has sections more than ${DEPTH_MAX} deep`,
        repair: "close each {{#section}} with {{/section}}",
      };
    if (partial !== undefined)
      return {
        problem: `asks for another template, {{> ${partial}}}: there are none, and one that asks for itself would never end`,
        repair: "write what it stands for in its place",
      };
    return htmlComplaint(template);
  } catch (error) {
    // The parser can report only by throwing; nothing is lost but its wording.
    const message = messageOf(error);
    const position = / at (\d+)$/.exec(message)?.[1];
    const place = position === undefined ? "" : ` at ${lineAndColumn(template, Number(position))}`;
    const wrong = message.replace(/ at \d+$/, "").replace(/^./, (first) => first.toLowerCase());
    return { problem: `is not a Mustache template: ${wrong}${place}`, repair: "close every {{tag}} and {{#section}}" };
  }
}

function htmlComplaint(template: string): Complaint {
  if (template !== "" && !/<[a-z!]/i.test(template) && !TELLS_WAIT.test(template)) {
    return {
      problem: "holds no HTML, and does not tell the wait",
      repair: "start from the page that anteroom room preview --default prints",
    };
  }
  for (const [tag] of template.matchAll(/<meta\b[^>]{0,500}>/gi)) {
    const seconds = /\bhttp-equiv\s*=\s*["']?refresh\b/i.test(tag)
      ? /\bcontent\s*=\s*["']?\s*([\d.]+)/i.exec(tag)?.[1]
      : undefined;
    if (seconds !== undefined && Number(seconds) < RELOAD_SECONDS_MIN) {
      const problem = `reloads itself after ${seconds} s, without end`;
      return { problem, repair: "remove the refresh: each answer carries the Refresh that suits the line" };
    }
  }
  return undefined;
}

/**
 * How deep sections are, and the first template that is asked for; level by level, because a deep template must not
 * overflow the stack of this check.
 */
function lookedThrough(tokens: readonly unknown[]): { readonly depth: number; readonly partial: string | undefined } {
  let depth = 0;
  let partial: string | undefined;
  for (let level = tokens; level.length > 0; depth++) {
    for (const token of level) if (Array.isArray(token) && token[0] === ">") partial ??= String(token[1]);
    level = level.flatMap((token) => (Array.isArray(token) && Array.isArray(token[4]) ? token[4] : []));
  }
  return { depth, partial };
}

function lineAndColumn(text: string, position: number): string {
  const before = text.slice(0, position).split("\n");
  return `line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}`;
}
