/**
 * Which view this node knows: it asks for newer ones, sends them, accepts them whole, and asks to join if it has none.
 *
 * A node that knows a newer view sends it before anything else.
 */

import { type AccountId, accountOf, type NodeId } from "../ids.ts";
import type { Instant } from "../instant.ts";
import { WIRE_VERSION_FIRST } from "../wire/wire-range.ts";
import type { Departures } from "./departures.ts";
import type { Of } from "./member-messages.ts";
import type { MemberParts } from "./member-parts.ts";
import type { Proposer } from "./proposer.ts";
import type { Reachability } from "./reachability.ts";
import { type View, writerOf } from "./view.ts";

/**
 * Pause before a node is asked for its view again, or sent the same one, in ms. More delays the repair of a loss; less
 * multiplies traffic in an old view.
 */
const VIEW_AGAIN_MS = 200;

/** Questions and answers that are remembered for that. */
const LATELY_MAX = 2_000;

export interface ViewsHooks {
  readonly proposer: () => Proposer;
  /** This node was removed; it had written these accounts. */
  readonly setAside: (wrote: readonly AccountId[]) => void;
  /** This node inherits from these, which may return. */
  readonly inherits: (nodes: readonly NodeId[]) => void;
}

export class Views {
  readonly #parts: MemberParts;
  readonly #reach: Reachability;
  readonly #departures: Departures;
  readonly #hooks: ViewsHooks;
  /** When views were last requested and sent, from and to which node. */
  readonly #lately = new Map<string, number>();

  constructor(parts: MemberParts, beside: { reach: Reachability; departures: Departures }, hooks: ViewsHooks) {
    this.#parts = parts;
    this.#reach = beside.reach;
    this.#departures = beside.departures;
    this.#hooks = hooks;
  }

  found(now: Instant): void {
    const { self, locality } = this.#parts;
    const members = [{ node: self, locality, sinceMs: Math.round(now.wallMs) }];
    const { wire } = this.#parts;
    const view = {
      number: 1,
      members,
      voters: [self],
      heirs: [],
      openings: [],
      root: accountOf(self),
      sessionMinutes: this.#parts.sessions.allowed,
      ...(wire > WIRE_VERSION_FIRST && { wire }),
    };
    this.#parts.book.learn(view);
    this.#parts.sessions.learned(view, [], now);
    this.#parts.putView();
    this.#parts.succession.renew();
    this.#parts.voter.begin(view, [self]);
  }

  /**
   * A message of `node` about something else was written in view `number`. It may be used only if that is this node's
   * view.
   */
  sawView(node: NodeId, number: number, now: Instant): void {
    const own = this.#parts.book.number;
    if (number > own) this.askView(node, now);
    else if (number < own) this.tellView(node, number, now);
  }

  askView(node: NodeId, now: Instant): void {
    if (!this.#isAgain(`ask ${node}`, now)) this.#parts.send(node, { kind: "view-wanted" }, now);
  }

  tellView(node: NodeId, number: number, now: Instant): void {
    const { view } = this.#parts.book;
    if (view === undefined || number >= view.number || node === this.#parts.self) return;
    if (this.#isAgain(`tell ${node} ${number}`, now)) return;
    this.#parts.send(node, { kind: "decided", decided: view }, now);
    this.#parts.heartbeats.hurry(node);
  }

  hearDecided({ decided }: Of<"decided">, now: Instant): void {
    if (decided.number <= this.#parts.book.number || this.#parts.tenure.over !== undefined) return;
    if (this.#parts.isUnderstood(decided, this.#parts.self)) this.#learn(decided, now);
  }

  decided(view: View, now: Instant): void {
    const { nodes, number } = this.#parts.book;
    this.#parts.app.log(`view ${view.number} is decided: ${view.members.map(({ node }) => node).join(", ")}`);
    this.#learn(view, now);
    for (const node of new Set([...nodes, ...this.#parts.book.nodes]))
      this.tellView(node, nodes.has(node) ? number : 0, now);
  }

  /** Accepts a view: only whole, and only as decided. */
  #learn(view: View, now: Instant): void {
    const { self, book, succession } = this.#parts;
    const before = book.view;
    const isIn = view.members.some(({ node }) => node === self);
    if (before === undefined && !isIn) return;
    const wrote = before === undefined ? [accountOf(self)] : succession.written;
    book.learn(view);
    this.#parts.sessions.learned(view, book.others, now);
    this.#dropWhatIsOver(before);
    this.#voteIn(view);
    if (!isIn) {
      this.#end(view, wrote);
      return;
    }
    this.#beginLease(view);
    this.#turnToMembers(now);
    this.#inherit(view, wrote, now);
    this.#parts.app.viewChanged(view, now);
  }

  /** Removes what was about the view before, and about former members. The view is on disk before fences are lifted. */
  #dropWhatIsOver(before: View | undefined): void {
    const { runs, book, succession, tenure, handovers } = this.#parts;
    const { nodes } = book;
    runs.keepOnly((node) => nodes.has(node));
    this.#lately.clear();
    this.#parts.putView();
    this.#parts.liftFences();
    this.#parts.relays.begin();
    const gone = succession.viewChanged(before);
    // One that is connected may be joining.
    tenure.keepOnly((node) => nodes.has(node) || (this.#reach.connected.has(node) && !gone.includes(node)));
    if (handovers.keepOnly((node) => nodes.has(node))) this.#parts.putHandovers();
    succession.renew();
  }

  /** Nothing is promised or voted for the successor of this view: by this node, or for those that left to it. */
  #voteIn(view: View): void {
    const { self, book } = this.#parts;
    const { nodes } = book;
    this.#parts.voter.begin(view, [self, ...this.#parts.handovers.leavers.filter((leaver) => nodes.has(leaver))]);
  }

  /** This node is not a member of `view`: it has left, or was removed. */
  #end(view: View, wrote: readonly AccountId[]): void {
    const heir = writerOf(view, accountOf(this.#parts.self));
    if (heir !== undefined && this.#departures.howItEnded() === "left") this.#departures.leaver.decided(heir);
    this.#hooks.setAside(wrote);
    this.#parts.tenure.stop("removed");
  }

  /** Leases and pledges count in one view only. */
  #beginLease(view: View): void {
    this.#parts.lease.begin();
    this.#parts.pledges.begin();
    this.#parts.kept.begin(view.pledges);
  }

  #turnToMembers(now: Instant): void {
    const { nodes } = this.#parts.book;
    this.#reach.follow(now);
    this.#parts.heartbeats.hurry();
    this.#parts.joins.done(nodes);
    this.#hooks.proposer().begin();
    this.#departures.leaver.viewChanged((node) => nodes.has(node), now);
  }

  /** The accounts that this node writes according to `view`, and did not before, go into a pot. */
  #inherit(view: View, wrote: readonly AccountId[], now: Instant) {
    const inherited = this.#parts.succession.written.filter((account) => !wrote.includes(account));
    if (inherited.length === 0) return;
    const returning = this.#parts.pots.inherit(inherited, view, now);
    if (returning.length > 0) this.#hooks.inherits(returning);
    this.#parts.putPots(now);
  }

  askToJoin(node: NodeId, now: Instant): void {
    const { self, locality } = this.#parts;
    this.#parts.send(node, { kind: "join", node: self, locality }, now);
  }

  hearJoin(from: NodeId, { node, locality }: Of<"join">, now: Instant): void {
    const { view, nodes } = this.#parts.book;
    if (view === undefined) return;
    if (nodes.has(node)) {
      if (from === node) this.tellView(node, 0, now);
      return;
    }
    // An account of this name has an heir: the identity was used up.
    if (view.heirs.some(([account]) => account === accountOf(node))) {
      if (from === node) this.#parts.send(node, { kind: "over" }, now);
      return;
    }
    if (from === node && !this.#parts.wires.does(node, this.#parts.wire, this.#parts.wire)) return;
    this.#parts.joins.ask({ node, locality }, now.steadyMs);
    const longestStanding = this.#reach.alive(now)[0];
    if (from === node && longestStanding !== undefined && longestStanding !== this.#parts.self)
      this.#parts.send(longestStanding, { kind: "join", node, locality }, now);
  }

  hearOver({ newest }: Of<"over">): void {
    if (newest !== undefined) this.#parts.tenure.outrun(newest);
    else if (this.#parts.book.view === undefined) this.#parts.tenure.stop("removed");
  }

  /** Whether the same was done a moment ago: of many messages from another view only the first deserves an answer. */
  #isAgain(what: string, { steadyMs }: Instant): boolean {
    if (steadyMs - (this.#lately.get(what) ?? Number.NEGATIVE_INFINITY) < VIEW_AGAIN_MS) return true;
    if (this.#lately.size >= LATELY_MAX) this.#lately.clear();
    this.#lately.set(what, steadyMs);
    return false;
  }
}
