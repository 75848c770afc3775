/**
 * The watchers of this node: server-sent events, resumed by Last-Event-ID from the last notices of this process.
 *
 * The id of an event has the name of this process and the number of notices that it has sent. After a restart, at
 * another node, or too late, the watcher hears that it missed something (`missed`), and the present state (`snapshot`).
 *
 * A watcher that reads too slowly is dropped: it comes back with its Last-Event-ID. So a watcher never takes more
 * memory than its buffer.
 */

import type { NoticeDocument } from "./notice.ts";

/** Notices to resume from. At some 300 bytes each it costs 300 KB; a mesh in trouble fills it in minutes. */
export const BUFFER_MAX = 1_000;

/** Each may hold its buffer and a socket. Dashboards and scripts of a team are some tens. */
export const WATCHERS_MAX = 100;

/** Bytes for one watcher beside the socket's own: a snapshot of 1,000 rooms, and many notices. */
export const WATCHER_BYTES_MAX = 1024 * 1024;

/** Proxies and balancers close silent connections, often after 60 s. */
export const HEARTBEAT_MS = 15_000;

/** How soon a browser comes back after it was dropped. */
const RETRY_MS = 2_000;

export interface WatcherOptions {
  /** Of the request; undefined for a new watcher. */
  readonly lastEventId: string | undefined;
  readonly wants: (notice: NoticeDocument) => boolean;
  readonly snapshot: () => unknown;
  /** Whether the one who watches may still do so. */
  readonly mayWatch: () => boolean;
}

interface Sent {
  readonly number: number;
  readonly notice: NoticeDocument;
}

interface Watcher {
  readonly options: WatcherOptions;
  readonly write: (text: string) => void;
  readonly end: () => void;
  beatMs: number;
}

export class Watchers {
  readonly #run: string;
  readonly #clock: () => number;
  readonly #watchers = new Set<Watcher>();
  #sent: Sent[] = [];
  #number = 0;
  #isClosed = false;
  /** Watchers that read too slowly, since the start. */
  dropped = 0;

  /** `run` names this process: no other one has the same. */
  constructor(run: string, clock: () => number) {
    this.#run = run;
    this.#clock = clock;
  }

  get count(): number {
    return this.#watchers.size;
  }

  /** Sends notices to all watchers; oldest first. */
  notify(notices: readonly NoticeDocument[]): void {
    const sent = notices.map((notice): Sent => ({ number: ++this.#number, notice }));
    this.#sent = [...this.#sent, ...sent].slice(-BUFFER_MAX);
    for (const watcher of this.#watchers) for (const each of sent) this.#pass(watcher, each);
  }

  /** Sends heartbeats, and ends watchers whose token has ended. Call it about once a second. */
  tick(): void {
    const nowMs = this.#clock();
    for (const watcher of this.#watchers) {
      if (!watcher.options.mayWatch()) watcher.end();
      else if (Math.abs(nowMs - watcher.beatMs) >= HEARTBEAT_MS) {
        watcher.beatMs = nowMs;
        watcher.write(": still here\n\n");
      }
    }
  }

  /** The stream of a new watcher; undefined if there are too many. */
  open(options: WatcherOptions): ReadableStream<Uint8Array> | undefined {
    if (this.#isClosed || this.#watchers.size >= WATCHERS_MAX) return undefined;
    const encoder = new TextEncoder();
    let watcher: Watcher | undefined;
    const leave = (): void => {
      if (watcher !== undefined) this.#watchers.delete(watcher);
    };
    return new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          const write = (text: string): void => {
            controller.enqueue(encoder.encode(text));
            if ((controller.desiredSize ?? 0) > 0) return;
            leave();
            this.dropped += 1;
            // Ends it at once: what is left in its buffer is freed.
            controller.error(new Error("the watcher reads too slowly"));
          };
          const end = (): void => {
            leave();
            controller.close();
          };
          watcher = { options, write, end, beatMs: this.#clock() };
          this.#watchers.add(watcher);
          this.#begin(watcher);
        },
        cancel: leave,
      },
      { highWaterMark: WATCHER_BYTES_MAX, size: (chunk) => chunk?.byteLength ?? 0 },
    );
  }

  /** Ends all of them. */
  close(): void {
    this.#isClosed = true;
    for (const watcher of this.#watchers) watcher.end();
  }

  #begin(watcher: Watcher): void {
    const { lastEventId, snapshot } = watcher.options;
    const resumed = lastEventId === undefined ? undefined : this.#after(lastEventId);
    const first = `retry: ${RETRY_MS}\n\n`;
    if (resumed !== undefined) {
      watcher.write(first);
      for (const sent of resumed) this.#pass(watcher, sent);
      return;
    }
    const missed =
      lastEventId === undefined
        ? ""
        : eventText({ event: "missed", data: { last_event_id: lastEventId.slice(0, 100) } });
    watcher.write(first + missed + eventText({ event: "snapshot", id: this.#idOf(this.#number), data: snapshot() }));
  }

  /** What was sent after the event with this id; undefined if it is not known any more. */
  #after(id: string): readonly Sent[] | undefined {
    const [, run, digits] = /^(.+)-(\d{1,15})$/.exec(id) ?? [];
    const number = Number(digits);
    const firstKept = this.#number - this.#sent.length;
    if (run !== this.#run || number > this.#number || number < firstKept) return undefined;
    return this.#sent.filter((sent) => sent.number > number);
  }

  #pass(watcher: Watcher, { number, notice }: Sent): void {
    if (!this.#watchers.has(watcher) || !watcher.options.wants(notice)) return;
    watcher.write(eventText({ event: notice.type, id: this.#idOf(number), data: notice }));
  }

  #idOf(number: number): string {
    return `${this.#run}-${number}`;
  }
}

/** An event by the format of server-sent events (HTML, section 9.2): JSON has no line breaks. */
function eventText({
  event,
  id,
  data,
}: {
  readonly event: string;
  readonly id?: string;
  readonly data: unknown;
}): string {
  return `event: ${event}\n${id === undefined ? "" : `id: ${id}\n`}data: ${JSON.stringify(data)}\n\n`;
}
