/**
 * Families of metrics: gauges and counters by prom-client, and histograms of our own counts. Each is read when it is
 * asked for, so that the gate only adds to plain numbers.
 */

import { Counter, Gauge, Registry } from "prom-client";
import type { DurationHistogram } from "../../admission/duration-histogram.ts";
import type { LiveRoom } from "../../rooms/live-room.ts";

/** Sets a value for some labels. */
export type Set<Label extends string> = (labels: Readonly<Record<Label, string>>, value: number) => void;

type Labels = Readonly<Record<string, string>>;

interface Durations {
  readonly labels: Labels;
  readonly value: DurationHistogram;
}

/** A family with what it has now. */
export type Family =
  | { readonly name: string; readonly help: string; readonly type: "histogram"; readonly values: readonly Durations[] }
  | {
      readonly name: string;
      readonly help: string;
      readonly type: "gauge" | "counter";
      readonly values: readonly { readonly labels: Labels; readonly value: number }[];
    };

/** Every name begins with it, except those that all processes have. */
const PREFIX = "anteroom_";

export class MetricFamilies {
  readonly #registry = new Registry();
  readonly #registers = [this.#registry];
  readonly #rooms: () => readonly LiveRoom[];
  readonly #histograms: { readonly name: string; readonly help: string; readonly read: () => Durations[] }[] = [];

  constructor(rooms: () => readonly LiveRoom[]) {
    this.#rooms = rooms;
  }

  /** A number of the node; undefined where there is none. */
  gauge(name: string, help: string, read: () => number | undefined): void {
    this.gauges(name, { help, labels: [] }, (set) => {
      const value = read();
      if (value !== undefined) set({}, value);
    });
  }

  /** A count of the node's whole run. */
  count(name: string, help: string, read: () => number): void {
    this.counter(name, { help, labels: [] }, (add) => add({}, read()));
  }

  /** A count of each room. */
  roomCount(name: string, help: string, read: (live: LiveRoom) => number): void {
    this.counter(name, { help, labels: ["room"] }, (add) => {
      for (const live of this.#rooms()) add({ room: live.room.name }, read(live));
    });
  }

  /** A number of each room; undefined where there is none. */
  roomGauge(name: string, help: string, read: (live: LiveRoom) => number | undefined): void {
    this.gauges(name, { help, labels: ["room"] }, (set) => {
      for (const live of this.#rooms()) {
        const value = read(live);
        if (value !== undefined) set({ room: live.room.name }, value);
      }
    });
  }

  gauges<Label extends string>(
    name: string,
    { help, labels }: { readonly help: string; readonly labels: readonly Label[] },
    read: (set: Set<Label>) => void,
  ): void {
    new Gauge({
      ...this.#plain({ name, help, labels }),
      collect() {
        this.reset();
        read((values, value) => this.set(values as Record<Label, string>, value));
      },
    });
  }

  /** A count of the whole run; its name ends in `_total`. */
  counter<Label extends string>(
    name: string,
    { help, labels }: { readonly help: string; readonly labels: readonly Label[] },
    read: (add: Set<Label>) => void,
  ): void {
    new Counter({
      ...this.#plain({ name, help, labels }),
      collect() {
        this.reset();
        read((values, value) => this.inc(values as Record<Label, string>, value));
      },
    });
  }

  #plain({ name, help, labels }: { readonly name: string; readonly help: string; readonly labels: readonly string[] }) {
    return { name: fullName(name), help, labelNames: [...labels], registers: this.#registers };
  }

  /** Durations of each room. */
  histogram(name: string, help: string, read: (live: LiveRoom) => DurationHistogram): void {
    this.#durations(name, help, (live) => [{ labels: { room: live.room.name }, value: read(live) }]);
  }

  /** Durations of each room by one more label: one histogram for each of its values. */
  histograms(
    name: string,
    { help, label }: { readonly help: string; readonly label: string },
    read: (live: LiveRoom) => Readonly<Record<string, DurationHistogram>>,
  ): void {
    this.#durations(name, help, (live) =>
      Object.entries(read(live)).map(([by, value]) => ({ labels: { room: live.room.name, [label]: by }, value })),
    );
  }

  #durations(name: string, help: string, read: (live: LiveRoom) => Durations[]): void {
    this.#histograms.push({ name: fullName(name), help, read: () => this.#rooms().flatMap(read) });
  }

  /** All of them with their values. */
  async all(): Promise<Family[]> {
    const plain = await this.#registry.getMetricsAsJSON();
    const histograms = this.#histograms.map(({ read, ...family }) => ({
      ...family,
      type: "histogram",
      values: read(),
    }));
    return [...plain, ...histograms] as Family[];
  }

  /** All of them in the Prometheus text format. */
  async text(): Promise<string> {
    const plain = await this.#registry.metrics();
    const histograms = this.#histograms.map(({ name, help, read }) => {
      const samples = read().flatMap((durations) => histogramLines(name, durations));
      return [`# HELP ${name} ${help}`, `# TYPE ${name} histogram`, ...samples].join("\n");
    });
    return `${[plain.trimEnd(), ...histograms].join("\n\n")}\n`;
  }
}

function fullName(name: string): string {
  return name.startsWith("process_") ? name : `${PREFIX}${name}`;
}

/** Names of rooms are letters, digits, hyphens, underscores and one colon: nothing in them is to be escaped. */
function histogramLines(name: string, { labels, value: { bounds, counts, sumSeconds } }: Durations): string[] {
  const text = Object.entries(labels)
    .map(([label, value]) => `${label}="${value}"`)
    .join(",");
  let sum = 0;
  const buckets = counts.map((count, at) => {
    sum += count;
    return `${name}_bucket{${text},le="${bounds[at] ?? "+Inf"}"} ${sum}`;
  });
  return [...buckets, `${name}_sum{${text}} ${sumSeconds}`, `${name}_count{${text}} ${sum}`];
}
