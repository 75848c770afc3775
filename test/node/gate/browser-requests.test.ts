/**
 * What browsers send for each way of loading something, as read off Chromium and Firefox ESR over http and https, from
 * a page of the shop itself and from one of another site: which of it may take a slot or a place.
 */

import { describe, expect, test } from "vitest";
import type { Room } from "../../../node/config/room.ts";
import { requestKind } from "../../../node/gate/request-kind.ts";
import { FakeExchange } from "./fake-exchange.ts";

const room = { jsonResponseEnabled: true, page: { logo: "", hero: "", font: "" } } as Room;
const DOCUMENT = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";

/** What is loaded: Accept, Sec-Fetch-Mode, Sec-Fetch-Dest; and who may take a place by it. */
const LOADS = {
  link: { accept: DOCUMENT, mode: "navigate", dest: "document" },
  "link through a service worker": { accept: DOCUMENT, mode: "navigate", dest: "empty" },
  "link that a service worker changes": { accept: DOCUMENT, mode: "same-origin", dest: "empty", upgrades: true },
  iframe: { accept: DOCUMENT, mode: "navigate", dest: "iframe" },
  object: { accept: DOCUMENT, mode: "navigate", dest: "object" },
  embed: { accept: DOCUMENT, mode: "navigate", dest: "embed" },
  image: {
    accept: "image/avif,image/webp,image/png,image/svg+xml,image/*;q=0.8,*/*;q=0.5",
    mode: "no-cors",
    dest: "image",
  },
  script: { accept: "*/*", mode: "no-cors", dest: "script" },
  style: { accept: "text/css,*/*;q=0.1", mode: "no-cors", dest: "style" },
  video: { accept: "video/webm,video/ogg,video/*;q=0.9,*/*;q=0.5", mode: "no-cors", dest: "video" },
  "fetch without CORS for JSON": { accept: "application/json", mode: "no-cors", dest: "empty" },
  "fetch with CORS for JSON": { accept: "application/json", mode: "cors", dest: "empty" },
  "fetch without CORS for a page": { accept: "text/html", mode: "no-cors", dest: "empty" },
  "fetch for a part of a page": { accept: "text/html", mode: "same-origin", dest: "empty" },
  "fetch for anything": { accept: "*/*", mode: "cors", dest: "empty" },
} as const;
type Load = keyof typeof LOADS;

const JSON_FETCHES: readonly Load[] = ["fetch without CORS for JSON", "fetch with CORS for JSON"];
const PAGE_FETCHES: readonly Load[] = ["fetch without CORS for a page", "fetch for a part of a page"];
const LINKS: readonly Load[] = ["link", "link through a service worker", "link that a service worker changes"];
const FRAMES: readonly Load[] = ["iframe", "object", "embed"];

/** By where the page is: over TLS, what may take a place. */
const OVER_TLS: Readonly<Record<string, readonly Load[]>> = {
  "same-origin": [...LINKS, ...FRAMES, ...JSON_FETCHES],
  "same-site": [...LINKS, ...JSON_FETCHES],
  "cross-site": LINKS,
  none: [...LINKS, ...JSON_FETCHES],
};

/** Over plain http frames look like links, and a fetch for a page like a program's. */
const OVER_HTTP: Readonly<Record<string, readonly Load[]>> = {
  "http://shop.example/page": [...LINKS, ...FRAMES, ...JSON_FETCHES, ...PAGE_FETCHES],
  "http://www.shop.example/page": [...LINKS, ...FRAMES, ...JSON_FETCHES, ...PAGE_FETCHES],
  "http://evil.example/": [...LINKS, ...FRAMES, ...PAGE_FETCHES],
};

describe.each(Object.entries(OVER_TLS))("over TLS, %s:", (site, taken) => {
  test.each(Object.keys(LOADS) as Load[])("%s", (load) => {
    const { accept, mode, dest, ...more } = LOADS[load];
    const headers = {
      Accept: accept,
      "Sec-Fetch-Site": site,
      "Sec-Fetch-Mode": mode,
      "Sec-Fetch-Dest": dest,
      ...("upgrades" in more && { "Upgrade-Insecure-Requests": "1" }),
    };
    expect(takesPlace(headers)).toBe(taken.includes(load));
    // A browser that says that it sends no cookies would be a new visitor each time.
    for (const none of ["none", "inactive"]) {
      expect(takesPlace({ ...headers, "Sec-Fetch-Storage-Access": none })).toBe(false);
    }
  });
});

describe.each(Object.entries(OVER_HTTP))("over http, from %s:", (page, taken) => {
  test.each(Object.keys(LOADS) as Load[])("%s", (load) => {
    expect(takesPlace({ Accept: LOADS[load].accept, Referer: page })).toBe(taken.includes(load));
  });
});

describe("a request for JSON over http", () => {
  const takes = (fields: Record<string, string>, host = "shop.example") =>
    requestKind(new FakeExchange({ host, headers: { Accept: "application/json", ...fields } }), room).takesPlace;

  test.each([
    ["says nothing of a page (an app)", {}, true],
    ["is of the same origin", { Origin: "http://shop.example" }, true],
    ["is of another port of the host", { Origin: "http://shop.example:8080" }, true],
    ["is of a host of the same site", { Origin: "https://www.shop.example" }, true],
    ["is of another site", { Origin: "http://evil.example" }, false],
    [
      "is of another site, though its Referer is not",
      { Origin: "http://evil.example", Referer: "http://shop.example/" },
      false,
    ],
    ["is of a site that begins like ours", { Origin: "http://shop.example.evil.test" }, false],
    ["is of a site that ends like ours", { Origin: "http://evilshop.example" }, false],
    ["is of a page that hides its name", { Origin: "null" }, false],
    ["has an Origin that is no URL", { Origin: "shop.example" }, false],
  ] as const)("that %s", (_, fields, isTaken) => {
    expect(takes(fields)).toBe(isTaken);
  });

  test("of a neighbour under a public suffix is of another site", () => {
    expect(takes({ Origin: "http://evil.github.io" }, "shop.github.io")).toBe(false);
    expect(takes({ Origin: "http://evil.co.uk" }, "shop.co.uk")).toBe(false);
    expect(takes({ Origin: "http://127.0.0.2" }, "127.0.0.1")).toBe(false);
    expect(takes({ Origin: "http://127.0.0.1:3000" }, "127.0.0.1")).toBe(true);
  });
});

/** Forms of other sites are in gate-forms.test.ts, those of programs in gate-places.test.ts. */
test.each([
  ["of the same site over TLS", { "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Site": "same-site" }, true],
  ["of the same origin over http", { Origin: "http://shop.example" }, true],
  ["that a script sends", { "Sec-Fetch-Mode": "cors", "Sec-Fetch-Site": "same-origin" }, false],
] as const)("a form %s", (_, fields, isTaken) => {
  const form = new FakeExchange({ method: "POST", headers: { Accept: DOCUMENT, ...fields } });
  expect(requestKind(form, room)).toMatchObject({ takesPlace: isTaken, isForeignForm: false });
});

function takesPlace(headers: Readonly<Record<string, string>>): boolean {
  return requestKind(new FakeExchange({ headers }), room).takesPlace;
}
