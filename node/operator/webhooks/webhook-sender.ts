/**
 * Sends notices to the receivers of webhooks.
 *
 * One node sends for a webhook what it has seen itself: the first by rendezvous hashing among those that answer. When
 * another one takes over, it sends what it saw in the last moments too, which the one before may have sent: a receiver
 * recognizes a notice by its id. What waits at a node goes on from there, and is lost with it.
 */

import type { NodeId } from "../../../mesh/core/ids.ts";
import { ranked } from "../../../mesh/core/members/ring.ts";
import { isoOf } from "../../iso-time.ts";
import type { Log } from "../../log.ts";
import type { Fetch } from "../../outside.ts";
import { isLimited } from "../access/principal.ts";
import { type Notice, type NoticeDocument, noticeDocument, TEST_TYPE } from "../notices/notice.ts";
import { WARM_UP_MS } from "../notices/notice-board.ts";
import type { ProxyOf } from "../outbound-proxy.ts";
import type { NodeStatus } from "../status/status.ts";
import { Deliveries, type DeliveryCounts } from "./deliveries.ts";
import { type Webhook, wants } from "./webhook.ts";
import { type Answered, post, shownReceiver } from "./webhook-post.ts";
import type { Webhooks } from "./webhooks.ts";

export interface SenderParts {
  readonly mesh: string;
  readonly node: NodeId;
  readonly version: string;
  readonly webhooks: Webhooks;
  readonly fetch: Fetch;
  /** One that never leads to the node itself, for webhooks of tokens that see some rooms only. */
  readonly fetchOutside: Fetch;
  readonly proxyOf: ProxyOf;
  readonly clock: () => number;
  readonly random: () => number;
  readonly log: Log;
}

/**
 * A node that comes back sends after this time only, as the others see it: it reports nothing while it starts, which
 * takes half of it. A node that takes over sends its notices of so long: the loss of the one before was noticed within
 * that.
 */
export const HANDOVER_MS = 2 * WARM_UP_MS;

/** Notices that are kept for it. At some 300 bytes each it costs 300 KB. */
const RECENT_MAX = 1_000;

/** Trouble is a warning after this time: a receiver that restarts is none. */
const WARN_MS = 60_000;

/** A dead letter is a warning for this long: longer than a weekend. */
const DEAD_SHOWN_MS = 3 * 24 * 60 * 60_000;

/** How a test went. */
export interface Tested extends Answered {
  readonly ms: number;
  readonly notice: NoticeDocument;
  /** The proxy that was asked, without its password; null without one. */
  readonly proxy: string | null;
}

/** A notice of the last moments. */
interface Recent {
  readonly notice: Notice;
  readonly heardMs: number;
  /** Webhooks, by id, that wait for it here, or do not want it. */
  readonly settled: Set<string>;
}

export class WebhookSender {
  readonly #parts: SenderParts;
  readonly #deliveries = new Map<string, Deliveries>();
  readonly #busy = new Set<Deliveries>();
  readonly #end = new AbortController();
  #recent: Recent[] = [];
  /** The nodes that answer, and since when; those that did at the start are not new. */
  #aliveSince: ReadonlyMap<NodeId, number> | undefined;
  /** Those among which the sender of a webhook is. */
  #senders: readonly NodeId[] = [];

  constructor(parts: SenderParts) {
    this.#parts = parts;
  }

  /** Takes the new notices, and sends what is due. Call it about once a second. */
  tick(status: NodeStatus, notices: readonly Notice[]): void {
    if (status.view === null || this.#end.signal.aborted) return;
    const nowMs = status.now_ms;
    this.#lookForSenders(status);
    const heard = notices.map((notice) => ({ notice, heardMs: nowMs, settled: new Set<string>() }));
    this.#recent = [...this.#recent, ...heard]
      .filter(({ heardMs }) => Math.abs(nowMs - heardMs) < HANDOVER_MS)
      .slice(-RECENT_MAX);
    const webhooks = this.#parts.webhooks.all();
    const ids = new Set(webhooks.map(({ id }) => id));
    for (const id of this.#deliveries.keys()) if (!ids.has(id)) this.#deliveries.delete(id);
    for (const webhook of webhooks) this.#tickOne(webhook, nowMs);
  }

  /** Sends a notice that no other node has, to all that want it; returns whether there are any. */
  sendOwn(notice: Notice): boolean {
    const wanting = this.#wanting(notice);
    for (const webhook of wanting) this.deliveriesOf(webhook).add(notice);
    return wanting.length > 0;
  }

  /** Whether any webhook wants such a notice. */
  isWanted(notice: Pick<Notice, "type" | "room">): boolean {
    return this.#wanting(notice).length > 0;
  }

  #wanting(notice: Pick<Notice, "type" | "room">): Webhook[] {
    const { webhooks } = this.#parts;
    return webhooks.all().filter((webhook) => webhooks.isOwned(webhook) && wants(webhook, notice));
  }

  /** The node that sends for a webhook, as this one knows it. */
  senderOf({ id }: Webhook): NodeId {
    return ranked(id, this.#senders)[0] ?? this.#parts.node;
  }

  /** What this node has delivered to a webhook since its start, and what waits here. */
  deliveriesOf({ id }: Pick<Webhook, "id">): Deliveries {
    return this.#deliveries.getOrInsertComputed(id, () => new Deliveries());
  }

  /** For metrics. */
  get figures(): { readonly webhook: Webhook; readonly counts: DeliveryCounts }[] {
    return this.#parts.webhooks.all().map((webhook) => ({ webhook, counts: this.deliveriesOf(webhook) }));
  }

  /** Sends a notice of its own, at once and once. */
  async test(webhook: Webhook): Promise<Tested> {
    const { mesh, node, clock, proxyOf } = this.#parts;
    const notice: NoticeDocument = {
      id: `ntc_test_${crypto.randomUUID().replaceAll("-", "")}`,
      type: TEST_TYPE,
      time: isoOf(clock()),
      mesh,
      node,
      room: null,
      namespace: webhook.owner.namespace ?? null,
      data: { webhook: webhook.id },
    };
    const startMs = performance.now();
    const answered = await this.#post(webhook, notice);
    const proxy = proxyOf(webhook.url);
    return {
      ...answered,
      ms: Math.round(performance.now() - startMs),
      notice,
      proxy: proxy === false ? null : shownReceiver(proxy),
    };
  }

  /** What an operator should know at once. */
  warnings(nowMs: number): string[] {
    return this.#parts.webhooks.all().flatMap((webhook) => {
      const { dead, deadMs, trouble } = this.deliveriesOf(webhook);
      const warnings: string[] = [];
      if (trouble !== undefined && nowMs - trouble.sinceMs >= WARN_MS && webhook.enabled) {
        const since = isoOf(trouble.sinceMs).slice(0, 16).replace("T", " ");
        warnings.push(
          `webhook ${webhook.name}: ${shownReceiver(webhook.url)} takes no notices since ${since} UTC (${trouble.error}); they wait for a day: look at the receiver, then try it with: anteroom webhook test ${webhook.id}`,
        );
      }
      if (dead > 0 && nowMs - deadMs < DEAD_SHOWN_MS)
        warnings.push(
          `webhook ${webhook.name}: ${dead} notices could not be delivered and were given up: see anteroom webhook list`,
        );
      return warnings;
    });
  }

  /** Ends what is under way. */
  close(): void {
    this.#end.abort();
  }

  #lookForSenders({ members, now_ms: nowMs }: NodeStatus): void {
    const before = this.#aliveSince;
    const alive = members.filter(({ state, self }) => self || state === "alive").map(({ node }) => node as NodeId);
    const newSinceMs = before === undefined ? Number.NEGATIVE_INFINITY : nowMs;
    const since = new Map(alive.map((node) => [node, before?.get(node) ?? newSinceMs]));
    this.#aliveSince = since;
    this.#senders = [...since].filter(([, ms]) => Math.abs(nowMs - ms) >= HANDOVER_MS).map(([node]) => node);
  }

  #tickOne(webhook: Webhook, nowMs: number): void {
    const { id, name, createdMs } = webhook;
    const deliveries = this.deliveriesOf(webhook);
    const isSender = this.senderOf(webhook) === this.#parts.node;
    const isOwned = this.#parts.webhooks.isOwned(webhook);
    for (const { notice, settled } of this.#recent) {
      if (settled.has(id)) continue;
      const isWanted = isOwned && notice.atMs >= createdMs && wants(webhook, notice);
      if (isWanted && isSender) deliveries.add(notice);
      if (!isWanted || isSender) settled.add(id);
    }
    const isOfUse = ({ untilMs = nowMs }: Notice): boolean => untilMs >= nowMs;
    const dead = deliveries.prune(nowMs, (notice) => isOwned && wants(webhook, notice) && isOfUse(notice));
    if (dead > 0)
      this.#parts.log.error({ webhook: name, id, notices: dead }, "notices could not be delivered, and are given up");
    void this.#pump(id, deliveries);
  }

  /** One at a time, so that a receiver gets them in order. */
  async #pump(id: string, deliveries: Deliveries): Promise<void> {
    const { webhooks, clock, random, mesh } = this.#parts;
    if (this.#busy.has(deliveries)) return;
    this.#busy.add(deliveries);
    try {
      while (this.#deliveries.get(id) === deliveries && !this.#end.signal.aborted) {
        // Its fields may have changed since the last notice.
        const webhook = webhooks.byId(id);
        const notice = deliveries.next(clock());
        if (webhook === undefined || notice === undefined) return;
        const answered = await this.#post(webhook, noticeDocument(notice, mesh));
        if (this.#end.signal.aborted) return;
        this.#tell(webhook, answered, deliveries.trouble !== undefined);
        deliveries.ended(notice, answered, { nowMs: clock(), random: random() });
      }
    } finally {
      this.#busy.delete(deliveries);
    }
  }

  #post(webhook: Webhook, notice: NoticeDocument): Promise<Answered> {
    const { webhooks, version, clock, fetch: anywhere, fetchOutside, proxyOf } = this.#parts;
    const { url, format } = webhook;
    const about = {
      url,
      secrets: webhooks.signing(webhook),
      notice,
      format,
      version,
      nowMs: clock(),
      proxy: proxyOf(url),
    };
    const fetch = isLimited(webhook.owner) ? fetchOutside : anywhere;
    return post({ ...about, fetch, signal: this.#end.signal });
  }

  /** Logs the first failure and the first success after it. */
  #tell({ id, name, url }: Webhook, { kind, error }: Answered, wasFailing: boolean): void {
    const { log } = this.#parts;
    const fields = { webhook: name, id, receiver: shownReceiver(url) };
    if (kind === "delivered") {
      if (wasFailing) log.info(fields, "the receiver takes notices again");
    } else if (!wasFailing) log.warn({ ...fields, error }, "the receiver does not take a notice: it is tried again");
  }
}
