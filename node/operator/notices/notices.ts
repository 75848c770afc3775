/** A node's notices, put together: the board, the webhooks, and word to visitors' browsers. */

import type { NodeId } from "../../../mesh/core/ids.ts";
import { ContactSeal } from "../../keys/contact-seal.ts";
import type { MeshSecret } from "../../keys/derived-keys.ts";
import { PushKeys } from "../../keys/push-keys.ts";
import type { Log } from "../../log.ts";
import { outside } from "../../outside.ts";
import type { LiveRoom } from "../../rooms/live-room.ts";
import type { RoomRegisters } from "../../rooms/room-registers.ts";
import type { CommitQueue } from "../../storage/group-commit.ts";
import type { ProxyOf } from "../outbound-proxy.ts";
import type { NodeStatus } from "../status/status.ts";
import type { Tokens } from "../tokens/tokens.ts";
import { WebhookSecrets } from "../webhooks/webhook-secret.ts";
import { WebhookSender } from "../webhooks/webhook-sender.ts";
import { Webhooks } from "../webhooks/webhooks.ts";
import { type CalledParts, tellCalled, unheardRooms } from "./called-visitors.ts";
import { NoticeBoard } from "./notice-board.ts";
import { PushSender } from "./push-sender.ts";

export interface NoticesParts {
  readonly mesh: MeshSecret;
  readonly node: NodeId;
  readonly version: string;
  readonly registers: RoomRegisters;
  readonly tokens: Pick<Tokens, "stands">;
  readonly knowsRegisters: () => boolean;
  readonly formerOf: (node: string) => "left" | "removed";
  readonly proxyOf: ProxyOf;
  readonly clock: () => number;
  readonly log: Log;
}

/** How often the mesh is looked at. Halved, notices come half a second sooner, at twice the cost. */
const LOOK_MS = 1_000;
/** The same without a webhook: the first one must not hear of what was so long before. */
const NO_WEBHOOK_LOOK_MS = 10_000;

export class Notices {
  readonly webhooks: Webhooks;
  readonly sender: WebhookSender;
  readonly pushes: PushSender;
  readonly #board: NoticeBoard;
  readonly #calls: Omit<CalledParts, "commit">;
  #lookedMs: number | undefined;

  constructor(parts: NoticesParts) {
    const { mesh, node, version, registers, tokens, knowsRegisters, formerOf, proxyOf, clock, log } = parts;
    const { meshId } = mesh;
    this.#board = new NoticeBoard({ mesh: meshId, node, registers, knowsRegisters, formerOf });
    this.webhooks = new Webhooks({ registers, secrets: new WebhookSecrets(mesh), tokens, clock });
    this.sender = new WebhookSender({
      mesh: meshId,
      node,
      version,
      webhooks: this.webhooks,
      clock,
      log,
      fetch,
      fetchOutside: outside(fetch),
      proxyOf,
      random: Math.random,
    });
    const send = this.sender.sendOwn.bind(this.sender);
    this.pushes = new PushSender({ keys: new PushKeys(mesh), fetch, proxyOf, clock, log });
    const push = this.pushes.add.bind(this.pushes);
    this.#calls = { mesh: meshId, node, seal: new ContactSeal(mesh), clock, send, push, log };
  }

  /** Whether a look is worth its cost. */
  isDue(nowMs: number): boolean {
    const sinceMs = this.#lookedMs === undefined ? Number.POSITIVE_INFINITY : Math.abs(nowMs - this.#lookedMs);
    return sinceMs >= NO_WEBHOOK_LOOK_MS || (sinceMs >= LOOK_MS && this.webhooks.all().length > 0);
  }

  look(status: NodeStatus): void {
    this.#lookedMs = status.now_ms;
    this.sender.tick(status, this.#board.look(status));
  }

  /** Tells of visitors whose turn has come, who left an address. Call it often. */
  tellCalled(rooms: readonly LiveRoom[], commit: CommitQueue): void {
    tellCalled(rooms, { ...this.#calls, commit });
    void this.pushes.tick();
  }

  /** What an operator should know at once. */
  warnings(rooms: readonly LiveRoom[], nowMs: number): string[] {
    const hears = (room: string): boolean => this.sender.isWanted({ type: "visitor.called", room });
    return [...this.sender.warnings(nowMs), ...unheardRooms(rooms, hears)];
  }

  /** Ends what is under way; before the store is closed. */
  close(): void {
    this.sender.close();
    this.pushes.close();
  }
}
