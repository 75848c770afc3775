import fc from "fast-check";
import { expect, test } from "vitest";
import { type Site, Sites } from "../../../../node/admission/mesh/sites.ts";
import { M, siteOf } from "./fake-room-node.ts";

const locality = fc.constantFrom("x", "y", "z");
const site = fc
  .record({
    free: fc.record({ active: fc.nat(9), arrivals: fc.nat(9) }),
    seen: fc.nat(9),
    waiting: fc.constantFrom([], [[M, 2] as const]),
  })
  .map(siteOf);

test("sums are those of what was last said of each locality", () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(locality, fc.option(site, { nil: undefined }))), (said) => {
      const sites = new Sites();
      for (const [of, what] of said) sites.set(of, what);
      const last = [...new Map(said)].flatMap(([of, what]): [string, Site][] =>
        what === undefined ? [] : [[of, what]],
      );
      const sum = (of: (site: Site) => number) => last.reduce((total, [, what]) => total + of(what), 0);
      expect(sites.size).toBe(last.length);
      expect(sites.free).toEqual({
        active: sum(({ free }) => free.active),
        arrivals: sum(({ free }) => free.arrivals),
      });
      expect(sites.seen).toBe(sum(({ seen }) => seen));
      expect(new Set(sites.lines.keys())).toEqual(
        new Set(last.flatMap(([of, { waiting }]) => (waiting.length > 0 ? of : []))),
      );
    }),
  );
});
