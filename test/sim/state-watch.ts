/**
 * Invariants over the states of all nodes: no unit has two owners, no account two writers, no row ever falls, and the
 * writer of a row knows all of it and the origin of all it has given.
 *
 * Rows are compared within one process's life and one view: the nodes themselves must notice what a lost disk or an old copy
 * forgets. Units are compared while all nodes run: only a node that is down may know what it has given.
 */

import type { AccountId, Minute, RoomId } from "../../mesh/core/ids.ts";
import { type GivenTotals, Ledger, type Purse } from "../../mesh/core/ledger/ledger.ts";
import { RESOURCES, type RowData } from "../../mesh/core/ledger/row.ts";
import { accountsOf } from "../../mesh/core/members/view.ts";
import type { LedgerView } from "../../mesh/core/replica/replica.ts";
import type { Peer } from "../../node/peer/peer.ts";
import type { SimNode } from "./sim-node.ts";

/** Gifts of later minutes count, too. */
const ANY_MINUTE = Number.MAX_SAFE_INTEGER as Minute;

export class StateWatch {
  readonly #nodes: readonly SimNode[];
  readonly #rooms: readonly RoomId[];
  /** By process: the last known totals of everything ever given. */
  #known = new Map<Peer, { readonly view: number; readonly given: ReadonlyMap<AccountId, Given> }>();

  constructor(nodes: readonly SimNode[], rooms: readonly RoomId[]) {
    this.#nodes = nodes;
    this.#rooms = rooms;
  }

  /** The violation as text; undefined if there is none. */
  look(): string | undefined {
    return this.#fallen() ?? this.#behind() ?? this.#shared() ?? this.#unfounded() ?? this.#overdrawn();
  }

  #fallen(): string | undefined {
    const before = this.#known;
    const purses = this.#purses();
    this.#known = new Map();
    for (const { peer, identity } of this.#nodes) {
      if (peer === undefined) continue;
      const now = givenAt(peer, purses);
      const known = before.get(peer);
      const view = peer.members.view?.number ?? 0;
      // A view folds gifts of those that it drops, and to them.
      const isSameView = known?.view === view;
      const fallen = fallenIn(isSameView ? known.given : NOTHING, now, purses);
      this.#known.set(peer, { view, given: now });
      if (fallen === undefined) continue;
      const { account, value, purse, to } = fallen;
      return `rows never fall: ${identity} knew ${value} of ${textOf(purse)} that ${account} gave ${to}`;
    }
    return undefined;
  }

  /**
   * A node that may act although another member of the same view knows more of its accounts: its disk is old, or it has
   * a twin.
   */
  #behind(): string | undefined {
    for (const { peer, identity } of this.#acting())
      for (const { peer: other, identity: name } of this.#nodes) {
        if (!other?.members.isMember() || other.members.view?.number !== peer.members.view?.number) continue;
        for (const room of this.#rooms.filter((room) => peer.roomNode.mayAct(room)))
          for (const account of peer.replica.accounts)
            for (const resource of RESOURCES) {
              const own = peer.replica.ledger.givenBy(account, room, resource);
              for (const [to, totals] of other.replica.ledger.givenBy(account, room, resource)) {
                // The writer of both accounts counts them as one: a gift between them may be lost with the heir before.
                if (peer.replica.accounts.has(to)) continue;
                const [here, there] = [newestOf(own.get(to)), newestOf(totals)];
                if (there > here)
                  return `writers know all: ${identity} knows ${here} of ${account} ${room} ${resource} ${to}, and ${name} ${there}`;
              }
            }
      }
    return undefined;
  }

  /** Two nodes that may act and write one account: each would spend its units. */
  #shared(): string | undefined {
    const writers = new Map<string, string>();
    for (const { peer, identity } of this.#acting())
      for (const account of peer.members.writes()) {
        const key = `${account} in view ${peer.members.view?.number}`;
        const other = writers.get(key);
        if (other !== undefined) return `no slot twice: ${identity} and ${other} both write ${key}`;
        writers.set(key, identity);
      }
    return undefined;
  }

  /** A node that may act and does not know where its own gifts came from. */
  #unfounded(): string | undefined {
    for (const { peer, identity } of this.#acting())
      for (const purse of this.#purses()) {
        if (!peer.roomNode.mayAct(purse.room)) continue;
        const units = peer.replica.netUnits(peer.replica.accounts, purse);
        if (units < 0)
          return `no unit lost: ${identity} has given ${-units} units of ${textOf(purse)} more than it knows of`;
      }
    return undefined;
  }

  /** Nodes that may act in any room. */
  #acting(): { readonly peer: Peer; readonly identity: string }[] {
    return this.#nodes.flatMap(({ peer, identity }) =>
      peer !== undefined && this.#rooms.some((room) => peer.roomNode.mayAct(room)) ? { peer, identity } : [],
    );
  }

  /** A node whose accounts have given more than they ever had. */
  #overdrawn(): string | undefined {
    if (!this.#nodes.every(({ isRunning }) => isRunning)) return undefined;
    const all = this.#nodes.flatMap(({ peer }) => peer ?? []);
    // A removed node that does not know it yet may have given to a node that never received it: its own view no longer
    // counts.
    const newest = Math.max(...all.map(({ members }) => members.view?.number ?? 0));
    const peers = all.filter(({ members }) => members.isMember() && members.view?.number === newest);
    const [first] = peers;
    if (first === undefined) return undefined;
    const { view } = first.members;
    if (view === undefined) return undefined;
    const truth = new Ledger({ self: "nobody" as AccountId, founder: view.root });
    truth.fold(accountsOf(view));
    for (const { replica } of peers)
      for (const account of replica.ledger.accounts()) truth.merge(giftsOf(replica.ledger, account));
    for (const { identity, peer } of this.#nodes) {
      // A node just started from an old disk does not know yet whose heir it is.
      if (peer?.isInStep !== true || !peers.includes(peer)) continue;
      for (const purse of this.#purses()) {
        const units = truth.netUnits(peer.replica.accounts, purse);
        if (units < 0)
          return `no slot twice: ${identity} has given ${-units} units of ${textOf(purse)} more than it had`;
      }
    }
    return undefined;
  }

  #purses(): Purse[] {
    return this.#rooms.flatMap((room) => RESOURCES.map((resource) => ({ room, resource, minute: ANY_MINUTE })));
  }
}

function textOf({ room, resource }: Purse): string {
  return `${room} ${resource}`;
}

/** What an account has given, without what it has counted. */
function giftsOf(ledger: LedgerView, account: AccountId): RowData {
  return { account, gifts: ledger.roomsOf(account).flatMap((room) => ledger.giftsOf(account, room)), counts: [] };
}

/** What an account has given, in the order of the purses, by receiver. */
type Given = readonly ReadonlyMap<AccountId, number>[];

const NOTHING: ReadonlyMap<AccountId, Given> = new Map();

/** By giver. */
function givenAt({ replica: { ledger } }: Peer, purses: readonly Purse[]): ReadonlyMap<AccountId, Given> {
  const given = new Map<AccountId, Given>();
  for (const account of ledger.accounts())
    given.set(
      account,
      purses.map(({ room, resource }) => newestGiven(ledger.givenBy(account, room, resource))),
    );
  return given;
}

function newestGiven(given: ReturnType<Ledger["givenBy"]>): ReadonlyMap<AccountId, number> {
  const newest = new Map<AccountId, number>();
  for (const [to, totals] of given) newest.set(to, newestOf(totals));
  return newest;
}

/** The total under the newest minute; 0 if there is none. */
function newestOf(totals: GivenTotals | undefined): number {
  const newest = totals?.newestMinute();
  return newest === undefined ? 0 : (totals?.at(newest) ?? 0);
}

/** What was known and is not any more; undefined if nothing is. */
function fallenIn(before: ReadonlyMap<AccountId, Given>, now: ReadonlyMap<AccountId, Given>, purses: readonly Purse[]) {
  for (const [account, given] of before)
    for (const [at, purse] of purses.entries())
      for (const [to, value] of given[at] ?? [])
        if ((now.get(account)?.[at]?.get(to) ?? 0) < value) return { account, value, purse, to };
  return undefined;
}
