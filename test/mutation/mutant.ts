/**
 * What a planted bug is, the nets that must notice one, and how it is planted.
 *
 * `find` stands in `file` exactly once, which mutants.test.ts keeps true; the changed text is put in its place when the
 * file is loaded (preload.ts, vitest.config.ts). The product has no switch for any of this. `by` is who must notice,
 * and within how much.
 */

export interface Mutant {
  /** What is wrong, in words; also its name on the command line. */
  readonly name: string;
  readonly file: string;
  readonly find: string;
  readonly replace: string;
  readonly by: Net;
}

/**
 * `seeds`: a seed of the simulator that breaks a promise, among so many of the scenario. `verdict`: a check over
 * so many seeds that fails. `law`: a test file.
 */
export type Net =
  | { readonly kind: "seeds"; readonly scenario: string; readonly seeds: number }
  | { readonly kind: "verdict"; readonly scenario: string; readonly seeds: number }
  | { readonly kind: "law"; readonly test: string };

/** Faults of all kinds at random. */
export const HARSH = { kind: "seeds", scenario: "harsh", seeds: 80 } as const satisfies Net;
/** One node is cut off for longer than its sessions last. */
export const CUT_OFF = { kind: "seeds", scenario: "cut-off", seeds: 12 } as const satisfies Net;
/** Nodes restart one after the other, and nobody inside may notice. */
export const RESTARTS = { kind: "verdict", scenario: "restarts", seeds: 3 } as const satisfies Net;
/** One of two nodes is started from an old copy of its disk. */
export const OLD_DISKS = { kind: "seeds", scenario: "old-disks", seeds: 24 } as const satisfies Net;
/** Sessions are ended while a gate cannot hear of it. */
export const LATE_REVOKES = { kind: "seeds", scenario: "late-revokes", seeds: 4 } as const satisfies Net;
/** Rooms with lanes, invitations and proofs of work; without faults, and with a cut. */
export const DOORS = { kind: "seeds", scenario: "doors", seeds: 2 } as const satisfies Net;
export const DOORS_CUT = { kind: "seeds", scenario: "doors-cut", seeds: 4 } as const satisfies Net;
export const DOORS_VERDICT = { kind: "verdict", scenario: "doors", seeds: 2 } as const satisfies Net;
/** A site and its rooms; one of three nodes is cut off. */
export const SITE_CUT = { kind: "seeds", scenario: "site-cut", seeds: 4 } as const satisfies Net;
export const MEMBERS: Net = law("law/members");
export const PLEDGES_MODEL: Net = law("model/pledges");
/** Schedules of removed nodes that return. */
export const TESTIMONY: Net = law("model/testimony");

export function law(name: string): Net {
  return { kind: "law", test: `test/${name}.test.ts` };
}

/** The text of a mutant's file with the change; throws if the place is not there exactly once. */
export function mutated({ name, file, find, replace }: Mutant, text: string): string {
  const parts = text.split(find);
  const [before, after] = parts;
  if (parts.length !== 2 || before === undefined || after === undefined)
    throw new Error(
      `Cannot plant "${name}" as its text must be in ${file} exactly once: current value is ${parts.length - 1} times`,
    );
  return before + replace + after;
}
