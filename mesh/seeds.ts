/**
 * The addresses that an operator gave for joining: dialled for ever, until a node behind them is connected.
 *
 * Which node answers there is not known before. Once it is, an address counts as answered while any node that it ever
 * led to is connected, at whatever address; so a node that all others name as a seed is not dialled twice.
 */

import type { NodeId } from "./core/ids.ts";
import { type Pace, PeerKeeper } from "./peer-keeper.ts";
import { peersFileOf, peersIn, type Resolve, resolveAddress } from "./seed-addresses.ts";

/** Where one attempt at an address led. `self`: the address is our own. */
export interface Reached {
  readonly outcome: "up" | "failed" | "refused" | "self";
  readonly node?: NodeId;
}

export interface SeedParts {
  readonly clock: () => number;
  readonly random: () => number;
  readonly pace?: Pace;
  readonly resolve: Resolve;
  /** The text of a file of addresses; throws if it cannot be read now. */
  readonly readPeers: (path: string) => Promise<string>;
  /** Dials a multiaddr. */
  readonly reach: (multiaddr: string) => Promise<Reached>;
  readonly isUp: (node: NodeId) => boolean;
  /** Called when an address, as given, starts or stops answering; not at every attempt. */
  readonly notify: (text: string, state: SeedState) => void;
}

export type SeedState = "answers" | "silent";

interface Seed {
  readonly text: string;
  readonly leadsTo: Set<NodeId>;
  state: SeedState | undefined;
}

/** Addresses of one file that are tried: more than any mesh has nodes. */
const PEERS_MAX = 128;

/** Before a seed is dialled again, its node is dialled at its known addresses. */
const AFTER_LOSS_MS = 3_000;

export class Seeds {
  readonly #parts: SeedParts;
  readonly #seeds: readonly Seed[];
  readonly #keeper: PeerKeeper<Seed>;

  constructor(texts: readonly string[], parts: SeedParts) {
    this.#parts = parts;
    this.#seeds = texts.map((text) => ({ text, leadsTo: new Set(), state: undefined }));
    this.#keeper = new PeerKeeper({ ...parts, dial: (seed) => this.#dial(seed) });
    for (const seed of this.#seeds) this.#keeper.want(seed);
  }

  tick(): void {
    this.#keeper.tick();
  }

  up(node: NodeId): void {
    for (const seed of this.#leadingTo(node)) this.#answered(seed);
  }

  down(node: NodeId): void {
    for (const seed of this.#leadingTo(node)) if (!this.#isAnswered(seed)) this.#keeper.lost(seed, AFTER_LOSS_MS);
  }

  /** Dials the address of `node` slowly: another node may use it one day. */
  forget(node: NodeId): void {
    for (const seed of this.#leadingTo(node)) {
      seed.leadsTo.delete(node);
      if (!this.#isAnswered(seed)) this.#keeper.refused(seed);
    }
  }

  async #dial(seed: Seed) {
    const addresses = await this.#addressesOf(seed.text);
    const reached = await Promise.all(addresses.map((address) => this.#parts.reach(address)));
    for (const { node } of reached) if (node !== undefined) seed.leadsTo.add(node);
    if (this.#isAnswered(seed)) {
      this.#answered(seed);
      return "up";
    }
    // Our own address is tried slowly too: a name may have other nodes behind it later.
    if (reached.some(({ outcome }) => outcome === "refused" || outcome === "self")) return "refused";
    this.#tell(seed, "silent");
    return "failed";
  }

  /** Names are resolved, and files read, at each attempt: other nodes may be behind them by now. */
  async #addressesOf(text: string): Promise<readonly string[]> {
    const { resolve, readPeers } = this.#parts;
    const path = peersFileOf(text);
    const texts = path === undefined ? [text] : peersIn(await readPeers(path).catch(() => ""));
    return (await Promise.all(texts.slice(0, PEERS_MAX).map((each) => resolveAddress(each, resolve)))).flat();
  }

  #answered(seed: Seed): void {
    this.#keeper.connected(seed);
    this.#tell(seed, "answers");
  }

  #tell(seed: Seed, state: SeedState): void {
    if (seed.state === state) return;
    seed.state = state;
    this.#parts.notify(seed.text, state);
  }

  #isAnswered({ leadsTo }: Seed): boolean {
    for (const node of leadsTo) if (this.#parts.isUp(node)) return true;
    return false;
  }

  #leadingTo(node: NodeId): Seed[] {
    return this.#seeds.filter(({ leadsTo }) => leadsTo.has(node));
  }
}
