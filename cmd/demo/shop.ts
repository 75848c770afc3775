/**
 * The demo's origin: a small shop that counts its own visitors.
 *
 * It knows nothing about the gate. A visitor is identified by the `visitor` cookie that the shop set, or by
 * `X-Demo-Visitor` (synthetic visitors); without either it is a new one. Only visits to pages count: the style and the
 * drawings are also fetched by browsers that were never shown a page. The cart lives in its cookie, so a visitor costs
 * the shop one entry in the head count and nothing else.
 */

import { HeadCount } from "./head-count.ts";
import drawings from "./products.svg" with { type: "text" };
import css from "./shop.css" with { type: "text" };
import { type Around, cartPage, frontPage, missingPage, productPage, sells } from "./shop-pages.ts";

export interface ShopOptions {
  readonly hostname: string;
  /** 0 for any free port. */
  readonly port: number;
  /** How long after its last request a visitor counts as inside. */
  readonly sessionMs: number;
}

export interface Shop {
  /** Base URL, without a slash at the end. */
  readonly url: string;
  readonly count: HeadCount;
  stop(): Promise<void>;
}

/** Most pieces in a cart: its cookie stays under 200 bytes. */
const CART_MAX = 20;

/** The address at which an open page reports that its visitor is still there. */
const STAY_PATH = "/stay";

/** Shape of a visitor's name; anything else is not ours. */
const VISITOR = /^[\w.-]{1,64}$/;

/** Opens the shop. */
export function startShop({ hostname, port, sessionMs }: ShopOptions): Shop {
  const count = new HeadCount(sessionMs);
  const server = Bun.serve({
    hostname,
    port,
    development: false,
    fetch: (request) => answer(request, { count, sessionMs }),
  });
  return { url: `http://${hostname}:${server.port}`, count, stop: () => server.stop(true) };
}

interface State {
  readonly count: HeadCount;
  readonly sessionMs: number;
}

async function answer(request: Request, { count, sessionMs }: State): Promise<Response> {
  const path = new URL(request.url).pathname;
  if (path === "/shop.css") return asset(css, "text/css; charset=utf-8");
  if (path === "/products.svg") return asset(drawings, "image/svg+xml");

  const cookies = cookiesOf(request);
  const known = request.headers.get("x-demo-visitor") ?? cookies.get("visitor");
  const visitor = known !== undefined && VISITOR.test(known) ? known : crypto.randomUUID();
  const nowMs = Date.now();
  const seen = (who: string): void => count.seen(who, nowMs, delayMs(request, nowMs));
  if (path === STAY_PATH) {
    if (visitor === known) seen(visitor);
    return new Response(null, { status: 204 });
  }
  const counted = isVisit(request) && isPage(path);
  if (counted) seen(visitor);
  const cart = (cookies.get("cart") ?? "").split(".").filter(sells);
  const around = { inside: count.inside(nowMs), cart, sessionMs };

  const response =
    path === "/cart" && request.method === "POST" ? await addToCart(request, around) : page(path, around);
  if (counted && visitor !== known) response.headers.append("Set-Cookie", setCookie("visitor", visitor));
  return response;
}

/** How long a synthetic visitor's request was on its way; a browser does not say. */
function delayMs({ headers }: Request, nowMs: number): number {
  const sentMs = Number(headers.get("x-demo-sent") ?? nowMs);
  return sentMs > 0 ? Math.max(0, nowMs - sentMs) : 0;
}

/**
 * Whether a person asked for this: browsers also send requests ahead of their visitor (prefetch) and beside pages
 * (icons).
 */
function isVisit({ method, headers }: Request): boolean {
  const mode = headers.get("sec-fetch-mode") ?? "navigate";
  return (method === "GET" || method === "POST") && mode === "navigate" && !headers.has("sec-purpose");
}

function isPage(path: string): boolean {
  return path === "/" || path === "/cart" || sells(productIn(path));
}

function page(path: string, around: Around): Response {
  if (path === "/") return html(200, frontPage(around));
  if (path === "/cart") return html(200, cartPage(around));
  const product = productPage(productIn(path), around);
  return product === undefined ? html(404, missingPage(around)) : html(200, product);
}

function productIn(path: string): string {
  return path.startsWith("/product/") ? path.slice("/product/".length) : "";
}

async function addToCart(request: Request, { cart }: Around): Promise<Response> {
  const product = new URLSearchParams(await request.text()).get("product") ?? "";
  const pieces = sells(product) ? [...cart, product].slice(-CART_MAX) : cart;
  return new Response(null, {
    status: 303,
    headers: { Location: "/cart", "Set-Cookie": setCookie("cart", pieces.join(".")) },
  });
}

function html(status: number, body: string): Response {
  return new Response(body, {
    status,
    headers: { "Content-Type": "text/html; charset=utf-8", "Cache-Control": "private, no-cache" },
  });
}

function asset(body: string, contentType: string): Response {
  return new Response(body, { headers: { "Content-Type": contentType, "Cache-Control": "public, max-age=3600" } });
}

function setCookie(name: string, value: string): string {
  return `${name}=${value}; Path=/; HttpOnly; SameSite=Lax`;
}

function cookiesOf(request: Request): ReadonlyMap<string, string> {
  const pairs = (request.headers.get("cookie") ?? "").split(/; */);
  return new Map(pairs.map((pair) => [pair.split("=", 1)[0] ?? "", pair.slice(pair.indexOf("=") + 1)]));
}
