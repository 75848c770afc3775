/**
 * What all pages of the gate share: one file with its style and script inside, and the header fields for it.
 *
 * Style and script are constants, and a room's colours are a style of their own, so that a Content-Security-Policy
 * names all of them by hash, and nothing else may run.
 */

import { createHash } from "node:crypto";
import { NO_STORE } from "../http/fields.ts";
import type { HeaderList } from "../http/message.ts";
import css from "./page.css" with { type: "text" };

/** Other sites must not show our pages in a frame: it could not keep its cookie, and its visitor did not ask for it. */
export const OWN_FRAMES_ONLY = "frame-ancestors 'self'";

/**
 * The fields of our pages, which other sites must not frame; also of a room's own page, which has no `noindex` of its
 * own. `X-Frame-Options` says the same as `frame-ancestors`, to browsers that do not know that.
 */
export function pageHeaders(contentSecurityPolicy: string = OWN_FRAMES_ONLY): HeaderList {
  return [...framedPageHeaders(contentSecurityPolicy), "X-Frame-Options", "SAMEORIGIN"];
}

/** The same for a page that other sites may show in a frame, if its policy allows it. */
export function framedPageHeaders(contentSecurityPolicy: string): HeaderList {
  return [
    ...["Content-Type", "text/html; charset=utf-8", ...NO_STORE, "X-Robots-Tag", "noindex"],
    ...["Content-Security-Policy", contentSecurityPolicy],
  ];
}

/** What a page's policy allows besides its constant parts. */
export interface PolicySources {
  /** A style that differs from room to room. */
  readonly styleSource: string;
  /** Where images come from, besides the site itself; empty for nowhere. */
  readonly imageSource: string;
  /** Where a font comes from; empty for a page without a font. */
  readonly fontSource: string;
}

/**
 * Makes Content-Security-Policies of a page that runs nothing but its own inline style and script, and loads nothing
 * but the site's icon and the files of a brand. `limits`: where its forms lead, and which sites may frame it; most have
 * one, for leaving the line.
 */
export function inlineOnlyPolicy(
  page: string,
  limits = `; form-action 'self'; ${OWN_FRAMES_ONLY}`,
): (sources: PolicySources) => string {
  const hashes = (tag: string) =>
    [...page.matchAll(new RegExp(`<${tag}>([\\s\\S]*?)</${tag}>`, "g"))].map(([, body = ""]) => hashSource(body));
  const [styles, scripts] = [hashes("style").join(" "), hashes("script").join(" ") || "'none'"];
  const policyOf = ({ styleSource, imageSource, fontSource }: PolicySources): string =>
    `default-src 'none'; style-src ${styles} ${styleSource}; script-src ${scripts}; ` +
    `img-src 'self' data:${imageSource === "" ? "" : ` ${imageSource}`}; ` +
    `${fontSource === "" ? "" : `font-src ${fontSource}; `}connect-src 'self'; base-uri 'none'${limits}`;
  // Once for each room: all its visitors get the same.
  const policies = new WeakMap<PolicySources, string>();
  return (sources) => policies.getOrInsertComputed(sources, policyOf);
}

/** The source by which a policy allows the inline style or script `body`. */
export function hashSource(body: string): string {
  return `'sha256-${createHash("sha256").update(body).digest("base64")}'`;
}

/** Bun's own minifier also shortens names, which its types do not say. */
const MINIFY: object = { minify: { whitespace: true, identifiers: true, syntax: true } };
const MINIFIER = new Bun.Transpiler({ loader: "js", minifyWhitespace: true, ...MINIFY });

/** A page's own script, and those of the workers that it starts. */
const SCRIPT = /(?<=<script(?: id="(?:solver|worker)"[^>]*)?>)[\s\S]*?(?=<\/script>)/g;

/** `html` with the style of all pages, its scripts and styles minified: the page is half as large. */
export function pageSource(html: string): string {
  return html
    .replace("/*page.css*/", () => css)
    .replace(SCRIPT, minifiedScript)
    .replace(/(?<=<style>)[^<]+/g, minifiedStyle)
    .replace(/\n\s*/g, "\n");
}

/** In ASCII: a wider character would make the whole page twice as large in memory. */
function minifiedScript(script: string): string {
  const escaped = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
  return MINIFIER.transformSync(script)
    .trim()
    .replace(/[^\0-\x7f]/g, escaped);
}

function minifiedStyle(style: string): string {
  return style
    .replace(/\/\*[\s\S]*?\*\//g, "")
    .replace(/\n\s*|(?<=[:,]) | (?=\{)/g, "")
    .replace(/="([a-z]+)"/gi, "=$1")
    .replace(/(?<=[ (:-])0(?=\.\d)/g, "")
    .replaceAll(";}", "}");
}
