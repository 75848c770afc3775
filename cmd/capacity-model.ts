/**
 * What a crowd takes: nodes, cores, memory, bandwidth and descriptors, computed from measured costs.
 *
 * The peak is the start of a sale: the whole line arrives within a minute and polls already, while all visitors inside
 * browse through the gates. Figures of a node are for the time when one node is lost. TLS and what the site itself
 * sends are not included.
 */

import { DEFAULT_HTTP_LIMITS } from "../node/http/limits.ts";

/** A measured cost, and where its figure comes from. */
export interface Cost {
  readonly value: number;
  readonly unit: string;
  readonly of: string;
  readonly source: string;
}

const POLLS = "performance.md, one node, 21 November 2026";
const VISITORS = "performance.md, one node, 23 November 2026";
const SOCKETS = "9,000 connections that poll once and stay, 22 November 2026";

export const COSTS = {
  poll: { value: 27, unit: "µs", of: "CPU of a poll", source: POLLS },
  newcomer: { value: 88, unit: "µs", of: "CPU of a new visitor who gets the waiting page", source: VISITORS },
  admission: { value: 66, unit: "µs", of: "CPU of an admission", source: VISITORS },
  request: { value: 47, unit: "µs", of: "CPU of a request from an admitted visitor", source: VISITORS },
  node: {
    value: 60_000,
    unit: "µs/s",
    of: "CPU of a node's part in the mesh",
    source: "performance.md, one of ten idle nodes",
  },
  resting: { value: 120_000_000, unit: "bytes", of: "memory of a node after some thousand requests", source: SOCKETS },
  waiting: {
    value: 250,
    unit: "bytes",
    of: "memory of a visitor in line",
    source: "performance.md: 25 MB for 100,000",
  },
  session: { value: 100, unit: "bytes", of: "memory of a session", source: "performance.md, an estimate" },
  connection: {
    value: 3_100,
    unit: "bytes",
    of: "memory of a connection that waits for the next request",
    source: SOCKETS,
  },
  pollIn: { value: 540, unit: "bytes", of: "a poll, received", source: SOCKETS },
  pollOut: { value: 1_010, unit: "bytes", of: "its answer, sent", source: SOCKETS },
  pageIn: { value: 460, unit: "bytes", of: "a first request, received", source: SOCKETS },
  pageOut: {
    value: 17_000,
    unit: "bytes",
    of: "the waiting page with its head, sent",
    source: "15.6 kB in English, 22 November 2026",
  },
} as const satisfies Readonly<Record<string, Cost>>;

/** What is taken for granted where nothing was measured. */
export const ASSUMED = {
  /** A sale is announced for a minute, and nearly everybody is early. Half of it doubles the bytes of pages. */
  arrivalSeconds: 60,
  /** A page with its images every half minute. With a fast lane it is 1. */
  requestsPerVisitorMinute: 60,
  /** Polls of a visitor in the last 80 s: from every 20 s down to every 2 s. */
  lastPolls: 14,
  /** Connections to the origin are in use for this long for each request. */
  originSeconds: 1,
  /** The mesh, the admin address, the disk. */
  otherFiles: 100,
  /** A stay, where no admissions per minute are given. */
  stayMinutes: 5,
} as const;

/** What is measured on a quiet machine is planned twice: a burst, a slower core and a garbage collection must fit. */
export const MARGIN = 2;

/** A mesh of three survives the loss of any node by itself. */
const NODES_MIN = 3;

/** Far beyond any mesh that was tried. */
export const NODES_MAX = 1_000;

export interface Crowd {
  readonly waiting: number;
  readonly inside: number;
  readonly perMinute: number;
  readonly refreshSeconds: number;
}

export interface Capacity {
  readonly nodes: number;
  /** Whether that many nodes carry the crowd with the margin, also without one of them. */
  readonly fits: boolean;
  /** What one node needs while another is lost, margin included. */
  readonly each: {
    readonly cores: number;
    readonly memoryBytes: number;
    readonly receivedBitsPerSecond: number;
    readonly sentBitsPerSecond: number;
    readonly connections: number;
    readonly descriptors: number;
  };
}

/** What `crowd` takes on `nodes` nodes; by default on as many as it needs. */
export function capacityOf(crowd: Crowd, nodes?: number): Capacity {
  if (nodes !== undefined) return onNodes(crowd, nodes);
  for (let count = NODES_MIN; count < NODES_MAX; count++) {
    const capacity = onNodes(crowd, count);
    if (capacity.fits) return capacity;
  }
  return onNodes(crowd, NODES_MAX);
}

function onNodes({ waiting, inside, perMinute, refreshSeconds }: Crowd, nodes: number): Capacity {
  const left = Math.max(1, nodes - 1);
  const admissions = perMinute / 60;
  const polls = waiting / refreshSeconds + admissions * ASSUMED.lastPolls;
  const newcomers = waiting / ASSUMED.arrivalSeconds;
  const requests = (inside * ASSUMED.requestsPerVisitorMinute) / 60;
  const { poll, newcomer, admission, request, node, resting, session, connection } = COSTS;
  const busy =
    polls * poll.value + newcomers * newcomer.value + admissions * admission.value + requests * request.value;
  const connections = Math.ceil((waiting + inside) / left);
  const bits = (ofPoll: number, ofPage: number) => (8 * MARGIN * (polls * ofPoll + newcomers * ofPage)) / left;
  // Every node may come to keep the whole line of its locality, and the heir of a lost node keeps its sessions.
  const kept = waiting * COSTS.waiting.value + inside * session.value + connections * connection.value;
  const cores = (MARGIN * (busy / left + node.value)) / 1e6;
  const isConnected = connections <= DEFAULT_HTTP_LIMITS.connectionsMax;
  return {
    nodes,
    fits: cores <= 1 && isConnected,
    each: {
      cores,
      memoryBytes: MARGIN * (resting.value + kept),
      receivedBitsPerSecond: bits(COSTS.pollIn.value, COSTS.pageIn.value),
      sentBitsPerSecond: bits(COSTS.pollOut.value, COSTS.pageOut.value),
      connections,
      descriptors: connections + Math.ceil((requests / left) * ASSUMED.originSeconds * MARGIN) + ASSUMED.otherFiles,
    },
  };
}
