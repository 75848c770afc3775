/**
 * Wire versions: which ones this release understands, and which one a view speaks.
 *
 * A release understands the version before its newest one too, so that nodes are upgraded one at a time. All members of
 * a view speak one version, which is part of the view and never decreases: the first nodes of a new release speak the
 * old version, and once every member understands the new one, a view that says so is decided like any other
 * (`wire-agreement.ts`). What a later version changes about votes, fences, leases, gifts or held slots depends on the
 * view's version, so that no two members follow different rules.
 */

/** The newest version that this release understands. */
export const WIRE_VERSION = 1;

/** The version of views that do not name one. */
export const WIRE_VERSION_FIRST = 1;

/** Oldest and newest version. */
export type WireRange = readonly [oldest: number, newest: number];

/** What this release understands: the newest version and the one before. */
export const WIRES: WireRange = [Math.max(WIRE_VERSION - 1, WIRE_VERSION_FIRST), WIRE_VERSION];

export function isWithin(wire: number, [oldest, newest]: WireRange): boolean {
  return wire >= oldest && wire <= newest;
}

/**
 * The version that the members of `view` speak; without a view the oldest version understood, which most other nodes
 * understand too.
 */
export function wireOf(view: { readonly wire?: number | undefined } | undefined, [oldest]: WireRange): number {
  return view === undefined ? oldest : (view.wire ?? WIRE_VERSION_FIRST);
}

export function rangeText([oldest, newest]: WireRange): string {
  return oldest === newest ? `${oldest} only` : `${oldest} to ${newest}`;
}
