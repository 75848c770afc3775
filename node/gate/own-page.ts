/**
 * What all pages of the gate share: one file with its style and script inside, and the header fields for it.
 *
 * Style and script are constants, so that a Content-Security-Policy names them by hash, and nothing else may run.
 */

import { createHash } from "node:crypto";
import type { HeaderList } from "../http/message.ts";
import css from "./page.css" with { type: "text" };

/** Other sites must not show our pages in a frame: it could not keep its cookie, and its visitor did not ask for it. */
const OWN_FRAMES_ONLY = "frame-ancestors 'self'";

/** The fields of all our pages. `X-Frame-Options` says the same to browsers that do not know `frame-ancestors`. */
export function pageHeaders(contentSecurityPolicy: string = OWN_FRAMES_ONLY): HeaderList {
  return [
    ...["Content-Type", "text/html; charset=utf-8", "Cache-Control", "no-store"],
    ...["Content-Security-Policy", contentSecurityPolicy, "X-Frame-Options", "SAMEORIGIN"],
  ];
}

/** Content-Security-Policy of a page that loads nothing but its own inline style and script. `img-src` is for the empty icon. */
export function inlineOnlyPolicy(page: string): string {
  const hashes = (tag: string) =>
    [...page.matchAll(new RegExp(`<${tag}>([\\s\\S]*?)</${tag}>`, "g"))].map(
      ([, body = ""]) => `'sha256-${createHash("sha256").update(body).digest("base64")}'`,
    );
  const sources = (tag: string) => hashes(tag).join(" ") || "'none'";
  return `default-src 'none'; style-src ${sources("style")}; script-src ${sources("script")}; img-src data:; connect-src 'self'; base-uri 'none'; form-action 'none'; ${OWN_FRAMES_ONLY}`;
}

/**
 * `html` with the style of all pages, without comments and indentation: line breaks mean nothing there, and the page is
 * a fifth smaller.
 */
export function pageSource(html: string): string {
  return html
    .replace("/*page.css*/", () => css)
    .replace(/^\s*\/\/.*\n/gm, "")
    .replace(/\n\s+/g, "\n");
}
