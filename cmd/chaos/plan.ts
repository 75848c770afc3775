/**
 * The faults of a run, and when they happen: a plan is data, drawn from a seed.
 *
 * It does only harm that the promises cover: never half of the nodes at once, nothing for longer than a
 * session lasts without a check-in. A fault that removes a node does not recur before the share of the one before is
 * usable again, or the room would be idle in the end. Each kind occurs before any occurs twice.
 */

import { seededRandom } from "../crowd/random.ts";

export const FAULT_KINDS = ["kill", "pause", "wipe", "restart", "cut", "mute", "delay", "loss"] as const;
export type FaultKind = (typeof FAULT_KINDS)[number];

export interface Fault {
  /** Since the start of the run. */
  readonly atMs: number;
  readonly what: FaultKind;
  /** Numbers of nodes, from 1. */
  readonly nodes: readonly number[];
  /** For `restart`: how long each node is down, in sequence. */
  readonly forMs: number;
  /** For `delay`: added to each direction. */
  readonly byMs?: number;
  /** For `loss`: part of the connections that break within a second. */
  readonly part?: number;
}

export interface PlanSource {
  readonly seed: number;
  readonly nodes: number;
  readonly durationMs: number;
  readonly leaseMs: number;
  /** How long the share of a removed node is idle. */
  readonly idleMs: number;
}

/** Kinds that affect connections between nodes, so that there must be two. */
const OF_NETWORK: readonly FaultKind[] = ["cut", "mute", "delay", "loss"];

/** Below three nodes a node that is lost for good cannot be removed. */
const NODES_TO_WIPE = 3;

/** Before the first fault: visitors have come in, and the line has begun. */
const FIRST_MS = 5_000;

/** What a node needs to stop in good order and to be up again. */
const RESTART_MS = 2_500;

/** From a removal's first try to its view, and until the node is back in the mesh. */
const AGREE_MS = 4_000;

/** Longest delay that leaves a heartbeat's answer well within the shortest lease. */
const DELAY_MAX_MS = 300;

/** Faults in a plan; a run of an hour has some hundred. */
const FAULTS_MAX = 1_000;

/** The plan of a seed: the same for the same source. */
export function drawPlan(source: PlanSource): readonly Fault[] {
  const { seed, durationMs, leaseMs, idleMs } = source;
  const random = seededRandom(seed);
  const endMs = durationMs - restMs(leaseMs);
  const plan: Fault[] = [];
  let deck: FaultKind[] = [];
  let removesFromMs = 0;
  for (let atMs = FIRST_MS; plan.length < FAULTS_MAX; ) {
    const mayRemove = atMs >= removesFromMs;
    const isPlayable = (kind: FaultKind): boolean => mayRemove || kind !== "wipe";
    if (!deck.some(isPlayable)) deck = [...deck, ...shuffled(kindsFor(source.nodes), random)];
    const what = deck.splice(deck.findLastIndex(isPlayable), 1)[0] ?? "kill";
    const fault = draw(what, { ...source, atMs, mayRemove, random });
    const lengthMs = what === "restart" ? fault.nodes.length * (fault.forMs + RESTART_MS) : fault.forMs;
    if (atMs + lengthMs > endMs) return plan;
    plan.push(fault);
    if (isRemoval(fault, leaseMs)) removesFromMs = endOf(fault) + idleMs;
    // Network faults do not exclude other faults.
    const isWeather = what === "delay" || what === "loss";
    atMs += hundreds(isWeather ? lengthMs * random() : lengthMs + pauseAfter(fault, leaseMs) + 3_000 * random());
  }
  return plan;
}

/** The end of a run has no faults; all nodes must come together again. */
export function restMs(leaseMs: number): number {
  return 2 * leaseMs + AGREE_MS;
}

/** Whether nodes are removed from the mesh, with a lease of `leaseMs`. */
export function isRemoval({ what, forMs }: Fault, leaseMs: number): boolean {
  return what === "wipe" || (what !== "delay" && what !== "loss" && forMs > leaseMs);
}

/**
 * Whether nodes are removed at the end of a plan. Network faults do not exclude others: one may be over just after a
 * node was wiped.
 */
export function endsInRemoval(plan: readonly Fault[], leaseMs: number): boolean {
  const lastMs = Math.max(...plan.map(endOf));
  return plan.some((fault) => isRemoval(fault, leaseMs) && lastMs - endOf(fault) < restMs(leaseMs));
}

/** When it is over; of a restart of several nodes, about when. */
export function endOf({ atMs, forMs, what, nodes }: Fault): number {
  return atMs + (what === "restart" ? nodes.length * (forMs + RESTART_MS) : forMs);
}

/** What happens, for the timeline. */
export function faultText({ what, nodes, forMs, byMs = 0, part = 0 }: Fault): string {
  const who = `node${nodes.length === 1 ? "" : "s"} ${nodes.join(", ")}`;
  const forLong = `for ${forMs / 1_000} s`;
  const texts: Readonly<Record<FaultKind, string>> = {
    kill: `kill -9 ${who}, down ${forLong}`,
    pause: `SIGSTOP ${who} ${forLong}`,
    wipe: `kill -9 ${who}, disk wiped, down ${forLong}`,
    restart: `${nodes.length > 1 ? "rolling restart of" : "restart"} ${who}, down ${forLong}${nodes.length > 1 ? " each" : ""}`,
    cut: `${who} cut off from the others ${forLong}`,
    mute: `${who} not heard by the others ${forLong}, hears them`,
    delay: `all ways to and from ${who} ${byMs} ms longer ${forLong}`,
    loss: `connections of ${who} break, ${Math.round(part * 100)} % of them a second, ${forLong}`,
  };
  return texts[what];
}

interface Draw extends PlanSource {
  readonly atMs: number;
  readonly mayRemove: boolean;
  readonly random: () => number;
}

function draw(what: FaultKind, { atMs, nodes: count, leaseMs, mayRemove, random }: Draw): Fault {
  const some = shuffled(numbersTo(count), random);
  const minority = Math.max(1, Math.floor((count - 1) / 2));
  const isLong = mayRemove || what === "delay" || what === "loss";
  const forMs = hundreds((isLong ? 1.3 + 0.7 * random() : 0.2 + 0.5 * random()) * leaseMs);
  const fault = { atMs, what, nodes: some.slice(0, 1), forMs };
  switch (what) {
    case "wipe":
      return { ...fault, forMs: hundreds(1_000 + 2_000 * random()) };
    case "restart":
      return { ...fault, nodes: numbersTo(count), forMs: hundreds(500 * random()) };
    case "cut":
      return { ...fault, nodes: some.slice(0, 1 + Math.floor(random() * minority)).sort((one, other) => one - other) };
    case "delay":
      return { ...fault, byMs: 10 * Math.ceil((random() * DELAY_MAX_MS) / 10) };
    case "loss":
      return { ...fault, part: Math.ceil(1 + 4 * random()) / 10 };
    default:
      return fault;
  }
}

function kindsFor(nodes: number): FaultKind[] {
  return FAULT_KINDS.filter((kind) => (kind !== "wipe" || nodes >= NODES_TO_WIPE) && (nodes > 1 || isOfOne(kind)));
}

function isOfOne(kind: FaultKind): boolean {
  return !OF_NETWORK.includes(kind);
}

/** Time for the others to remove a node that was gone for longer than a lease, or is gone with its disk. */
function pauseAfter({ what, forMs }: Fault, leaseMs: number): number {
  if (what === "wipe") return 1.1 * leaseMs + AGREE_MS;
  return forMs > leaseMs ? AGREE_MS : 1_000;
}

function shuffled<Item>(items: readonly Item[], random: () => number): Item[] {
  return items
    .map((item) => ({ item, rank: random() }))
    .sort((one, other) => one.rank - other.rank)
    .map(({ item }) => item);
}

function numbersTo(count: number): number[] {
  return Array.from({ length: count }, (_, at) => at + 1);
}

/** Rounded up to a tenth of a second, so that a person can read it. */
function hundreds(ms: number): number {
  return Math.ceil(ms / 100) * 100;
}
