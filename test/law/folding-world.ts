/**
 * Ledgers of nodes that give, join, leave and are removed: views are made by the real rules from what real ledgers know,
 * and reach each node sooner or later. There are no messages about views; a fence is an answer of all that stay at once.
 */

import { type AccountId, accountOf, type Minute, type NodeId, type RoomId } from "../../mesh/core/ids.ts";
import { Ledger } from "../../mesh/core/ledger/ledger.ts";
import { giftsWhere, RESOURCES, type Resource, type RowData } from "../../mesh/core/ledger/row.ts";
import { UNITS } from "../../mesh/core/ledger/shares.ts";
import { type Claim, nextView } from "../../mesh/core/members/next-view.ts";
import { accountsOf, type View } from "../../mesh/core/members/view.ts";

const ROOMS = ["shop", "museum"] as RoomId[];
const LATE = Number.MAX_SAFE_INTEGER as Minute;
const MEMBERS_MAX = 5;
const NAME_KEPT_MS = 3;

interface Node {
  readonly id: NodeId;
  readonly ledger: Ledger;
  view: View;
  /** Its own account, those that were left to it, and those that it inherited. */
  writes: AccountId[];
  /** By group: inherited accounts whose units it must not use. */
  readonly pots: Map<string, AccountId[]>;
  /** Members that it has fenced. */
  fenced: Set<NodeId>;
  state: "member" | "left" | "removed";
  /** To which node it left. */
  heir?: NodeId;
}

interface Flight {
  readonly from: NodeId;
  readonly to: NodeId;
  readonly row: RowData;
  readonly view: number;
}

export class FoldingWorld {
  readonly counts = { gifts: 0, lost: 0, joins: 0, leaves: 0, removals: 0, together: 0, potsAgain: 0, names: 0 };
  readonly #random: () => number;
  readonly #nodes = new Map<NodeId, Node>();
  #flights: Flight[] = [];
  #newest: View;
  #minute = 100;
  #names = 0;

  constructor(random: () => number) {
    this.#random = random;
    const id = this.#newName();
    const root = accountOf(id);
    this.#newest = { number: 1, members: [memberOf(id, 0)], voters: [id], heirs: [], openings: [], root };
    this.#add(id);
  }

  /** Something happens, and all laws hold after it. */
  step(): void {
    const acts = [
      () => this.#give(),
      () => this.#give(),
      () => this.#deliver(),
      () => this.#deliver(),
      () => this.#gossip(),
      () => this.#learn(),
      () => this.#learn(),
      () => this.#learn(),
      () => this.#join(),
      () => this.#leave(),
      () => this.#drop(),
      () => this.#settle(),
      () => this.#tick(),
    ];
    acts[this.#below(acts.length)]?.();
    this.#check();
  }

  /** What is under way is lost or has arrived; all know all that the writers know. */
  rest(): void {
    this.#flights = [];
    for (let round = 0; round < 2; round++) {
      for (const node of this.#staying) this.#learnAt(node);
      this.#dropAll([]);
    }
    for (const node of this.#staying) this.#learnAt(node);
    for (const from of this.#staying) for (const to of this.#staying) this.#tell(from, to);
    this.#check();
    for (const room of ROOMS)
      for (const resource of RESOURCES) {
        const sum = this.#staying.reduce((all, node) => all + unitsOf(node, node.writes, { room, resource }), 0);
        if (sum !== UNITS) throw new Error(`no unit is lost: ${sum - UNITS} of ${room} ${resource}`);
      }
  }

  #tick(): void {
    this.#minute += 1;
  }

  #check(): void {
    // A name is kept for longer than its node may use anything.
    const named = accountsOf(this.#newest);
    for (const { id, state } of this.#nodes.values())
      if (state === "removed" && !named.names.has(accountOf(id))) this.#nodes.delete(id);
    for (const room of ROOMS)
      for (const resource of RESOURCES) {
        const purse = { room, resource };
        const heirs = new Set(this.#staying.flatMap(({ writes }) => writes));
        const believed = [...this.#nodes.values()].reduce((sum, node) => {
          const isHeld = node.state === "removed" && heirs.has(accountOf(node.id));
          if (node.state === "left" || isHeld) return sum;
          const accounts = node.state === "removed" ? settledOf(node) : node.writes;
          return sum + Math.max(0, unitsOf(node, accounts, purse));
        }, 0);
        if (believed > UNITS) throw new Error(`no unit is believed by two: ${believed - UNITS} of ${room} ${resource}`);
        for (const node of this.#staying)
          for (const [group, accounts] of node.pots) {
            const running = [...this.#nodes.values()].filter(
              ({ id, state }) => state === "removed" && accounts.includes(accountOf(id)),
            );
            const used = running.reduce((sum, each) => sum + unitsOf(each, settledOf(each), purse), 0);
            const held = unitsOf(node, accounts, purse);
            if (used > held) throw new Error(`a pot has all that its nodes may use: ${used - held} less in ${group}`);
          }
      }
  }

  #give(): void {
    const node = this.#any([...this.#nodes.values()].filter(({ state }) => state !== "left"));
    const others = node?.view.members.filter(
      (member) => member.node !== node.id && !node.fenced.has(member.node) && !this.#isLeftFor(node, member.node),
    );
    const to = this.#any(others ?? [])?.node;
    if (node === undefined || to === undefined) return;
    const [room, resource] = [this.#any(ROOMS) ?? ("shop" as RoomId), this.#any(RESOURCES) ?? "active"];
    const accounts = settledOf(node);
    const last = node.ledger.totalsOf(accountOf(node.id), { room, resource, to: accountOf(to) }).at(-1)?.[0] ?? 0;
    const minute = Math.max(this.#minute, last) as Minute;
    const own = node.ledger.netUnits(accounts, { room, resource, minute });
    if (own <= 0 || accounts.includes(accountOf(to))) return;
    const units = this.#random() < 0.3 ? own : 1 + this.#below(own);
    const row = node.ledger.give({ room, resource, minute, to: accountOf(to), units, accounts });
    this.#flights.push({ from: node.id, to, row, view: node.view.number });
    this.counts.gifts += 1;
  }

  /** A gift arrives, perhaps once more; or never. */
  #deliver(): void {
    const flight = this.#any(this.#flights);
    if (flight === undefined) return;
    if (this.#random() < 0.7) this.#flights = this.#flights.filter((each) => each !== flight);
    if (this.#random() < 0.2) {
      this.counts.lost += 1;
      return;
    }
    const to = this.#nodes.get(flight.to);
    if (to === undefined || to.state === "left" || to.view.number !== flight.view || to.fenced.has(flight.from)) return;
    to.ledger.merge(flight.row);
  }

  #gossip(): void {
    const [from, to] = [this.#any([...this.#nodes.values()]), this.#any(this.#staying)];
    if (from !== undefined && to !== undefined) this.#tell(from, to);
  }

  /** What a node writes reaches another one, in any view. */
  #tell(from: Node, to: Node): void {
    for (const account of from.writes)
      if (writerIn(to.view, account) === from.id && !to.fenced.has(from.id) && !to.writes.includes(account))
        to.ledger.merge(from.ledger.row(account));
  }

  #learn(): void {
    const node = this.#any(this.#staying);
    if (node !== undefined) this.#learnAt(node);
  }

  #learnAt(node: Node): void {
    const view = this.#newest;
    if (node.view === view) return;
    const before = units(node);
    const [wrote, settled] = [node.writes, settledOf(node)];
    node.ledger.fold(accountsOf(view));
    const named = new Set([...accountsOf(view).members, ...accountsOf(view).names]);
    const inherited = view.heirs.flatMap(([account, heir]) =>
      heir === node.id && !wrote.includes(account) ? [account] : [],
    );
    node.view = view;
    node.fenced = new Set();
    node.writes = [...wrote.filter((account) => named.has(account)), ...inherited];
    if (inherited.length > 0) node.pots.set(`view ${view.number}`, inherited);
    for (const [at, each] of units(node).entries())
      if (each < (before[at] ?? 0))
        throw new Error(`a view takes nothing from a node: ${node.id} had ${before[at]} and has ${each}, ${settled}`);
  }

  #join(): void {
    if (!this.#areAllUpToDate || this.#newest.members.length >= MEMBERS_MAX) return;
    const id = this.#newName();
    this.#newest = nextView(this.#newest, {
      ...this.#changes,
      joins: [{ node: id, locality: "here" }],
      dropping: undefined,
    });
    this.#add(id);
    this.counts.joins += 1;
  }

  #leave(): void {
    const [node, heir] = [this.#any(this.#staying), this.#any(this.#staying)];
    if (node === undefined || heir === undefined || node === heir) return;
    if (node.view.number !== heir.view.number || heir.fenced.has(node.id)) return;
    node.state = "left";
    node.heir = heir.id;
    const own = new Set(node.writes);
    const others = node.ledger.accounts().filter((account) => !own.has(account));
    const rows = [...node.writes, ...others].map((account) => node.ledger.row(account));
    heir.writes.push(...node.writes);
    for (const row of giftsWhere(rows, (giver, to) => own.has(giver) || own.has(to))) heir.ledger.merge(row);
    for (const [group, accounts] of node.pots) heir.pots.set(group, [...(heir.pots.get(group) ?? []), ...accounts]);
    node.pots.clear();
    this.counts.leaves += 1;
  }

  #drop(): void {
    const staying = this.#staying;
    const most = Math.min(2, staying.length - 1);
    const removed = staying.toSorted(() => this.#random() - 0.5).slice(0, this.#below(most + 1));
    if (this.#areAllUpToDate) this.#dropAll(removed);
  }

  /** All others have fenced these and those that left, and one of them is the heir. */
  #dropAll(lost: readonly Node[]): void {
    const members = this.#newest.members.flatMap(({ node }) => this.#nodes.get(node) ?? []);
    // A node that left to a removed one is removed with it.
    const hostOf = (node: Node): Node => {
      const heir = node.heir === undefined ? undefined : this.#nodes.get(node.heir);
      return heir === undefined ? node : hostOf(heir);
    };
    const removed = members.filter((node) => lost.includes(hostOf(node)));
    const left = members.filter((node) => node.state === "left" && !removed.includes(node));
    const answering = members.filter((node) => node.state === "member" && !lost.includes(node));
    const [heir] = answering;
    if (heir === undefined || removed.length + left.length === 0) return;
    const ended = new Set([...removed, ...left].map(({ id }) => accountOf(id)));
    const claims = new Map<NodeId, Claim>();
    const copies: RowData[] = [];
    for (const node of answering) {
      for (const each of [...removed, ...left]) node.fenced.add(each.id);
      claims.set(node.id, { writes: node.writes, inPots: [...node.pots.values()].flat() });
      const rows = [...new Set([...ended, ...node.writes])].map((account) => node.ledger.row(account));
      copies.push(...giftsWhere(rows, (giver, to) => ended.has(giver) || ended.has(to)));
    }
    const dropping = {
      ...{ removed: removed.map(({ id }) => id), left: left.map(({ id }) => id), isForgetting: false },
      ...{ heir: heir.id, claims, copies },
    };
    const names = this.#newest.heirs.length;
    this.#newest = nextView(this.#newest, { ...this.#changes, dropping });
    for (const node of removed) if (node.state === "member") node.state = "removed";
    for (const { id } of left) this.#nodes.delete(id);
    for (const { id, state } of removed) if (state === "left") this.#nodes.delete(id);
    if (removed.length > 0) this.counts.removals += 1;
    if (removed.length + left.length > 1) this.counts.together += 1;
    if (lost.some(({ pots }) => pots.size > 0)) this.counts.potsAgain += 1;
    if (this.#newest.heirs.length < names + ended.size) this.counts.names += 1;
  }

  /** The time of a pot is over, seldom enough that its holder may be lost before: its nodes use nothing any more. */
  #settle(): void {
    if (this.#random() < 0.7) return;
    const node = this.#any(this.#staying.filter(({ pots }) => pots.size > 0));
    const [group, accounts] = this.#any([...(node?.pots ?? [])]) ?? [];
    if (node === undefined || group === undefined) return;
    node.pots.delete(group);
    for (const account of accounts ?? []) this.#nodes.delete(account as string as NodeId);
  }

  get #changes() {
    return { number: this.#newest.number + 1, nowMs: this.#minute, joins: [], nameKeptMs: NAME_KEPT_MS };
  }

  get #staying(): Node[] {
    return [...this.#nodes.values()].filter(({ state }) => state === "member");
  }

  /** Who answers with a fence knows the view whose successor is sought. */
  get #areAllUpToDate(): boolean {
    return this.#staying.every(({ view }) => view === this.#newest);
  }

  /** Whether a node knows that another one has left. */
  #isLeftFor(node: Node, other: NodeId): boolean {
    const { state, heir } = this.#nodes.get(other) ?? {};
    return state === "left" && (heir === node.id || this.#random() < 0.5);
  }

  #add(id: NodeId): void {
    const ledger = new Ledger({ self: accountOf(id), founder: "n1" as AccountId });
    const node: Node = {
      ...{
        id,
        ledger,
        view: this.#newest,
        writes: [accountOf(id)],
        pots: new Map(),
        fenced: new Set(),
        state: "member",
      },
    };
    ledger.fold(accountsOf(this.#newest));
    this.#nodes.set(id, node);
  }

  #newName(): NodeId {
    return `n${++this.#names}` as NodeId;
  }

  #below(count: number): number {
    return Math.floor(this.#random() * count);
  }

  #any<Item>(items: readonly Item[]): Item | undefined {
    return items[this.#below(items.length)];
  }
}

function memberOf(node: NodeId, sinceMs: number) {
  return { node, locality: "here", sinceMs };
}

function writerIn({ members, heirs }: View, account: AccountId): NodeId | undefined {
  const own = members.find(({ node }) => accountOf(node) === account)?.node;
  return own ?? heirs.find(([former]) => former === account)?.[1];
}

/** The accounts whose units a node may use. */
function settledOf({ writes, pots }: Node): AccountId[] {
  const held = [...pots.values()].flat();
  return writes.filter((account) => !held.includes(account));
}

function unitsOf(
  { ledger }: Node,
  accounts: readonly AccountId[],
  purse: { readonly room: RoomId; readonly resource: Resource },
): number {
  return ledger.netUnits(accounts, { ...purse, minute: LATE });
}

/** What a node may use, by room and resource. */
function units(node: Node): number[] {
  return ROOMS.flatMap((room) => RESOURCES.map((resource) => unitsOf(node, settledOf(node), { room, resource })));
}
