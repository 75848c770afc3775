/**
 * No way of writing a path leads past a room, whatever origin reads it; the origins are models here
 * (`test/e2e/paths.test.ts` has real ones).
 */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { CONTESTED, type Routed, RouteTable } from "../../../node/rooms/match.ts";
import { hostilePaths, KNOWN_BYPASSES } from "./hostile-paths.ts";
import { ORIGIN_READINGS } from "./origin-readings.ts";

const TABLES: Readonly<Record<string, readonly Routed<string>[]>> = {
  "one room on a path": [{ host: "*", path: "/shop", value: "shop" }],
  "a strict room in a loose one": [
    { host: "*", path: "/shop", value: "shop" },
    { host: "*", path: "/shop/vip", value: "vip" },
  ],
  "a loose room in a strict one": [
    { host: "*", path: "/", value: "site" },
    { host: "*", path: "/static", value: "static" },
  ],
  "two rooms beside each other, and one between": [
    { host: "*", path: "/shop", value: "shop" },
    { host: "*", path: "/static", value: "static" },
    { host: "*", path: "/x/shop", value: "other" },
  ],
};

const RUNS = 600;

describe.each(Object.entries(TABLES))("%s", (_, routes) => {
  const table = new RouteTable(routes);

  test.each(ORIGIN_READINGS.map((reading) => [reading.name, reading] as const))("read as by %s", (_name, reading) => {
    const holds = (path: string): void => {
      // What follows a question mark is a query to every server.
      const served = reading.read(path.replace(/\?.*/s, ""));
      const room = roomAt(routes, served, reading.ignoresCase);
      if (room !== undefined) expect([room, CONTESTED]).toContain(table.find("h", path));
    };
    for (const path of KNOWN_BYPASSES) holds(path);
    fc.assert(fc.property(hostilePaths, holds), { numRuns: RUNS });
  });
});

/** The room of what the origin serves at `path`: the longest route that it begins with. */
function roomAt(routes: readonly Routed<string>[], path: string | undefined, ignoresCase: boolean): string | undefined {
  if (path === undefined) return undefined;
  const served = ignoresCase ? path.toLowerCase() : path;
  return [...routes]
    .sort((one, other) => other.path.length - one.path.length)
    .find((route) => route.path === "/" || served === route.path || served.startsWith(`${route.path}/`))?.value;
}
