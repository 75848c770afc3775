/**
 * The plots of a room over two days: visitors inside with their limit, and in line; those admitted per minute by
 * locality with their limit, and how long they had waited.
 */

import type uPlot from "uplot";
import type { Analytics } from "../../analytics/analytics.ts";
import type { RoomStatus } from "../../status/status.ts";
import { read, roomPath } from "./calls.ts";
import { make, say } from "./dom.ts";

declare global {
  interface Window {
    /** Loaded by the page before its modules. */
    readonly uPlot: typeof uPlot;
  }
}

const COLOURS = ["#3b82d6", "#d97f1a", "#2f9e62", "#b455c7", "#6b7280"];
const LIMIT_COLOUR = "#c2483f";
/** What is not a figure of the left axis. */
const DASHES = [4, 4];
const DAYS = 2;
const MINUTES_OF_DAY = 24 * 60;

export interface Plotted {
  readonly room: RoomStatus;
  readonly minuteMs: number;
  readonly place: HTMLElement;
  /** Those before, which go. */
  readonly before: readonly uPlot[];
}

interface Line {
  readonly label: string;
  readonly values: readonly (number | null)[];
  readonly colour?: string;
  /** The axis on the right. */
  readonly isRight?: boolean;
}

interface Chart {
  readonly left: string;
  readonly right: string;
  readonly lines: readonly Line[];
}

/** The new plots; the old ones, where nothing came. */
export async function plot({ room, minuteMs, place, before }: Plotted): Promise<readonly uPlot[]> {
  const step = minuteMs / 1_000;
  const span = `from=-${DAYS * MINUTES_OF_DAY * step}s&step=${step}s`;
  const answer = await read<Analytics>(`${roomPath(room.name)}/analytics?${span}`).catch(() => undefined);
  if (answer === undefined) return before;
  for (const old of before) old.destroy();
  // Before the first minute that is kept nothing is known, and the last one is not over.
  const points = answer.points.slice(0, -1).filter(({ limit }) => limit !== null);
  place.classList.toggle("empty", points.length < 2);
  if (points.length < 2) {
    say(place, "The plots begin after two minutes.");
    return [];
  }
  place.replaceChildren();
  const times = points.map(({ at }) => Date.parse(at) / 1_000);
  return chartsOf(points, Object.keys(answer.totals.localities), room.new_users_per_minute).map((chart) => {
    const own = make("div");
    place.append(own);
    return new window.uPlot(optionsFor(own, chart), [times, ...chart.lines.map(({ values }) => [...values])], own);
  });
}

/** `perMinute`: the limit as it is now; earlier ones are not kept. */
function chartsOf(points: Analytics["points"], localities: readonly string[], perMinute: number): readonly Chart[] {
  const admitted = localities.slice(0, COLOURS.length).map((label, at): Line => {
    return { label, values: points.map((point) => point.localities[label]?.admitted ?? 0), colour: COLOURS[at] ?? "" };
  });
  const wait = points.map(({ waited_seconds: waited }) => (waited === null ? null : waited.p50 / 60));
  return [
    {
      left: "inside",
      right: "in line",
      lines: [
        { label: "inside", values: points.map(({ inside }) => inside), colour: COLOURS[0] ?? "" },
        { label: "limit", values: points.map(({ limit }) => limit), colour: LIMIT_COLOUR },
        { label: "in line", values: points.map(({ waiting }) => waiting), isRight: true },
      ],
    },
    {
      left: "admitted per minute",
      right: "minutes waited",
      lines: [
        ...admitted,
        { label: "limit now", values: points.map(() => perMinute), colour: LIMIT_COLOUR },
        { label: "half waited at most", values: wait, isRight: true },
      ],
    },
  ];
}

function optionsFor(place: HTMLElement, { left, right, lines }: Chart): uPlot.Options {
  const ink = getComputedStyle(document.body).color;
  const axis = { stroke: ink, grid: { stroke: "#8884", width: 1 }, ticks: { stroke: "#8884" } };
  const fromZero: uPlot.Scale = { range: (_plot, _min, max) => [0, Math.max(1, max)] };
  const series = lines.map(({ label, colour = ink, isRight = false }): uPlot.Series => {
    const dash = isRight || colour === LIMIT_COLOUR ? DASHES : [];
    return { label, stroke: colour, scale: isRight ? "right" : "y", width: dash.length > 0 ? 1 : 2, dash };
  });
  return {
    width: Math.max(240, place.clientWidth),
    height: document.body.classList.contains("kiosk") ? 240 : 170,
    scales: { y: fromZero, right: fromZero },
    axes: [axis, { ...axis, label: left }, { ...axis, scale: "right", side: 1, grid: { show: false }, label: right }],
    series: [{}, ...series],
  };
}
