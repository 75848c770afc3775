/**
 * A few nodes with a `Members` each, one clock, and a network that delivers at once whatever a test lets through.
 */

import { seededRandom } from "../../../../cmd/crowd/random.ts";
import { type AccountId, accountOf, type NodeId } from "../../../../mesh/core/ids.ts";
import type { Instant } from "../../../../mesh/core/instant.ts";
import { Ledger } from "../../../../mesh/core/ledger/ledger.ts";
import type { RowData } from "../../../../mesh/core/ledger/row.ts";
import type { Testimony } from "../../../../mesh/core/members/hearing.ts";
import type { MemberMessage, MemberMessageKind } from "../../../../mesh/core/members/member-messages.ts";
import { Members, type StopReason } from "../../../../mesh/core/members/members.ts";
import { accountsOf } from "../../../../mesh/core/members/view.ts";
import type { Statement } from "../../../../mesh/core/members/witness.ts";
import { Outbox } from "../../../../mesh/core/wire/outbox.ts";
import type { WireRange } from "../../../../mesh/core/wire/wire-range.ts";

export const LEASE_MS = 30_000;
const TICK_MS = 100;

export interface TestNode {
  readonly incarnation: number;
  readonly self: NodeId;
  readonly disk: Map<string, unknown>;
  readonly taken: {
    readonly accounts: readonly AccountId[];
    readonly rows: readonly RowData[];
    readonly tables: unknown;
  }[];
  readonly stopped: StopReason[];
  ledger: Ledger;
  outbox: Outbox;
  members: Members;
  skewMs: number;
  /** The wire versions of its release; this one's if left out. */
  understands: WireRange | undefined;
  /** Whether it is known that the disk is not an old one. */
  isInStep: boolean;
  mayHandOver: boolean;
  mayTakeOver: boolean;
  hasLostCounts: boolean;
  /** What it can say after a removal. */
  statement: Statement | undefined;
  lacksGifts: boolean;
  /** What others said that were removed. */
  readonly heard: Testimony[];
}

export interface Carried {
  readonly from: NodeId;
  readonly to: NodeId;
  readonly message: MemberMessage;
}

export class MembersNet {
  readonly nodes = new Map<NodeId, TestNode>();
  /** What is let through; everything by default. */
  passes: (carried: Carried) => boolean = () => true;
  readonly carried: Carried[] = [];
  /** All nodes that ever ran, with their disks. */
  readonly #known = new Map<NodeId, TestNode>();
  #ms = 1_790_000_000_000;
  #incarnations = 0;

  now(node: TestNode): Instant {
    return { wallMs: this.#ms + node.skewMs, steadyMs: this.#ms - 1_780_000_000_000 };
  }

  /** Starts a node, or starts it again from its disk. */
  start(
    name: string,
    {
      found = false,
      understands,
      isDiskComplete = false,
    }: { found?: boolean; understands?: WireRange; isDiskComplete?: boolean } = {},
  ): TestNode {
    const self = name as NodeId;
    const before = this.#known.get(self);
    this.#incarnations += 1;
    const node = {
      self,
      incarnation: this.#incarnations,
      disk: before?.disk ?? new Map<string, unknown>(),
      taken: before?.taken ?? [],
      stopped: [] as StopReason[],
      ledger: before?.ledger ?? new Ledger({ self: accountOf(self), founder: "anna" as AccountId }),
      outbox: new Outbox(),
      skewMs: before?.skewMs ?? 0,
      understands,
      isInStep: true,
      mayHandOver: true,
      mayTakeOver: true,
      hasLostCounts: false,
      statement: undefined,
      lacksGifts: false,
      heard: before?.heard ?? [],
    } as unknown as TestNode;
    node.members = this.process(node, this.#incarnations, {
      ...{ found, isDiskComplete },
      isFirstRun: before === undefined,
    });
    this.nodes.set(self, node);
    this.#known.set(self, node);
    for (const other of this.nodes.values()) {
      if (other === node) continue;
      const theirs = { locality: "here", incarnation: 0, understands: other.understands };
      node.members.up(other.self, this.now(node), theirs);
      const hello = { locality: "here", incarnation: this.#incarnations, understands };
      other.members.up(self, this.now(other), hello);
    }
    this.flush();
    return node;
  }

  /** A `Members` on the node's disk. */
  process(
    node: TestNode,
    incarnation: number,
    {
      found,
      isDiskComplete = false,
      isFirstRun = false,
    }: { found: boolean; isDiskComplete?: boolean; isFirstRun?: boolean },
  ): Members {
    return new Members(
      {
        self: node.self,
        locality: "here",
        incarnation,
        isFirstRun,
        leaseMs: LEASE_MS,
        restored: new Map(node.disk),
        isDiskComplete,
        found,
        outbox: node.outbox,
        random: seededRandom(1),
        ...(node.understands && { understands: node.understands }),
        app: {
          accounts: () => node.ledger.accounts(),
          rows: (accounts) => accounts.map((account) => node.ledger.row(account)),
          viewChanged: (view) => void node.ledger.fold(accountsOf(view)),
          tables: () => `tables of ${node.self}`,
          takeOver: (_from, accounts, rows, tables) => {
            node.taken.push({ accounts, rows, tables });
            for (const row of rows) node.ledger.merge(row);
          },
          stoppedBy: (reason) => node.stopped.push(reason),
          isInStep: () => node.isInStep,
          mayHandOver: () => node.mayHandOver,
          mayTakeOver: () => node.mayTakeOver,
          heirLost: () => {
            node.hasLostCounts = true;
          },
          hasLostCounts: () => node.hasLostCounts,
          testimony: {
            statement: () => node.statement,
            lacksGifts: () => node.lacksGifts,
            mayHear: () => true,
            problemOf: () => undefined,
            take: (said) => node.heard.push(said),
          },
          log: () => {},
        },
      },
      this.now(node),
    );
  }

  /** The process is gone; its disk stays. */
  stop(name: string): void {
    this.nodes.delete(name as NodeId);
  }

  /** Lets time pass, with a tick of every node each 100 ms. */
  run(ms: number): void {
    for (let passed = 0; passed < ms; passed += TICK_MS) {
      this.#ms += TICK_MS;
      for (const node of this.nodes.values()) node.members.tick(this.now(node));
      this.flush();
    }
  }

  /** Lets time pass in which nobody does anything. */
  sleep(ms: number): void {
    this.#ms += ms;
  }

  flush(): void {
    for (let isMore = true; isMore; ) {
      isMore = false;
      for (const node of this.nodes.values()) {
        if (node.outbox.isEmpty) continue;
        isMore = true;
        const { writes, sent } = node.outbox.take();
        for (const [key, value] of writes) {
          if (value === undefined) node.disk.delete(key);
          else node.disk.set(key, value);
        }
        for (const { to, message } of sent) this.#carry({ from: node.self, to, message: message as MemberMessage });
      }
    }
  }

  /** Messages of a kind that were sent since the last look, let through or not. */
  sent(kind: MemberMessageKind): Carried[] {
    return this.carried.filter(({ message }) => message.kind === kind);
  }

  #carry(carried: Carried): void {
    this.carried.push(carried);
    const target = this.nodes.get(carried.to);
    if (target === undefined || !this.passes(carried)) return;
    target.members.receive(carried.from, carried.message, this.now(target));
  }
}

/** A net of nodes that are all members, the first the founder, and all with a lease. */
export function netOf(...names: string[]): MembersNet {
  return joined(new MembersNet(), names);
}

/** The same in a net made before. */
export function joined(net: MembersNet, names: readonly string[]): MembersNet {
  for (const [index, name] of names.entries()) {
    net.start(name, { found: index === 0 });
    net.run(1_000);
  }
  net.run(3_000);
  return net;
}

/** The node of this name. */
export function at(net: MembersNet, name: string): TestNode {
  const node = net.nodes.get(name as NodeId);
  if (node === undefined) throw new Error(`no node ${name}`);
  return node;
}
