/**
 * What a request is, as far as the line is concerned.
 *
 * Slots and places go to requests that navigate the top page, by GET or by a form that is sent, and, in rooms that
 * answer in JSON, to requests for JSON from pages of the same site and from programs. HEAD, OPTIONS, prefetches, assets
 * and frames of other sites take neither: one page would count dozens of times, and any page on the web could make its
 * visitors' browsers take slots. A navigation is what Fetch Metadata calls one. Where a browser sends no such fields
 * (over plain HTTP), it is a request that accepts `text/html`. A program that does not say what it accepts, such as the
 * health check of a load balancer, is no visitor. Nor is who reads the rules for robots, or proves to own the host.
 */

import type { Room } from "../config/room.ts";
import { isSameSite } from "../config/site-of-host.ts";
import { accepts } from "../http/fields.ts";
import type { Exchange } from "../http/message.ts";
import { marksIn, passInQuery } from "./marked-target.ts";
import { isPreflight } from "./preflight.ts";

export interface RequestKind {
  /** Whether the request may take a slot or a place in line. */
  readonly takesPlace: boolean;
  /** A waiting page asking for its own place; never passed to the origin. */
  readonly isPagePoll: boolean;
  /** Whether a waiting answer is to be JSON. */
  readonly wantsJson: boolean;
  /** A browser's question before a cross-origin request: it never carries a cookie, also not of a visitor inside. */
  readonly isPreflight: boolean;
  /** Whether the browser was given a cookie of ours before: a waiting page polls. */
  readonly asksAgain: boolean;
  /** Whether the visitor gives up the place in line, by the button of our page. */
  readonly leaves: boolean;
  /** Whether a page asks the visitor first. */
  readonly asksToLeave: boolean;
  /** Whether the visitor is to choose a language. */
  readonly asksLanguage: boolean;
  /** Whether the page that asks has shown a place before. */
  readonly hadPlace: boolean;
  /** Whether the visitor may go on without the pass that the gate keeps: another site's link must not do that. */
  readonly mayGiveUpPass: boolean;
  /** Whether there may be a pass in the link, in a field, or in a cookie: most visitors have none. */
  readonly mayShowPass: boolean;
  /** Whether the visitor uses an invitation by the button of our page. */
  readonly usesInvitation: boolean;
  /** Whether the visitor has given up a place, and looks at the page that says so. */
  readonly hasLeft: boolean;
  /** The site's icon, or a file of the room's brand, which are part of every waiting page; or a file for programs. */
  readonly isEmblem: boolean;
  /** The visitor leaves an address at which to be told of the turn. */
  readonly leavesContact: boolean;
  /** Whether the one that was left before could not be read. */
  readonly contactUnclear: boolean;
  /** Whether a form was sent; it is lost unless its visitor is admitted at once. */
  readonly isPosted: boolean;
  /**
   * A form that another site's page sends: its browser may leave our cookie out, so that its visitor is not recognised.
   */
  readonly isForeignForm: boolean;
  /** Whether our page has sent another site's form again. */
  readonly isResent: boolean;
  /**
   * A program that changes something, such as a bank's notice of a payment: it does not say where it comes from, as
   * browsers do. Some programs say `Sec-Fetch-Mode` (fetch of Node.js).
   */
  readonly isServerCall: boolean;
  /** The proof of work that came with the request. */
  readonly proof: string | undefined;
  /** The snippet of the fast lane that the proxy in front has. */
  readonly snippet: string | undefined;
}

/** The field by which the waiting page marks its polls. */
export const POLL_FIELD = "anteroom-poll";

/** Where browsers look for a site's icon. */
export const ICON_TARGET = "/favicon.ico";

/** The field in which a client sends its proof of work. */
export const PROOF_FIELD = "anteroom-proof";

/** The field by which a program shows a pass. */
export const PASS_FIELD = "anteroom-pass";

/** In the name of each cookie that keeps a pass, and of no other cookie of ours. */
export const PASS_COOKIE = ".pass_";

/** The field in which a proxy in front says which snippet of the fast lane it has. */
export const LANE_FIELD = "anteroom-lane";

/**
 * A service worker passes on what its page loads: then the browser no longer says that it is a document. A worker that
 * changes the request, such as how it is cached, can only do it in this mode (https://fetch.spec.whatwg.org/#dom-request).
 * The page's own request for a part of itself may have the same mode; only a document's upgrades insecure requests.
 */
const FROM_WORKER = "empty";
const RENEWED = "same-origin";

/** Methods by which an app asks for JSON. */
const APP_METHODS = new Set(["GET", "POST", "PUT", "PATCH", "DELETE"]);

/** Methods that change something, so that a lost request matters. Browsers send `Origin` with each of them. */
const CHANGING = new Set(["POST", "PUT", "PATCH", "DELETE"]);

export function requestKind(exchange: Exchange, room: Room): RequestKind {
  const { method, host, target } = exchange.request;
  const marks = marksIn(target);
  const fields = readFields(exchange);
  const { accept, fetchMode, fetchDest, storageAccess, isPrefetch, isDocument } = fields;
  const isPagePoll = fields.isPoll && method === "GET";
  const wantsJson =
    isPagePoll || (room.jsonResponseEnabled && accept !== undefined && accepts(accept, "application/json"));
  const isForm = method === "POST";
  const isPage = accept !== undefined && accepts(accept, "text/html");
  const isLoaded = fetchMode === undefined ? isPage : fetchMode === "navigate";
  const isRenewed = fetchMode === RENEWED && isPage && isDocument;
  const navigates = (method === "GET" || isForm) && (isLoaded || isRenewed);
  const asksForJson = wantsJson && APP_METHODS.has(method);
  const byLeave = method === "POST" && marks.includes("leave");
  const byNotify = method === "POST" && marks.includes("notify");
  const site = navigates || asksForJson || byLeave || byNotify ? siteOf(fields, host) : "none";
  const isFrame = fetchDest !== undefined && fetchDest !== "document" && fetchDest !== FROM_WORKER;
  const isForeignForm = navigates && isForm && site === "cross-site";
  // What another site's form asks for must not count as asked by our page.
  const resent = isForm && marks.includes("resent");
  const isOurs = isFrame ? site === "same-origin" : !isForeignForm;
  // A frame of another site's page may load ours, but then it has no cookies: each of its requests would be a new
  // visitor.
  const hasCookies = storageAccess === undefined || storageAccess === "active";
  const isFile = isFileForPrograms(target);
  const mayTake = !exchange.webSocket && !isPrefetch && hasCookies && !isFile;
  const takesPlace = mayTake && ((navigates && isOurs) || (asksForJson && site !== "cross-site"));
  // Only our own page has the button: no other host of the site may press it.
  const isPressed = !resent && (site === "same-origin" || (site === "none" && !isFrame));
  const leaves = byLeave && isPressed;
  const usesInvitation = takesPlace && isForm && !resent && site !== "cross-site" && marks.includes("invited");
  return {
    takesPlace,
    isPagePoll,
    wantsJson,
    isPreflight: method === "OPTIONS" && isPreflight(exchange),
    asksAgain: isPagePoll || marks.includes("again"),
    leaves,
    asksToLeave: leaves && navigates && !marks.includes("sure"),
    leavesContact: byNotify && isPressed && room.notify !== undefined,
    contactUnclear: marks.includes("unclear"),
    asksLanguage: navigates && !isForm && !isPagePoll && marks.includes("languages"),
    hadPlace: marks.includes("placed"),
    usesInvitation,
    mayShowPass: fields.mayShowPass || passInQuery(target) !== undefined,
    mayGiveUpPass: takesPlace && !resent && site !== "cross-site",
    hasLeft: method === "GET" && !isPagePoll && marks.includes("left"),
    isEmblem: (method === "GET" && isEmblem(exchange, room)) || ((method === "GET" || method === "HEAD") && isFile),
    isPosted: (navigates && isForm && !usesInvitation) || marks.includes("posted"),
    isForeignForm,
    isResent: resent,
    isServerCall: CHANGING.has(method) && fields.fetchSite === undefined && fields.origin === undefined,
    proof: fields.proof,
    snippet: fields.snippet,
  };
}

/**
 * Whether the address is that of the rules for robots (RFC 9309), or of a well-known file (RFC 8615): certificates are
 * renewed by these. Only the plain way of writing it counts, which no server reads as another path.
 */
function isFileForPrograms(target: string): boolean {
  const [path = ""] = target.split("?", 1);
  if (path === "/robots.txt") return true;
  if (!path.startsWith(WELL_KNOWN)) return false;
  return path
    .slice(WELL_KNOWN.length)
    .split("/")
    .every((segment) => PLAIN_SEGMENT.test(segment));
}

const WELL_KNOWN = "/.well-known/";
const PLAIN_SEGMENT = /^[\w~-][\w.~-]*$/;

/** Whether the address is the site's icon, or logo, hero image or font of the room's page. */
function isEmblem({ request }: Exchange, { page: { logo, hero, font } }: Room): boolean {
  return request.target === ICON_TARGET || isAt(logo, request) || isAt(hero, request) || isAt(font, request);
}

function isAt(address: string, { host, target }: Exchange["request"]): boolean {
  if (address === "" || !address.endsWith(target)) return false;
  const url = URL.parse(address);
  return url !== null && url.hostname === host && url.pathname + url.search === target;
}

interface KindFields {
  accept: string | undefined;
  fetchMode: string | undefined;
  fetchDest: string | undefined;
  fetchSite: string | undefined;
  storageAccess: string | undefined;
  origin: string | undefined;
  referer: string | undefined;
  isPoll: boolean;
  proof: string | undefined;
  snippet: string | undefined;
  isPrefetch: boolean;
  isDocument: boolean;
  mayShowPass: boolean;
}

function readFields({ request: { headers } }: Exchange): KindFields {
  const found: KindFields = {
    accept: undefined,
    fetchMode: undefined,
    fetchDest: undefined,
    fetchSite: undefined,
    storageAccess: undefined,
    origin: undefined,
    referer: undefined,
    isPoll: false,
    proof: undefined,
    snippet: undefined,
    isPrefetch: false,
    isDocument: false,
    mayShowPass: false,
  };
  for (let at = 0; at < headers.length; at += 2) {
    const value = headers[at + 1] ?? "";
    switch ((headers[at] ?? "").toLowerCase()) {
      case "accept":
        found.accept = found.accept === undefined ? value : `${found.accept},${value}`;
        break;
      case "sec-fetch-mode":
        found.fetchMode = value;
        break;
      case "sec-fetch-dest":
        found.fetchDest = value;
        break;
      case "sec-fetch-site":
        found.fetchSite = value;
        break;
      case "sec-fetch-storage-access":
        found.storageAccess = value;
        break;
      case "origin":
        found.origin = value;
        break;
      case "referer":
        found.referer = value;
        break;
      case "upgrade-insecure-requests":
        found.isDocument = value === "1";
        break;
      case "sec-purpose":
      case "purpose":
      case "x-moz":
        found.isPrefetch ||= /prefetch|prerender/i.test(value);
        break;
      case POLL_FIELD:
        found.isPoll = true;
        break;
      case PROOF_FIELD:
        found.proof = value;
        break;
      case PASS_FIELD:
        found.mayShowPass = true;
        break;
      case "cookie":
        found.mayShowPass ||= value.includes(PASS_COOKIE);
        break;
      case LANE_FIELD:
        found.snippet = value;
    }
  }
  return found;
}

/** The values of Fetch Metadata; `none`: the visitor, not a page, caused the request. */
type Site = "none" | "same-origin" | "same-site" | "cross-site";

/** The fields that say it; undefined where they are not sent. */
interface SourceFields {
  readonly fetchSite: string | undefined;
  readonly origin: string | undefined;
  readonly referer: string | undefined;
}

/**
 * The site that caused a request to `host`, according to its browser. A field that cannot be read, and a page that
 * hides its name, count as another site.
 *
 * Over TLS all current browsers say so (Fetch Metadata, https://www.w3.org/TR/fetch-metadata/). Over plain HTTP they
 * send none of these fields: there `Origin` and `Referer` name the page, unless it forbade that. Doubt counts for the
 * visitor: a request without any of these fields comes from no other site's page.
 */
function siteOf({ fetchSite, origin, referer }: SourceFields, host: string): Site {
  if (fetchSite !== undefined) return SITES.find((site) => site === fetchSite) ?? "cross-site";
  const page = origin ?? referer;
  if (page === undefined) return "none";
  // `null` is the origin of sandboxed frames and of pages from other sites' redirects.
  const from = URL.parse(page)?.hostname ?? "";
  if (from === host) return "same-origin";
  return isSameSite(from, host) ? "same-site" : "cross-site";
}

const SITES: readonly Site[] = ["none", "same-origin", "same-site"];
