import { describe, expect, test } from "vitest";
import type { Minute, NodeId } from "../../../mesh/core/ids.ts";
import { countsOf, FIELDS, type Field, HELD_REASONS } from "../../../node/history/minute-record.ts";
import { Points, type Row } from "../../../node/history/points.ts";
import { percentilesOf, waitClassOf } from "../../../node/history/wait-classes.ts";

const [MINUTE, NOW] = [1_000 as Minute, 2_000 as Minute];
const NONE = Object.fromEntries(FIELDS.map((field) => [field, 0])) as Record<Field, number>;

function row(node: string, minute: number, numbers: Partial<Record<Field, number>>, more: Partial<Row> = {}): Row {
  const source = { node: node as NodeId, locality: node.slice(0, 2) };
  return { source, minute: minute as Minute, counts: countsOf({ ...NONE, ...numbers }), waits: [], held: [], ...more };
}

function pointsOf(rows: readonly Row[], steps = { from: MINUTE, to: (MINUTE + 4) as Minute, step: 2, now: NOW }) {
  const points = new Points(steps);
  for (const each of rows) points.add(each);
  return { points: [...points.finish(undefined)].map(([, figures]) => figures), totals: points.totals };
}

describe("points", () => {
  test("what happened adds up over minutes and nodes; what was is averaged, and its highest minute is told", () => {
    const { points, totals } = pointsOf([
      row("eu1", MINUTE, { samples: 60, inside: 600, waiting: 0, limit: 30, admitted: 7, abandoned: 1 }),
      row("us1", MINUTE, { samples: 30, inside: 600, waiting: 30, limit: 30, admitted: 3 }),
      row("eu1", MINUTE + 1, { samples: 60, inside: 120, limit: 40, admitted: 1 }),
    ]);
    expect(points[0]).toMatchObject({
      ...{ inside: 16, inside_max: 30, limit: 40, admitted: 11, waiting: 0.5, waiting_max: 1, abandoned: 1 },
      localities: { eu: { admitted: 8, inside: 6, waiting: 0 }, us: { admitted: 3, inside: 10, waiting: 0.5 } },
    });
    expect(points[1]).toMatchObject({ inside: 0, limit: 40, admitted: 0, waited_seconds: null, held_back: {} });
    expect(totals).toMatchObject({ inside: 8, inside_max: 30, limit: 40, admitted: 11 });
  });

  test("a minute with more inside than its limit counts, also in a step with a higher limit", () => {
    const { points, totals } = pointsOf([
      row("eu1", MINUTE, { samples: 1, inside: 30, limit: 60 }),
      row("us1", MINUTE, { samples: 1, inside: 30, limit: 50 }),
      row("eu1", MINUTE + 1, { samples: 2, inside: 60, limit: 50 }),
      row("us1", MINUTE + 1, { samples: 2, inside: 50, limit: 50 }),
      row("us1", MINUTE + 2, { samples: 1, inside: 50 }),
    ]);
    expect(points[0]).toMatchObject({ inside_max: 60, limit: 60, minutes_over_limit: 1, over_limit_max: 5 });
    expect(points[1]).toMatchObject({ minutes_over_limit: 0, over_limit_max: 0 });
    expect(totals).toMatchObject({ minutes_over_limit: 1, over_limit_max: 5 });
  });

  test("two runs of a node in one minute are one node", () => {
    const { points } = pointsOf([
      row("eu1", MINUTE, { samples: 20, inside: 200, admitted: 1 }),
      row("eu1", MINUTE, { samples: 40, inside: 400, admitted: 2 }),
    ]);
    expect(points[0]).toMatchObject({ inside: 5, inside_max: 10, admitted: 3 });
  });

  test("seconds held back are the longest of a minute's nodes, and a later release's reason has no name", () => {
    const held = (reason: number, ms: number) => ({ held: [reason, ms] });
    const { points } = pointsOf([
      row("eu1", MINUTE, {}, held(HELD_REASONS.indexOf("down"), 30_000)),
      row("us1", MINUTE, {}, held(HELD_REASONS.indexOf("down"), 12_000)),
      row("us1", MINUTE + 1, {}, held(HELD_REASONS.length + 3, 1_500)),
    ]);
    expect(points[0]?.held_back).toEqual({ down: 30, other: 1.5 });
  });

  test("an average does not go over minutes that are not over", () => {
    const steps = { from: MINUTE, to: (MINUTE + 4) as Minute, step: 4, now: (MINUTE + 1) as Minute };
    expect(pointsOf([row("eu1", MINUTE, { samples: 1, inside: 8 })], steps).points[0]).toMatchObject({ inside: 8 });
  });
});

describe("classes of waits", () => {
  test.each([0, 0.5, 1, 3, 59, 600, 7_200, 86_400])("a wait of %f s is told within 5 percent", (seconds) => {
    const told = percentilesOf(new Map([[waitClassOf(seconds * 1_000), 1]]))?.p50 ?? Number.NaN;
    expect(Math.abs(told - seconds)).toBeLessThanOrEqual(Math.max(0.5, 0.0501 * seconds + 0.05));
  });

  test("percentiles are by rank, and null of nobody", () => {
    const classes = new Map([1, 10, 100, 1_000].map((seconds) => [waitClassOf(seconds * 1_000), 25]));
    const told = percentilesOf(classes);
    expect([told?.p25, told?.p50, told?.p75, told?.p95].map((each) => Math.round(Math.log10(each ?? 0)))).toEqual([
      0, 1, 2, 3,
    ]);
    expect(percentilesOf(new Map())).toBeNull();
    expect([waitClassOf(Number.NaN), waitClassOf(-5), waitClassOf(1e15)]).toEqual([0, 0, 150]);
  });
});
