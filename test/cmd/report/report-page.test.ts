import { describe, expect, test } from "vitest";
import { plotPage } from "../../../cmd/plot-page.ts";
import { reportOf, verdictOf } from "../../../cmd/report/report-page.ts";
import type { Analytics, Point } from "../../../node/operator/analytics/analytics.ts";

const FROM_MS = Date.parse("2026-11-27T09:00:00Z");

function point(minute: number, change: Partial<Point> = {}): Point {
  return {
    at: new Date(FROM_MS + 60_000 * minute).toISOString(),
    ...{ inside: 0, inside_max: 0, limit: 10, waiting: 0, waiting_max: 0, waited_seconds: null },
    ...{ minutes_over_limit: 0, over_limit_max: 0 },
    ...{
      admitted: 0,
      joined: 0,
      abandoned: 0,
      no_shows: 0,
      returned: 0,
      revoked: 0,
      completed: 0,
      bypassed: 0,
      rejected: 0,
    },
    ...{ held_back: {}, localities: {} },
    ...change,
  };
}

function answer(
  points: readonly Point[],
  totals: Partial<Analytics["totals"]>,
  missing: Analytics["missing"] = [],
): Analytics {
  const { at, ...empty } = point(0);
  const to = new Date(FROM_MS + 60_000 * points.length).toISOString();
  return {
    ...{ room: "shop", from: at, to, step_seconds: 60, complete_until: to, missing, points },
    totals: { ...empty, ...totals },
  };
}

const SALE = answer(
  [
    point(0, { inside: 4, inside_max: 4, admitted: 4 }),
    point(1, { inside: 10, inside_max: 10, admitted: 6, joined: 5, waiting: 3, waiting_max: 4 }),
    point(2, {
      inside: 9,
      inside_max: 10,
      waiting: 1,
      waiting_max: 2,
      abandoned: 1,
      no_shows: 1,
      held_back: { down: 20 },
    }),
    point(3, { inside: 2, inside_max: 3, admitted: 3, waited_seconds: { p25: 60, p50: 70, p75: 80, p95: 90 } }),
    point(4, { waiting_max: 1 }),
  ],
  {
    ...{ admitted: 13, joined: 5, abandoned: 1, no_shows: 1, inside_max: 10, waiting_max: 4, held_back: { down: 20 } },
    waited_seconds: { p25: 60, p50: 70, p75: 80, p95: 600 },
  },
);

const texts = (read: Analytics, zone = "UTC") => verdictOf(read, zone).map(({ look, text }) => `${look}: ${text}`);

describe("what the figures come to", () => {
  test("says first that the limit was kept, then who waited, who left, and what held visitors back", () => {
    expect(texts(SALE)).toEqual([
      "good: The limit was kept at all times: at most 10 visitors were inside, of 10.",
      "plain: At most 4 visitors waited at once (27 Nov, 09:01–09:03; 27 Nov, 09:04–09:05). Half of those who came in from the line had waited up to 1 min, 95 of 100 up to 10 min.",
      "plain: Of 5 visitors who joined the line, 1 gave up and 1 did not come when it was their turn.",
      "plain: Visitors in line were held back: the site was down (20 s).",
    ]);
  });

  test("tells a line that was too short for an average from no line", () => {
    const short = answer([point(0, { inside: 1, inside_max: 1, admitted: 1, joined: 1 })], { admitted: 1, joined: 1 });
    expect(texts(short).at(-1)).toBe("good: Nobody waited for longer than a moment.");
    expect(texts(answer(short.points, { admitted: 1 })).at(-1)).toBe("good: Nobody had to wait.");
  });

  test("names the times in the zone of the reader", () => {
    expect(texts(SALE, "Asia/Tokyo")[1]).toContain("27 Nov, 18:01–18:03");
  });

  test("is bad where more were inside than the limit of a minute, however long the steps are", () => {
    const over = { inside_max: 10, limit: 20, minutes_over_limit: 3, over_limit_max: 4.4 };
    const read = answer([point(0, { inside_max: 10, limit: 20 })], { admitted: 12, ...over });
    expect(texts(read)[0]).toMatch(
      /^bad: In 3 minutes more visitors were inside than the limit allowed, at most 4 more\./,
    );
  });

  test("is bad where a node's minutes are missing, and names some of them", () => {
    const gap = (name: string) => ({ node: `12D3${name}`, name, from: SALE.from, to: SALE.to });
    const missing = ["a", "b", "c", "d", "e"].map(gap);
    const last = texts({ ...SALE, missing }).at(-1);
    expect(last).toMatch(
      /^bad: The figures are not complete: minutes are missing of a, 27 Nov, 09:00–09:05; b.*; and 2 more times\.$/,
    );
  });

  test("where nobody came, says only that", () => {
    expect(texts(answer([point(0)], {}))).toEqual(["plain: No visitor came in this time."]);
  });
});

test("the page has the verdict before all figures, and every line of the plots", () => {
  const html = plotPage(reportOf(SALE, { title: "Sale <b>&$&", zone: "Europe/Berlin" }));
  expect(html).toContain("<h1>Sale &lt;b&gt;&amp;$&amp;</h1>");
  expect(html.indexOf("The limit was kept")).toBeGreaterThan(0);
  expect(html.indexOf("The limit was kept")).toBeLessThan(html.indexOf("<dt>admitted</dt><dd>13</dd>"));
  const { plots, zone } = JSON.parse(/id="data">(.*?)<\/script>/s.exec(html)?.[1] ?? "");
  expect(zone).toBe("Europe/Berlin");
  expect(plots.map(({ title }: { title: string }) => title)).toEqual([
    "Visitors inside, against the limit",
    "Visitors waiting",
    "Admitted per minute",
    "How long those admitted had waited",
    "Left the line, per minute",
  ]);
  expect(html).toContain("@media print");
});
