/**
 * The ticket counter: which of a locality's visitors is admitted next, and on which slot.
 *
 * Gates ask for all their visitors of an instant at once. Each visitor either goes (a slot is given to the gate by a
 * gift, which is what bounds the limit) or gets a place in the one line of the locality. When the own slots are used
 * up, slots are fetched: from sibling gates first, the richest first, then from other localities, the nearest first
 * (WR-15, WR-16).
 *
 * Every node has one, and any node that is asked acts: two counters at once can only hand out what each of them
 * owns.
 */

import { type AccountId, accountOf, type Minute, type NodeId, type RoomId } from "../../../mesh/core/ids.ts";
import { RESOURCES, type RowData } from "../../../mesh/core/ledger/row.ts";
import type { Room } from "../../config/room.ts";
import { Recent } from "../../recent.ts";
import type { Admission } from "../admission.ts";
import { isSpecial, type RoomConfig } from "../room-config.ts";
import type { Fetch, Fetcher } from "../site.ts";
import { Elsewhere } from "./elsewhere.ts";
import { type Both, leastOf, NOTHING, type OwnSlots } from "./own-slots.ts";
import type { Answer, Asked } from "./room-messages.ts";
import type { RoomNode, Waiting } from "./room-node.ts";

export interface AskRequest {
  readonly from: NodeId;
  readonly asked: readonly Asked[];
  /** Their lanes, in the same order; none if left out. */
  readonly lanes?: readonly number[] | undefined;
  /** Free slots of the asking gate, unpaired ones too, and its units. */
  readonly free: Both;
  readonly units: Both;
}

export interface AskReply {
  /** In the order of the questions. */
  readonly answers: readonly Answer[];
  readonly row: RowData | undefined;
}

/** A node that may have slots to spare. */
interface Source {
  readonly node: NodeId;
  readonly free: Both;
}

/** A gate whose visitors are decided on. */
interface Asking extends Pick<AskRequest, "from" | "free"> {
  /** How long a new visitor may wait for slots. */
  readonly untilMs: number;
  /** Its visitors who go. */
  goes: number;
}

interface Waiter extends Asking, AskRequest {
  readonly answers: Answer[];
  readonly onAnswer: (reply: AskReply, nowMs: number) => void;
}

/**
 * How long a new visitor may wait for slots that are fetched, before a place in line is given. A sibling answers in 1
 * ms, an ocean in 80.
 */
const FETCH_MS = 400;

/** Longest wait for another node's answer to a recall. Other parts notice a dead node sooner. */
const RECALL_MS = 1_000;

/** Requests held at once while slots are fetched; further ones are answered with what there is. */
const HELD_MAX = 1_000;

/**
 * How long an admitted visitor is remembered: a second poll may be under way at another gate, or the place be used
 * again.
 */
const SENT_MS = 600_000;
/** Of more, the oldest are forgotten: their place may then be used again at another gate than before. */
const SENT_MAX = 100_000;

/**
 * A locality whose line is older has precedence for this long after it asked for slots. If it has gone quiet, slots
 * must not stay idle for it.
 */
const ASKED_MS = 2_000;

export interface TicketCounterParts {
  readonly id: RoomId;
  readonly roomNode: RoomNode;
  readonly admission: Admission;
  readonly config: RoomConfig;
  readonly slots: OwnSlots;
  /** The line of this locality as known here, this node's own if it is the counter. */
  readonly waiting: () => Waiting;
}

export class TicketCounter {
  readonly #parts: TicketCounterParts;
  readonly elsewhere: Elsewhere;
  readonly #held: Waiter[] = [];
  /** By session id: the home of an admitted visitor. */
  readonly #sent = new Recent<string, AccountId>({ forMs: SENT_MS, max: SENT_MAX });
  /** When each other locality last asked for slots. */
  readonly #askedMs = new Map<string, number>();
  #fetching = 0;

  constructor(parts: TicketCounterParts) {
    this.#parts = parts;
    this.elsewhere = new Elsewhere(parts, (nowMs) => parts.slots.free(nowMs));
  }

  get #room(): Room {
    return this.#parts.config.room;
  }

  /** Decides on a gate's visitors; `onAnswer` is called at once, or when fetched slots have arrived. */
  ask(request: AskRequest, nowMs: number, onAnswer: (reply: AskReply, nowMs: number) => void): void {
    const untilMs = this.#held.length < HELD_MAX ? nowMs + FETCH_MS : nowMs;
    this.#held.push({ ...request, answers: [], goes: 0, untilMs, onAnswer });
    this.#work(nowMs);
  }

  /**
   * Decides on a visitor of this gate at once; undefined if others wait for slots that are fetched, or this visitor must:
   * then it is asked.
   */
  decideNow(asked: Asked, lane: number | undefined, nowMs: number): Answer | undefined {
    if (this.#held.length > 0) return undefined;
    const { self } = this.#parts.roomNode;
    const visitor = { from: self, free: NOTHING, goes: 0, untilMs: nowMs + FETCH_MS };
    return this.#decide(visitor, asked, { lane, nowMs });
  }

  /** Slots for another node's ticket counter, or for the own locality's, and how many more it could have. */
  lend(
    to: { readonly node: NodeId; readonly locality: string; readonly joined: Minute },
    wanted: { readonly slots: Both; readonly units: Both },
    nowMs: number,
  ): { readonly row: RowData | undefined; readonly free: Both } {
    const { roomNode, slots } = this.#parts;
    if (to.locality === roomNode.locality) {
      const row = slots.give(to.node, wanted, nowMs);
      return { row, free: slots.free(nowMs) };
    }
    this.#askedMs.set(to.locality, nowMs);
    const by = { joined: to.joined, here: this.#parts.waiting(), nowMs };
    const kept = this.elsewhere.keptBack(roomNode.locality, this.#room, by);
    const here = this.elsewhere.freeIn(roomNode.locality, nowMs);
    // What siblings have may be used by now: what is owed stays here.
    const { owed } = this.#parts.admission;
    const own = slots.free(nowMs);
    const lendable = {
      active: Math.max(0, Math.min(here.active - kept, own.active - owed)),
      arrivals: Math.max(0, Math.min(here.arrivals - kept, own.arrivals - owed)),
    };
    const given = leastOf(wanted.slots, lendable);
    const row = slots.give(to.node, { ...wanted, slots: given }, nowMs);
    const left = { active: lendable.active - given.active, arrivals: lendable.arrivals - given.arrivals };
    return { row, free: leastOf(slots.free(nowMs), left) };
  }

  /** Every half second at the ticket counter: calls visitors, and fetches slots for those in line. */
  tick(nowMs: number): void {
    this.#work(nowMs);
    this.#sent.turn(nowMs);
    const { admission } = this.#parts;
    if (admission.waiting === 0 || this.#room.queueAll) return;
    const free = this.#parts.slots.pairs(nowMs);
    admission.call(free > 0 ? this.#callable(free, nowMs) : 0, nowMs);
    this.#recallFor(Math.min(admission.waiting, this.#fair(nowMs)), nowMs);
  }

  /** Visitors waiting for slots that are being fetched, in the order in which they asked. */
  #work(nowMs: number): void {
    for (let waiter = this.#held[0]; waiter !== undefined; waiter = this.#held[0])
      if (!this.#answer(waiter, nowMs)) return;
  }

  /** Decides on the first of those held, and answers it; returns whether that could be done now. */
  #answer(waiter: Waiter, nowMs: number): boolean {
    let mustWait = false;
    try {
      while (waiter.answers.length < waiter.asked.length) {
        const next = waiter.asked[waiter.answers.length];
        const lane = waiter.lanes?.[waiter.answers.length];
        const answer = next && this.#decide(waiter, next, { lane, nowMs });
        mustWait = answer === undefined;
        if (answer === undefined) return false;
        waiter.answers.push(answer);
      }
    } finally {
      // Also when a decision throws: those behind must not wait for it for ever.
      if (!mustWait) this.#held.shift();
    }
    waiter.onAnswer({ answers: waiter.answers, row: this.#handOver(waiter, nowMs) }, nowMs);
    return true;
  }

  /** Undefined: it must wait for slots that are being fetched. */
  #decide(
    waiter: Asking,
    [id, key, how]: Asked,
    { lane, nowMs }: { lane: number | undefined; nowMs: number },
  ): Answer | undefined {
    const home = this.#sent.get(id);
    // A visitor who was sent to this very gate and is asked for again did not find the slot there.
    if (home !== undefined && how === "first" && home !== accountOf(waiter.from)) return { kind: "inside", home };
    const { admission } = this.#parts;
    const own = this.#parts.slots.usable(nowMs);
    const free = this.#pairsFor(waiter, own);
    const isNew = key === 0 && how !== "place";
    if (isNew && admission.waiting >= free && this.#isWorthWaiting(waiter, free, nowMs)) return undefined;
    // A sibling still keeps the line: its visitors come before new ones, who wait for it to be handed over.
    const mustWait = how === "place" || (isNew && this.#isLineElsewhere());
    const callable = mustWait ? 0 : this.#callable(free, nowMs);
    const forAll = Math.min(callable, this.#pairsForAll(waiter, own));
    const entry = admission.enter(key === 0 ? undefined : key, nowMs, callable, { forAll, lane });
    if (entry.kind === "waiting") {
      const { key: place, rank, wait = null } = entry.place;
      // The visitor's cookie remembers what was told, but for a node alone, which does so in its line.
      const position = this.#parts.roomNode.others.length > 0 ? rank : entry.place.position;
      return { kind: "waiting", key: place, position, wait };
    }
    if (entry.kind === "go") {
      waiter.goes += 1;
      this.#sent.set(id, accountOf(waiter.from), nowMs);
    }
    return entry;
  }

  #isLineElsewhere(): boolean {
    const { roomNode, id, admission } = this.#parts;
    if (admission.waiting > 0) return false;
    const siblings = roomNode.alive().get(roomNode.locality) ?? [];
    return siblings.some((node) => node !== roomNode.self && (roomNode.gauge(node, id)?.places.length ?? 0) > 0);
  }

  /** Whether slots for a new visitor are on their way, or worth fetching, beside the `free` ones. */
  #isWorthWaiting(waiter: Asking, free: number, nowMs: number): boolean {
    if (waiter.untilMs <= nowMs || this.#room.queueAll || isSpecial(this.#room)) return false;
    // Other visitors are in line already, and not all of them have a slot: fetched slots are for them.
    const { waiting } = this.#parts.admission;
    if (waiting > free) return false;
    if (this.#fetching > 0) return true;
    const held = this.#held.reduce((sum, { asked, answers }) => sum + asked.length - answers.length, 0);
    // A visitor who is decided on at once is held by nobody yet.
    this.#recallFor(waiting + Math.max(1, held), nowMs);
    return this.#fetching > 0;
  }

  /**
   * New visitors that can be admitted at the asking gate: on slots given from here, of which `own` are free, and on its
   * own.
   */
  #pairsFor({ from, free, goes }: Asking, own: Both): number {
    const theirs = from === this.#parts.roomNode.self ? NOTHING : free;
    return Math.min(own.active + theirs.active, own.arrivals + theirs.arrivals) - goes;
  }

  /**
   * The part of them that a visitor at any gate can have: the slots here, less those that the gate lacks for its
   * admitted visitors.
   */
  #pairsForAll({ from, free, goes }: Asking, { active, arrivals }: Both): number {
    const theirs = from === this.#parts.roomNode.self ? NOTHING : free;
    return Math.min(active - Math.max(0, goes - theirs.active), arrivals - Math.max(0, goes - theirs.arrivals));
  }

  #handOver({ from, goes, free, units }: Waiter, nowMs: number): RowData | undefined {
    const { roomNode, slots, config } = this.#parts;
    if (goes === 0 || from === roomNode.self) return undefined;
    const wanted = { active: Math.max(0, goes - free.active), arrivals: Math.max(0, goes - free.arrivals) };
    const row = slots.give(from, { slots: wanted, units }, nowMs);
    const ofSite = config.site?.give(from, wanted, nowMs);
    if (row === undefined || ofSite === undefined) return row ?? ofSite;
    return { ...row, gifts: [...row.gifts, ...ofSite.gifts] };
  }

  /** How many may be called on `free` slots: none before older visitors of localities that ask for slots. */
  #callable(free: number, nowMs: number): number {
    if (this.elsewhere.hasRivals(nowMs)) return Math.min(free, this.#fair(nowMs));
    if (this.#askedMs.size === 0) return free;
    const alive = this.#parts.roomNode.alive();
    const isContested = [...this.#askedMs].some(
      ([locality, atMs]) =>
        nowMs - atMs < ASKED_MS && alive.has(locality) && this.elsewhere.waitingIn(locality).length > 0,
    );
    return isContested ? Math.min(free, this.#fair(nowMs)) : free;
  }

  /**
   * How many of this line are among those to be admitted on all slots that are free anywhere, the oldest of all
   * localities first. Visitors who were overtaken already are among them.
   */
  #fair(nowMs: number): number {
    const { roomNode, admission, waiting } = this.#parts;
    return Math.max(this.elsewhere.dueIn(roomNode.locality, waiting(), nowMs), admission.owed);
  }

  /**
   * Recalls slots that other nodes have free, so that up to `most` visitors can be admitted.
   */
  #recallFor(most: number, nowMs: number): void {
    if (this.#fetching > 0) return;
    const { site } = this.#parts.config;
    const joined = this.#oldest(nowMs);
    // A slot without one of the site would only be idle here.
    const slots = Math.min(most, site?.reach(joined, nowMs) ?? most);
    const by = {
      asked: () => {
        this.#fetching += 1;
      },
      lent: (thenMs: number) => {
        this.#fetching -= 1;
        if (this.#fetching === 0) this.#work(thenMs);
      },
    };
    const count = this.fetchFor({ slots, joined }, nowMs, by);
    site?.fetchFor({ slots: count, joined }, nowMs, by);
  }

  /** New visitors for whom slots are here, or can be fetched. */
  reach(joined: Minute, nowMs: number): number {
    const { slots, roomNode, id } = this.#parts;
    return roomNode.mayAct(id) ? pairsOf(slots.free(nowMs), this.#sources(joined, nowMs)) : 0;
  }

  /** Recalls what is missing here for so many new visitors, or for as many as there are slots for: returns that. */
  fetchFor({ slots: most, joined }: Fetch, nowMs: number, by: Fetcher): number {
    // Slots sent to a node that holds back are idle, and it would fetch more.
    if (!this.#parts.roomNode.mayAct(this.#parts.id)) return 0;
    const own = this.#parts.slots.free(nowMs);
    const sources = this.#sources(joined, nowMs);
    // One resource without the other would only be idle here.
    const count = Math.min(most, pairsOf(own, sources));
    const wanted = { active: Math.max(0, count - own.active), arrivals: Math.max(0, count - own.arrivals) };
    let missing: Both = wanted;
    for (const { node, free } of sources) {
      if (missing.active + missing.arrivals === 0) break;
      const part = leastOf(missing, free);
      if (part.active + part.arrivals === 0) continue;
      missing = { active: missing.active - part.active, arrivals: missing.arrivals - part.arrivals };
      this.#recall(node, { slots: part, joined, by }, nowMs);
    }
    return count;
  }

  /** Nodes that may have slots to spare: siblings, the richest first, then by locality, the nearest first. */
  #sources(oldest: Minute, nowMs: number): Source[] {
    const { roomNode } = this.#parts;
    const nearness = ([, nodes]: readonly [string, readonly NodeId[]]): number =>
      Math.min(...nodes.map((node) => roomNode.roundTripMs(node)));
    const localities = [...roomNode.alive()].sort((one, other) =>
      one[0] === roomNode.locality ? -1 : other[0] === roomNode.locality ? 1 : nearness(one) - nearness(other),
    );
    return localities.flatMap(([locality, nodes]) => {
      if (locality === roomNode.locality) return this.#richestFirst(nodes, nowMs);
      const by = { joined: oldest, here: this.#parts.waiting(), nowMs };
      const kept = this.elsewhere.keptBack(locality, this.#room, by);
      const all = this.elsewhere.freeIn(locality, nowMs);
      const most = { active: Math.max(0, all.active - kept), arrivals: Math.max(0, all.arrivals - kept) };
      return upTo(most, this.#richestFirst(nodes, nowMs));
    });
  }

  #richestFirst(nodes: readonly NodeId[], nowMs: number): Source[] {
    return nodes
      .filter((node) => node !== this.#parts.roomNode.self)
      .map((node) => ({ node, free: this.elsewhere.freeAt(node, nowMs) }))
      .sort((one, other) => richness(other.free) - richness(one.free) || (one.node < other.node ? -1 : 1));
  }

  /** The minute in which the oldest visitor joined for whom slots are fetched. */
  #oldest(nowMs: number): Minute {
    return this.#parts.waiting()[0]?.[0] ?? this.#parts.admission.minuteAt(nowMs);
  }

  #recall(
    node: NodeId,
    { by, ...wanted }: { readonly slots: Both; readonly joined: Minute; readonly by: Fetcher },
    nowMs: number,
  ): void {
    const { roomNode, slots, id } = this.#parts;
    const question = { kind: "recall", room: id, ...wanted, units: slots.units(nowMs) } as const;
    by.asked();
    roomNode.ask(node, question, RECALL_MS, (lent, thenMs) => {
      if (lent?.row !== undefined) roomNode.receive(node, lent.row);
      // A node that does not answer has nothing for us until it is heard again.
      this.elsewhere.correct(node, lent?.free ?? NOTHING, thenMs);
      by.lent(thenMs);
    });
  }
}

/** New visitors who could be admitted on own slots and all those of `sources`. */
function pairsOf(own: Both, sources: readonly Source[]): number {
  return Math.min(
    ...RESOURCES.map((resource) => sources.reduce((sum, { free }) => sum + free[resource], own[resource])),
  );
}

/** The same sources, reduced to `most` together. */
function upTo(most: Both, sources: readonly Source[]): Source[] {
  let left = most;
  return sources.flatMap(({ node, free }) => {
    const part = leastOf(free, left);
    left = { active: left.active - part.active, arrivals: left.arrivals - part.arrivals };
    return part.active + part.arrivals === 0 ? [] : [{ node, free: part }];
  });
}

function richness({ active, arrivals }: Both): number {
  return Math.max(active, arrivals);
}
