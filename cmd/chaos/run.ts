/**
 * One run: starts nodes, origin and visitors, performs the plan, collects for the judge, and ends everything.
 */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { RoomId } from "../../mesh/core/ids.ts";
import { minuteOf } from "../../mesh/core/minute.ts";
import { CookieSeal, JweCipher, KeyRing, type VisitorCookie } from "../../node/cookie/seal.ts";
import { ephemeralIdentity } from "../../node/storage/identity.ts";
import { allHold, type Check } from "../checks.ts";
import { pause } from "../crowd/clock.ts";
import { seededRandom } from "../crowd/random.ts";
import { Starved, type StarvedFigures, starvedText } from "../crowd/starved.ts";
import { timelineEvent, timelineHeading, timelineRow } from "../crowd/timeline.ts";
import { EXIT } from "../exit.ts";
import { Failure } from "../failure.ts";
import type { TableOptions } from "../print.ts";
import { Crowd } from "./crowd.ts";
import { Driver } from "./driver.ts";
import { Judge } from "./judge.ts";
import { keyIn, nodesOf, refreshSecondsOf, roomDocument, startAll } from "./mesh.ts";
import { Network } from "./network.ts";
import type { MeshNode } from "./node.ts";
import { type ChaosOptions, LEASE_MS, sessionMinutes } from "./options.ts";
import { startOrigin } from "./origin.ts";
import { endsInRemoval } from "./plan.ts";
import { longestWait, roomOf } from "./shares.ts";
import { checksOf, judgedBy } from "./verdict.ts";
import { LOOK_MS, Watch } from "./watch.ts";

export interface Outcome {
  readonly checks: readonly Check[];
  /** False when checks failed that prove nothing because the machine was busy. */
  readonly isJudged: boolean;
  readonly starved: StarvedFigures;
  readonly came: number;
  readonly letIn: number;
  readonly joined: number;
  readonly longestLine: number;
  readonly originRequests: number;
  /** Whether it was ended early. */
  readonly isCutShort: boolean;
  /** Data and logs of the nodes; undefined when they were removed because all went well. */
  readonly folder: string | undefined;
}

export interface RunParts {
  readonly options: ChaosOptions;
  readonly say: (text: string) => void;
  readonly table: () => TableOptions;
  /** Aborted to end the run early. */
  readonly signal: AbortSignal;
}

/** Slots and people for each node: few enough for many nodes on a laptop, enough that each node has a share. */
const SLOTS_PER_NODE = 12;
const PEOPLE_PER_SLOT = 2.5;
const PEOPLE_MAX = 400;

/**
 * Admissions a minute are such that a wave meets this limit first, and the one of the room when it is full after so
 * long.
 */
const ROOM_FILLED_IN_MS = 12_500;

/** Lines of the timeline in a whole run, and their shortest distance. */
const LINES = 40;
const LINE_MIN_MS = 2_000;

/** After the run, how long to wait for the mesh to be whole, and at one. */
const SOON_MS = 15_000;

/** Limits of a run's room. */
export function limitsOf({ nodes, minuteMs }: Pick<ChaosOptions, "nodes" | "minuteMs">) {
  const limit = SLOTS_PER_NODE * nodes;
  return { limit, perMinute: Math.max(nodes, Math.ceil((limit * minuteMs) / ROOM_FILLED_IN_MS)) };
}

/** Runs it. Throws `Failure` when it cannot be started, or a node does not come back. */
export async function runChaos(parts: RunParts): Promise<Outcome> {
  const { options, say, signal } = parts;
  const { nodes: count, minuteMs, localities, seed } = options;
  const folder = mkdtempSync(join(tmpdir(), "anteroom-chaos-"));
  const origin = startOrigin();
  const network = await Network.open(count, seededRandom(seed + 1));
  const room = { ...limitsOf(options), minuteMs, sessionMinutes: sessionMinutes(minuteMs) };
  const mesh = { folder, network, origin: origin.url, nodes: count, localities, minuteMs, room: roomDocument(room) };
  const nodes = nodesOf({ ...mesh, leaseMs: LEASE_MS, called: "node", logs: true });
  const judge = new Judge({ ...room, refreshMs: 1_000 * refreshSecondsOf(minuteMs) });
  let isWell = false;
  try {
    say(`Starting ${count} nodes …\n`);
    const processes = () => [
      { name: "this process", pid: process.pid },
      ...nodes.map(({ number, pid }) => ({ name: `node ${number}`, pid })),
    ];
    // Starting nodes use all cores: that part of the run is judged separately.
    await watchedBy(new Starved(processes), signal, () => startAll(nodes, { folder, signal }));
    const starved = new Starved(processes);
    const crowd = await watchedBy(starved, signal, () => play(parts, { nodes, network, judge, folder }));
    const { checks, isJudged } = judgedBy(checksOf(judge), starved.figures);
    isWell = allHold(checks) && isJudged;
    return {
      checks,
      isJudged,
      starved: starved.figures,
      came: crowd.came,
      letIn: judge.stays.count,
      joined: judge.lines.joined,
      longestLine: judge.lines.longest,
      originRequests: origin.requests,
      isCutShort: signal.aborted,
      folder: isWell ? undefined : folder,
    };
  } finally {
    await Promise.all(nodes.map((node) => node.end()));
    network.close();
    await origin.stop();
    if (isWell || signal.aborted) rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * Does something while CPU starvation is measured. Failures while the processes were starved are not judged, unless the
 * user ended the run.
 */
async function watchedBy<Result>(starved: Starved, signal: AbortSignal, act: () => Promise<Result>): Promise<Result> {
  starved.start();
  try {
    return await act();
  } catch (error) {
    const { figures } = starved;
    if (!(error instanceof Failure) || !figures.is_starved || signal.aborted) throw error;
    const hint = `not judged: the machine was busy: ${starvedText(figures)}`;
    throw new Failure(error.message, { hint, exit: EXIT.notJudged, cause: error });
  } finally {
    starved.stop();
  }
}

interface Stage {
  readonly nodes: readonly MeshNode[];
  readonly network: Network;
  readonly judge: Judge;
  readonly folder: string;
}

/** Visitors come and the plan is performed; returns the crowd when all is over. */
async function play({ options, say, table, signal }: RunParts, stage: Stage): Promise<Crowd> {
  const { plan, durationMs, minuteMs, seed } = options;
  const { nodes, network, judge } = stage;
  const open = await cookieReader(stage);
  const startMs = performance.now();
  judge.beganMs = Date.now();
  const seconds = (): number => (performance.now() - startMs) / 1_000;
  const crowd = new Crowd({ people: peopleOf(options), nodes, judge, open, minuteMs, seed, runMs: durationMs });
  const driver = new Driver({
    plan,
    nodes,
    network,
    signal,
    say: (text) => say(timelineEvent(seconds(), text)),
    killing: (struck) => {
      for (const locality of countedBy(struck, nodes)) judge.handovers.killed(locality, Date.now());
    },
  });
  const watch = new Watch({ nodes, judge, driver });
  const lines = setInterval(
    () => say(timelineRow({ seconds: seconds(), came: crowd.came, room: roomNow(options, { judge, nodes }) }, table())),
    Math.max(LINE_MIN_MS, durationMs / LINES),
  );
  try {
    say(timelineHeading());
    crowd.start();
    await Promise.all([driver.run(), pause(durationMs, signal)]);
    const togetherMs = await soon(() => watch.togetherSinceMs, signal);
    await crowd.stop();
    const quietMs = performance.now();
    const shares = await soon(() => watch.shares, signal);
    if (!signal.aborted) {
      judge.mesh = {
        hasRemoved: endsInRemoval(plan, LEASE_MS),
        togetherMs: Math.max(0, (togetherMs ?? quietMs) - driver.endedMs),
        sameMs: performance.now() - quietMs,
        shares,
      };
    }
  } finally {
    clearInterval(lines);
    watch.stop();
    await crowd.stop();
  }
  return crowd;
}

/** Localities whose ticket counter is among `struck`, according to any node. */
function countedBy(struck: readonly MeshNode[], nodes: readonly MeshNode[]): string[] {
  const ids = struck.flatMap(({ latest }) => latest?.node ?? []);
  const room = nodes.map(({ latest }) => latest && roomOf(latest)).find((each) => each !== undefined);
  const localities = room?.localities ?? [];
  return localities.flatMap(({ locality, ticket_counter: counter }) => (ids.includes(counter ?? "") ? locality : []));
}

/** The first value that `find` finds; undefined if it takes too long. */
async function soon<Value>(find: () => Value | undefined, signal: AbortSignal): Promise<Value | undefined> {
  const endMs = performance.now() + SOON_MS;
  while (find() === undefined && !signal.aborted && performance.now() < endMs) await pause(LOOK_MS, signal);
  return find();
}

/** Reads cookies like any node of the mesh. */
async function cookieReader({ folder, nodes: [node] }: Stage): Promise<(value: string) => VisitorCookie | undefined> {
  const { mesh } = await ephemeralIdentity({ meshKey: keyIn(folder), joins: true });
  const room = node?.latest && roomOf(node.latest);
  if (mesh === undefined || room === undefined) throw new Error("Cannot read cookies as there is no mesh and no room");
  const seal = new CookieSeal(new JweCipher(new KeyRing(mesh)));
  return (value) => {
    const opened = seal.open(value, room.id as RoomId, Date.now());
    return opened.kind === "good" ? opened.cookie : undefined;
  };
}

function peopleOf(options: ChaosOptions): number {
  return Math.min(PEOPLE_MAX, Math.round(PEOPLE_PER_SLOT * limitsOf(options).limit));
}

/** The room as the judge has seen it, with the longest wait that a node reports: each locality has its own line. */
function roomNow(options: ChaosOptions, { judge: { stays, lines }, nodes }: Pick<Stage, "judge" | "nodes">) {
  const { limit, perMinute } = limitsOf(options);
  const nowMs = Date.now();
  return {
    inside: stays.inside(nowMs),
    total_active_users: limit,
    admitted_this_minute: stays.admitted(minuteOf(nowMs, options.minuteMs)),
    new_users_per_minute: perMinute,
    waiting: lines.waiting,
    wait_seconds: longestWait(nodes.flatMap(({ isReady, latest }) => (isReady && latest ? [latest] : []))),
  };
}
