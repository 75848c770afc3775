/**
 * The last reports of other localities' speakers about a room, and their sums.
 *
 * A search for slots needs the sums some ten times a second, and there may be hundreds of localities: so they are
 * updated with each digest, and not added up for each question.
 */

import type { Minute } from "../../../mesh/core/ids.ts";
import type { Resource } from "../../../mesh/core/ledger/row.ts";

/** Visitors waiting, by the minute they joined in, oldest first. */
export type Waiting = readonly (readonly [Minute, number])[];

/** The last report of another locality's speaker about a room there, where the mesh has two tiers. */
export interface Site {
  /** Slots that are free there on all nodes together. */
  readonly free: Readonly<Record<Resource, number>>;
  /** Places of nodes that hold back; the same list while there are none. */
  readonly held: readonly number[];
  /** Visitors waiting there, by the minute they joined in, oldest first. */
  readonly waiting: Waiting;
  /** Slots held by sessions there, on all nodes together. */
  readonly inside: number;
  /** Admissions of all of them in `minute`. */
  readonly admitted: number;
  readonly minute: Minute;
  /** When the room's ramp last began, by the latest report among them, in Unix ms; 0 if never. */
  readonly rampStartMs: number;
  /** New visitors that came in there in the minute before the last. */
  readonly seen: number;
}

export class Sites {
  readonly #sites = new Map<string, Site>();
  readonly #lines = new Map<string, Waiting>();
  #active = 0;
  #arrivals = 0;
  #seen = 0;

  /** The report about a locality; undefined if none counts. */
  get(locality: string): Site | undefined {
    return this.#sites.get(locality);
  }

  /** Localities with a report. */
  get size(): number {
    return this.#sites.size;
  }

  /** Slots that are free in all of them. */
  get free(): Site["free"] {
    return { active: this.#active, arrivals: this.#arrivals };
  }

  /** New visitors that came in in all of them, in the minute before the last. */
  get seen(): number {
    return this.#seen;
  }

  /** The lines of those with waiting visitors. */
  get lines(): ReadonlyMap<string, Waiting> {
    return this.#lines;
  }

  /** Replaces the report about a locality; undefined forgets it. */
  set(locality: string, site: Site | undefined): void {
    this.#add(this.#sites.get(locality), -1);
    this.#add(site, 1);
    if (site === undefined) this.#sites.delete(locality);
    else this.#sites.set(locality, site);
    if (site === undefined || site.waiting.length === 0) this.#lines.delete(locality);
    else this.#lines.set(locality, site.waiting);
  }

  #add(site: Site | undefined, times: 1 | -1): void {
    if (site === undefined) return;
    this.#active += times * site.free.active;
    this.#arrivals += times * site.free.arrivals;
    this.#seen += times * site.seen;
  }
}
