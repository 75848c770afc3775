/**
 * Sends notices to the receivers of webhooks.
 *
 * One node sends for a webhook: the first by rendezvous hashing among those that answer. It goes on from the webhook's
 * progress, which all nodes have. Two senders at once, or one that died before its progress was stored, send a
 * notice twice, and lose none; a receiver recognizes it by its id.
 */

import type { NodeId } from "../../../mesh/core/ids.ts";
import { ranked } from "../../../mesh/core/members/ring.ts";
import { isoOf } from "../../iso-time.ts";
import type { Log } from "../../log.ts";
import { unlessRefused } from "../../storage/disk-watch.ts";
import { type NoticeDocument, noticeDocument, TEST_TYPE } from "../notices/notice.ts";
import type { NoticeBoard } from "../notices/notice-board.ts";
import { aliveIn } from "../notices/observe.ts";
import type { NodeStatus } from "../status/status.ts";
import { Deliveries } from "./deliveries.ts";
import { totals } from "./progress.ts";
import { type Webhook, wants } from "./webhook.ts";
import { type Answered, type Fetch, post, shownReceiver } from "./webhook-post.ts";
import type { Slot, Webhooks } from "./webhooks.ts";

export interface SenderParts {
  readonly mesh: string;
  readonly node: NodeId;
  readonly version: string;
  readonly webhooks: Webhooks;
  readonly board: Pick<NoticeBoard, "journals">;
  readonly fetch: Fetch;
  readonly clock: () => number;
  readonly random: () => number;
  readonly log: Log;
}

/** Trouble is a warning after this time: a receiver that restarts is none. */
const WARN_MS = 60_000;

/** A dead letter is a warning for this long: longer than a weekend. */
const DEAD_SHOWN_MS = 3 * 24 * 60 * 60_000;

/** A webhook for which this node sends. */
interface Sending {
  readonly deliveries: Deliveries;
  isBusy: boolean;
  isFailing: boolean;
}

/** For metrics: what this node has done, and what waits here. */
export interface SenderFigures {
  readonly name: string;
  readonly id: string;
  readonly delivered: number;
  readonly dead: number;
  readonly failed: number;
  /** Undefined if another node sends for it. */
  readonly waiting: number | undefined;
}

export class WebhookSender {
  readonly #parts: SenderParts;
  readonly #sending = new Map<string, Sending>();
  /** Attempts that failed, by webhook. */
  readonly #failed = new Map<string, number>();
  readonly #end = new AbortController();
  #alive: readonly NodeId[] = [];

  constructor(parts: SenderParts) {
    this.#parts = parts;
  }

  /** Finds what is to be sent, and sends it. Call it about once a second, after the board has looked. */
  tick(status: NodeStatus): void {
    if (status.view === null || this.#end.signal.aborted) return;
    this.#alive = aliveIn(status);
    const all = this.#parts.webhooks.all();
    const ids = new Set(all.map(({ webhook }) => webhook.id));
    for (const id of [...this.#sending.keys(), ...this.#failed.keys()]) {
      if (ids.has(id)) continue;
      this.#sending.delete(id);
      this.#failed.delete(id);
    }
    for (const slot of all) this.#tickOne(slot, status.now_ms);
    this.#save(all);
  }

  /** The node that sends for a webhook, as this one knows it. */
  senderOf({ id }: Webhook): NodeId {
    return ranked(id, this.#alive)[0] ?? this.#parts.node;
  }

  /** How many notices wait for a webhook. */
  waitingFor(slot: Slot): number {
    return this.#deliveriesOf(slot).waiting;
  }

  /** Sends a notice of its own, at once and once. */
  async test({ webhook }: Slot): Promise<Answered & { readonly ms: number; readonly notice: NoticeDocument }> {
    const { mesh, node, clock } = this.#parts;
    const notice: NoticeDocument = {
      ...{ id: `ntc_test_${crypto.randomUUID().replaceAll("-", "")}`, type: TEST_TYPE },
      ...{ time: isoOf(clock()), mesh, node, room: null, namespace: webhook.owner.namespace ?? null },
      data: { webhook: webhook.id },
    };
    const startMs = performance.now();
    const answered = await this.#post(webhook, notice);
    return { ...answered, ms: Math.round(performance.now() - startMs), notice };
  }

  get figures(): SenderFigures[] {
    return this.#parts.webhooks.all().map((slot) => {
      const { webhook } = slot;
      const sending = this.#sending.get(webhook.id);
      const progress = sending?.deliveries.progress ?? this.#parts.webhooks.progress(slot);
      const own = progress.tallies.get(this.#parts.node) ?? { delivered: 0, dead: 0 };
      const { name, id } = webhook;
      return { name, id, ...own, failed: this.#failed.get(id) ?? 0, waiting: sending?.deliveries.waiting };
    });
  }

  /** What an operator should know at once. */
  warnings(nowMs: number): string[] {
    return this.#parts.webhooks.all().flatMap((slot) => {
      const { webhook } = slot;
      const { deadMs, trouble, ...progress } = this.#parts.webhooks.progress(slot);
      const { dead } = totals({ deadMs, trouble, ...progress });
      const repair = `anteroom webhook test ${webhook.id}`;
      const isLong = trouble !== undefined && nowMs - trouble.sinceMs >= WARN_MS;
      const since = isLong ? isoOf(trouble.sinceMs).slice(0, 16).replace("T", " ") : "";
      return [
        ...(isLong && webhook.enabled
          ? [
              `webhook ${webhook.name}: ${shownReceiver(webhook.url)} takes no notices since ${since} UTC (${trouble.error}); they wait for a day: look at the receiver, then try it with: ${repair}`,
            ]
          : []),
        ...(dead > 0 && nowMs - deadMs < DEAD_SHOWN_MS
          ? [
              `webhook ${webhook.name}: ${dead} notices could not be delivered and were given up: see anteroom webhook list`,
            ]
          : []),
      ];
    });
  }

  /** Ends what is under way, and writes down what was delivered. */
  close(): void {
    this.#end.abort();
    this.#save(this.#parts.webhooks.all());
  }

  #tickOne(slot: Slot, nowMs: number): void {
    const { webhook } = slot;
    if (this.senderOf(webhook) !== this.#parts.node) {
      // What is under way ends by itself; the next sender may send it too.
      this.#sending.delete(webhook.id);
      return;
    }
    let sending = this.#sending.get(webhook.id);
    if (sending === undefined) {
      sending = { deliveries: new Deliveries(this.#parts.node), isBusy: false, isFailing: false };
      this.#sending.set(webhook.id, sending);
    }
    this.#lookAt(slot, sending.deliveries, nowMs);
    if (!sending.isBusy) void this.#pump(slot, sending);
  }

  #lookAt(slot: Slot, deliveries: Deliveries, nowMs: number): void {
    const { webhook } = slot;
    deliveries.learn(this.#parts.webhooks.progress(slot));
    const dead = deliveries.look(this.#parts.board.journals(), {
      ...{ nowMs, sinceMs: webhook.createdMs },
      wants: (notice) => wants(webhook, notice),
    });
    const fields = { webhook: webhook.name, id: webhook.id, notices: dead };
    if (dead > 0) this.#parts.log.error(fields, "notices could not be delivered, and are given up");
  }

  /** One at a time, so that a receiver gets them in order. */
  async #pump({ webhook: { id } }: Slot, sending: Sending): Promise<void> {
    const { webhooks, clock, random } = this.#parts;
    sending.isBusy = true;
    try {
      while (this.#sending.get(id) === sending && !this.#end.signal.aborted) {
        // Its fields may have changed since the last notice.
        const now = webhooks.byId(id);
        const notice = sending.deliveries.next(clock());
        if (now === undefined || notice === undefined) return;
        const answered = await this.#post(now.webhook, noticeDocument(notice, this.#parts.mesh));
        if (this.#end.signal.aborted && answered.kind !== "delivered") return;
        sending.deliveries.ended(notice, answered, { nowMs: clock(), random: random() });
        this.#tell(now.webhook, sending, answered);
      }
    } finally {
      sending.isBusy = false;
    }
  }

  #post({ url, ...webhook }: Webhook, notice: NoticeDocument): Promise<Answered> {
    const { webhooks, version, clock, fetch } = this.#parts;
    const secrets = webhooks.signing({ url, ...webhook });
    return post({ url, secrets, notice, version, nowMs: clock(), fetch, signal: this.#end.signal });
  }

  #tell({ id, name, url }: Webhook, sending: Sending, { kind, error }: Answered): void {
    const { log } = this.#parts;
    const fields = { webhook: name, id, receiver: shownReceiver(url) };
    if (kind === "delivered") {
      if (sending.isFailing) log.info(fields, "the receiver takes notices again");
      sending.isFailing = false;
      return;
    }
    this.#failed.set(id, (this.#failed.get(id) ?? 0) + 1);
    if (!sending.isFailing) log.warn({ ...fields, error }, "the receiver does not take a notice: it is tried again");
    sending.isFailing = true;
  }

  #save(all: readonly Slot[]): void {
    const dirty = all.flatMap((slot) => {
      const deliveries = this.#sending.get(slot.webhook.id)?.deliveries;
      return deliveries?.takeDirty() === true ? [{ slot, deliveries, progress: deliveries.progress }] : [];
    });
    if (unlessRefused(() => this.#parts.webhooks.saveProgress(dirty))) return;
    for (const { deliveries } of dirty) deliveries.markDirty();
  }

  /** Of this node if it sends; otherwise as another's progress says. */
  #deliveriesOf(slot: Slot): Deliveries {
    const own = this.#sending.get(slot.webhook.id);
    if (own !== undefined) return own.deliveries;
    const deliveries = new Deliveries(this.#parts.node);
    const { webhook } = slot;
    deliveries.learn(this.#parts.webhooks.progress(slot));
    deliveries.look(this.#parts.board.journals(), {
      ...{ nowMs: this.#parts.clock(), sinceMs: webhook.createdMs },
      wants: (notice) => wants(webhook, notice),
    });
    return deliveries;
  }
}
