/** What the lock file pins: all that any platform installs, by its digest. */

import { expect, test } from "vitest";
import lock from "../../package-lock.json" with { type: "json" };

interface Locked {
  readonly version?: string;
  readonly integrity?: string;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

const PACKAGES: ReadonlyMap<string, Locked> = new Map(Object.entries(lock.packages));

test("each package has its digest, and those of other platforms are there too", () => {
  const installed = [...PACKAGES].filter(([path]) => path !== "");
  expect(installed.filter(([, { integrity = "" }]) => !integrity.startsWith("sha512-"))).toEqual([]);
  const optional = [...PACKAGES.values()].flatMap(({ optionalDependencies = {} }) => Object.keys(optionalDependencies));
  expect(optional.length).toBeGreaterThan(0);
  expect(optional.filter((name) => !PACKAGES.has(`node_modules/${name}`))).toEqual([]);
});
