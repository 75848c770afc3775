/** The plot of a room: admitted per minute by locality, one line each, and visitors inside. */

import type uPlot from "uplot";
import type { Analytics } from "../../analytics/analytics.ts";
import { read, roomPath } from "./calls.ts";
import { say } from "./dom.ts";

declare global {
  interface Window {
    /** Loaded by the page before its modules. */
    readonly uPlot: typeof uPlot;
  }
}

const COLOURS = ["#3b82d6", "#d97f1a", "#2f9e62", "#b455c7", "#c2483f", "#6b7280"];
const DAYS = 2;
const MINUTES_OF_DAY = 24 * 60;

export interface Plotted {
  readonly room: string;
  readonly minuteMs: number;
  readonly place: HTMLElement;
  /** The one before, which goes. */
  readonly before: uPlot | undefined;
}

/** The new chart; the old one, where nothing came. */
export async function plot({ room, minuteMs, place, before }: Plotted): Promise<uPlot | undefined> {
  const step = minuteMs / 1_000;
  const span = `from=-${DAYS * MINUTES_OF_DAY * step}s&step=${step}s`;
  const answer = await read<Analytics>(`${roomPath(room)}/analytics?${span}`).catch(() => undefined);
  if (answer === undefined) return before;
  before?.destroy();
  // Before the first minute that is kept nothing is known, and the last one is not over.
  const points = answer.points.slice(0, -1).filter(({ limit }) => limit !== null);
  place.classList.toggle("empty", points.length < 2);
  if (points.length < 2) {
    say(place, "The plot begins after two minutes.");
    return undefined;
  }
  const names = Object.keys(answer.totals.localities).slice(0, COLOURS.length);
  const admitted = names.map((name) => points.map(({ localities }) => localities[name]?.admitted ?? 0));
  const data: uPlot.AlignedData = [
    points.map(({ at }) => Date.parse(at) / 1_000),
    points.map(({ inside }) => inside),
    ...admitted,
  ];
  place.replaceChildren();
  return new window.uPlot(optionsFor(place, names), data, place);
}

function optionsFor(place: HTMLElement, names: readonly string[]): uPlot.Options {
  const ink = getComputedStyle(document.body).color;
  const axis = { stroke: ink, grid: { stroke: "#8884", width: 1 }, ticks: { stroke: "#8884" } };
  const fromZero: uPlot.Scale = { range: (_plot, _min, max) => [0, Math.max(1, max)] };
  const lines = names.map((label, at): uPlot.Series => ({ label, stroke: COLOURS[at] ?? ink, width: 2 }));
  return {
    width: Math.max(240, place.clientWidth),
    height: document.body.classList.contains("kiosk") ? 240 : 170,
    scales: { y: fromZero, inside: fromZero },
    axes: [
      axis,
      { ...axis, label: "admitted per minute" },
      { ...axis, scale: "inside", side: 1, grid: { show: false }, label: "inside" },
    ],
    series: [{}, { label: "inside", scale: "inside", stroke: ink, width: 1, dash: [4, 4] }, ...lines],
  };
}
