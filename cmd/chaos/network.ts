/**
 * The network between the nodes of a run: a relay for each node that dials and each that is dialled.
 *
 * Each node gets unused addresses of the others (TEST-NET-1, RFC 5737), and dials its own relays in their place. So
 * traffic without a relay goes nowhere, and each direction between two nodes has its own faults.
 */

import type { Fault } from "./plan.ts";
import { FAIR, Relay, type Weather } from "./relay.ts";

/** Any port is fine: the host part selects the relay. */
const NOMINAL_PORT = 8_082;

/** The apparent address of node `number`. */
export function nominalHost(number: number): string {
  return `192.0.2.${number}`;
}

/** Where the others join by node `number`. */
export function nominalAddress(number: number): string {
  return `${nominalHost(number)}:${NOMINAL_PORT}`;
}

/** What the active faults do to connections from `from` to `to`. */
export function weatherBetween(faults: Iterable<Fault>, from: number, to: number): Weather {
  let { holdsForth, holdsBack, delayMs, loss } = FAIR;
  for (const { what, nodes, byMs = 0, part = 0 } of faults) {
    const [hasFrom, hasTo] = [nodes.includes(from), nodes.includes(to)];
    const isBetween = hasFrom !== hasTo;
    if (what === "cut" && isBetween) holdsForth = holdsBack = true;
    if (what === "mute" && isBetween) {
      holdsForth ||= hasFrom;
      holdsBack ||= hasTo;
    }
    if (what === "delay" && (hasFrom || hasTo)) delayMs += byMs;
    if (what === "loss" && (hasFrom || hasTo)) loss = Math.max(loss, part);
  }
  return { holdsForth, holdsBack, delayMs, loss };
}

interface Way {
  readonly from: number;
  readonly to: number;
  readonly relay: Relay;
}

export class Network {
  readonly #ways: readonly Way[];
  readonly #faults = new Set<Fault>();

  private constructor(ways: readonly Way[]) {
    this.#ways = ways;
  }

  /** Relays between `nodes` nodes; `random` decides what gets lost. */
  static async open(nodes: number, random: () => number): Promise<Network> {
    const numbers = Array.from({ length: nodes }, (_, at) => at + 1);
    const pairs = numbers.flatMap((from) => numbers.filter((to) => to !== from).map((to) => ({ from, to })));
    return new Network(await Promise.all(pairs.map(async (pair) => ({ ...pair, relay: await Relay.open(random) }))));
  }

  /** The flags by which node `number` takes part in this network. */
  flagsOf(number: number): string[] {
    const diverts = this.#ways
      .filter(({ from }) => from === number)
      .map(({ to, relay }) => `${nominalHost(to)}=127.0.0.1:${relay.port}`);
    const advertise = ["--advertise", `${nominalHost(number)}:0`];
    return diverts.length === 0 ? advertise : [...advertise, "--divert", diverts.join()];
  }

  /** Node `number` listens on this port of loopback, or on none. */
  at(number: number, port: number | undefined): void {
    for (const { to, relay } of this.#ways) if (to === number) relay.target = port;
  }

  /** Applies a fault. */
  strike(fault: Fault): void {
    this.#faults.add(fault);
    this.#change();
  }

  /** Ends it. */
  mend(fault: Fault): void {
    this.#faults.delete(fault);
    this.#change();
  }

  close(): void {
    for (const { relay } of this.#ways) relay.close();
  }

  #change(): void {
    for (const { from, to, relay } of this.#ways) relay.weather = weatherBetween(this.#faults, from, to);
  }
}
