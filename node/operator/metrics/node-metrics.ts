/** Metrics of the node and its process, its disk and certificates, and its part in the mesh. */

import type { Gate } from "../../gate/gate.ts";
import type { Pressure } from "../../gate/pressure.ts";
import type { Peer } from "../../peer/peer.ts";
import type { HistoryStore } from "../../storage/history-store.ts";
import { removalMs } from "../status/silent-ends.ts";
import type { SpanQueue } from "../tracing/span-queue.ts";
import type { DeliveryCounts } from "../webhooks/deliveries.ts";
import type { MetricFamilies } from "./metric-family.ts";

/** What the process edge knows of the process; what it cannot find out is left out. */
export interface ProcessFigures {
  readonly cpuSeconds: number;
  readonly startSeconds: number;
  readonly openFiles?: number;
  readonly openFilesMax?: number;
  /** Lines of the logs that could not be written, by stream. */
  readonly logLinesDropped?: Readonly<Record<string, number>>;
}

/** How reading the rooms file and certificates again went last. */
export interface Reload {
  readonly isOk: boolean;
  readonly atMs: number;
}

interface WebhookFigures {
  readonly webhook: { readonly name: string; readonly id: string };
  readonly counts: DeliveryCounts;
}

export interface NodeMetricsParts {
  readonly version: string;
  readonly gate: Gate;
  readonly peer: Peer;
  readonly clock: () => number;
  readonly connections: () => number;
  readonly connectionsMax: number;
  readonly memoryBytes: () => number;
  readonly memoryBytesMax: number;
  readonly pressure: Pressure;
  readonly isReady: () => boolean;
  readonly disk: { readonly errors: number; readonly trouble: string | undefined };
  /** Where the minutes of all nodes are kept. */
  readonly history?: Pick<HistoryStore, "records" | "bytes" | "failures">;
  readonly reload: () => Reload;
  /** The last moment of each certificate, by its first host name. */
  readonly certificates: () => readonly { readonly name: string; readonly untilMs: number }[];
  readonly process: () => ProcessFigures;
  /** What became of spans; undefined without traces. */
  readonly spans?: Pick<SpanQueue, "exported" | "dropped"> | undefined;
  /** Left out where there are none. */
  readonly notices?:
    | {
        readonly sender: { readonly figures: readonly WebhookFigures[] };
        readonly pushes: { readonly counts: Readonly<Record<string, number>> };
      }
    | undefined;
}

export function nodeMetrics(families: MetricFamilies, parts: NodeMetricsParts): void {
  const { peer, gate, pressure, disk } = parts;
  families.gauges("build_info", { help: "1, with the version.", labels: ["version"] }, (set) =>
    set({ version: parts.version }, 1),
  );
  families.gauges(
    "node_info",
    { help: "1, with the node's id, name and locality.", labels: ["node", "name", "locality"] },
    (set) => {
      const { self, locality } = peer.roomNode;
      set({ node: self, name: peer.names.own ?? "", locality }, 1);
    },
  );
  for (const [name, help, read] of [
    ["ready", "Whether new visitors should be sent here.", () => (parts.isReady() ? 1 : 0)],
    ["connections", "Open client connections.", parts.connections],
    ["connections_limit", "Most client connections at once.", () => parts.connectionsMax],
    ["memory_limit_bytes", "Memory that the process may use.", () => parts.memoryBytesMax],
    ["pressure", "Pressure on the node, 0 to 3.", () => pressure.level],
    ["timer_lag_seconds", "How late timers come.", () => pressure.lagMs / 1_000],
    ["store_up", "Whether the disk accepts writes.", () => (disk.trouble === undefined ? 1 : 0)],
    [
      "config_last_reload_successful",
      "Whether the last reading of files went well.",
      () => (parts.reload().isOk ? 1 : 0),
    ],
    [
      "config_last_reload_timestamp_seconds",
      "When files were last read, as Unix time.",
      () => parts.reload().atMs / 1_000,
    ],
  ] as const) {
    families.gauge(name, help, read);
  }
  families.count("requests_unmatched_total", "Requests that matched no room.", () => gate.unmatched);
  const { history } = parts;
  if (history !== undefined) {
    families.gauge("history_records", "Minutes of rooms that are kept here, of all nodes.", () => history.records);
    families.gauge("history_bytes", "Bytes that they take.", () => history.bytes);
    families.count("history_write_failures_total", "Writes of them that failed.", () => history.failures);
  }
  families.count("store_errors_total", "Writes that the disk refused.", () => disk.errors);
  families.gauges(
    "certificate_not_after_timestamp_seconds",
    { help: "The last moment of a certificate that the gate shows, as Unix time.", labels: ["name"] },
    (set) => {
      for (const { name, untilMs } of parts.certificates()) set({ name }, untilMs / 1_000);
    },
  );
  spanMetrics(families, parts);
  noticeMetrics(families, parts);
  processMetrics(families, parts);
  meshMetrics(families, peer);
}

function spanMetrics(families: MetricFamilies, { spans }: NodeMetricsParts): void {
  if (spans === undefined) return;
  families.count("spans_exported_total", "Spans that the collector has taken.", () => spans.exported);
  families.counter("spans_dropped_total", { help: "Spans that were lost, by why.", labels: ["reason"] }, (add) => {
    for (const [reason, count] of Object.entries(spans.dropped)) add({ reason }, count);
  });
}

/** By the names that all Prometheus clients use. */
function processMetrics(families: MetricFamilies, { process, memoryBytes }: NodeMetricsParts): void {
  families.count(
    "process_cpu_seconds_total",
    "Total user and system CPU time spent in seconds.",
    () => process().cpuSeconds,
  );
  families.gauge("process_resident_memory_bytes", "Resident memory size in bytes.", memoryBytes);
  families.gauge(
    "process_start_time_seconds",
    "Start time of the process since Unix epoch in seconds.",
    () => process().startSeconds,
  );
  families.gauge("process_open_fds", "Number of open file descriptors.", () => process().openFiles);
  families.gauge("process_max_fds", "Maximum number of open file descriptors.", () => process().openFilesMax);
  const dropped = { help: "Lines of the logs that could not be written.", labels: ["stream"] };
  families.counter("log_lines_dropped_total", dropped, (add) => {
    for (const [stream, lines] of Object.entries(process().logLinesDropped ?? {})) add({ stream }, lines);
  });
}

function noticeMetrics(families: MetricFamilies, { notices }: NodeMetricsParts): void {
  if (notices === undefined) return;
  const labels = ["webhook", "id"] as const;
  const each =
    (field: keyof DeliveryCounts) => (put: (of: Record<"webhook" | "id", string>, value: number) => void) => {
      for (const { webhook, counts } of notices.sender.figures)
        put({ webhook: webhook.name, id: webhook.id }, counts[field]);
    };
  for (const [name, help, field] of [
    ["webhook_delivered_total", "Notices that this node delivered to a webhook.", "delivered"],
    ["webhook_failed_attempts_total", "Attempts of this node that a receiver did not take.", "failed"],
    ["webhook_dead_letters_total", "Notices that this node gave up for a webhook.", "dead"],
  ] as const)
    families.counter(name, { help, labels }, each(field));
  families.gauges("webhook_waiting", { help: "Notices that wait for a webhook here.", labels }, each("waiting"));
  const help = "Word to browsers of visitors whose turn has come: delivered, attempts that failed, and given up.";
  families.counter("pushes_total", { help, labels: ["outcome"] }, (add) => {
    for (const [outcome, count] of Object.entries(notices.pushes.counts)) add({ outcome }, count);
  });
}

function meshMetrics(families: MetricFamilies, peer: Peer): void {
  const { members } = peer;
  const labels = ["direction"] as const;
  families.counter("mesh_frames_total", { help: "Frames between nodes.", labels }, (add) => {
    add({ direction: "in" }, peer.counts.framesIn + peer.counts.publishedIn);
    add({ direction: "out" }, peer.counts.framesOut + peer.counts.publishedOut);
  });
  families.counter("mesh_bytes_total", { help: "Bytes of frames between nodes, as packed.", labels }, (add) => {
    add({ direction: "in" }, peer.counts.bytesIn);
    add({ direction: "out" }, peer.counts.bytesOut);
  });
  families.count("mesh_faults_total", "Faults in what other nodes sent.", () => peer.counts.faults);
  families.count(
    "mesh_unsent_total",
    "Messages to other nodes that were too large to send, or could not be packed.",
    () => peer.counts.unsent,
  );
  families.gauge("mesh_members", "Members of the view.", () => members.view?.members.length ?? 0);
  families.gauge("mesh_view", "Number of the view; 0 before joining.", () => members.view?.number ?? 0);
  families.gauge(
    "mesh_unreachable_members",
    "Members that do not answer this node.",
    () => members.reach.silent(peer.now).length,
  );
  families.gauge(
    "mesh_removal_timestamp_seconds",
    "When silent members are removed unless they are back, as Unix time; 0 if none is silent or nobody can remove them.",
    () => Math.round(removalMs(members, peer.now) ?? 0) / 1_000,
  );
  families.gauges(
    "mesh_member_up",
    { help: "Whether a member answers this node.", labels: ["node", "name", "locality"] },
    (set) => {
      for (const { node, locality, state } of members.status(peer.now))
        set({ node, name: peer.names.all.get(node) ?? "", locality }, state === "alive" ? 1 : 0);
    },
  );
  families.gauge("lease_held", "Whether the node holds a lease, so that it may admit.", () =>
    members.lease(peer.now) === "held" ? 1 : 0,
  );
  families.gauge(
    "lease_remaining_seconds",
    "What is left of the lease; none where it does not run out, or there is none.",
    () => {
      const untilMs = members.leaseHeldUntilMs(peer.now) ?? Number.POSITIVE_INFINITY;
      return Number.isFinite(untilMs) ? Math.max(0, untilMs - peer.now.wallMs) / 1_000 : undefined;
    },
  );
  families.gauge(
    "clock_offset_seconds",
    "How far this node's clock is ahead of the median of all members' clocks; none without others.",
    () => {
      const behindMs = members.clocks.behindMs(peer.now);
      return behindMs === undefined ? undefined : -behindMs / 1_000;
    },
  );
}
