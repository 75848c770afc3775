/** Which minutes of which nodes are not here. */

import type { Minute, NodeId } from "../../mesh/core/ids.ts";
import type { Source } from "./minute-record.ts";

/** Minutes of a node that are not here. */
export interface Gap {
  readonly node: NodeId;
  readonly from: Minute;
  /** Exclusive. */
  readonly to: Minute;
  /** Whether nobody can have them any more, as far as is known. */
  readonly isLost: boolean;
}

export interface Span {
  readonly from: Minute;
  /** Exclusive. */
  readonly to: Minute;
}

/**
 * The gaps of a span, in order. `running`: nodes that may be counting now. A member from which nothing was ever heard
 * lacks all of it.
 */
export function gapsIn(sources: Iterable<Source>, running: ReadonlySet<NodeId>, span: Span): readonly Gap[] {
  const byNode = Map.groupBy(sources, ({ node }) => node);
  const silent = [...running].filter((node) => !byNode.has(node)).map((node) => ({ node, ...span, isLost: false }));
  const gaps = [...byNode].flatMap(([node, runs]) => gapsOf(runs, running.has(node) ? span.to : undefined));
  return [...gaps, ...silent]
    .map(({ from, to, ...gap }) => ({
      ...gap,
      from: Math.max(from, span.from) as Minute,
      to: Math.min(to, span.to) as Minute,
    }))
    .filter(({ from, to }) => from < to)
    .sort((one, other) => one.from - other.from || (one.node < other.node ? -1 : 1));
}

/** `to`: up to which minute its last run counts; undefined for a node that runs no more, as far as is known. */
function gapsOf(runs: readonly Source[], to: Minute | undefined): readonly Gap[] {
  const sorted = runs.toSorted((one, other) => one.run - other.run);
  return sorted.flatMap(({ node, until, end }, at) => {
    if (end === "stopped") return [];
    const oneMinute = (until + 1) as Minute;
    if (end === "crashed") return [{ node, from: until, to: oneMinute, isLost: true }];
    // The next run says in what minute it began: until then this one may have counted.
    const next = sorted[at + 1]?.since;
    const isLost = to === undefined;
    return [
      { node, from: until, to: (next === undefined ? to : Math.max(next, oneMinute)) ?? oneMinute, isLost } as Gap,
    ];
  });
}
