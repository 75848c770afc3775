/** A node's notices, put together: the board, those who watch, and the webhooks. */

import { randomBytes } from "node:crypto";
import type { NodeId } from "../../../mesh/core/ids.ts";
import type { MeshSecret } from "../../cookie/keys.ts";
import type { Log } from "../../log.ts";
import type { RoomRegisters } from "../../rooms/room-registers.ts";
import type { NodeStatus } from "../status/status.ts";
import { WebhookSecrets } from "../webhooks/webhook-secret.ts";
import { WebhookSender } from "../webhooks/webhook-sender.ts";
import { Webhooks } from "../webhooks/webhooks.ts";
import { noticeDocument } from "./notice.ts";
import { NoticeBoard } from "./notice-board.ts";
import { Watchers } from "./watchers.ts";

export interface NoticesParts {
  readonly mesh: MeshSecret;
  readonly node: NodeId;
  readonly version: string;
  readonly registers: RoomRegisters;
  readonly knowsRegisters: () => boolean;
  readonly formerOf: (node: string) => "left" | "removed";
  readonly clock: () => number;
  readonly log: Log;
}

/** How often the mesh is looked at. Halved, notices come half a second sooner, at twice the cost. */
const LOOK_MS = 1_000;

export class Notices {
  readonly watchers: Watchers;
  readonly webhooks: Webhooks;
  readonly sender: WebhookSender;
  readonly #meshId: string;
  readonly #board: NoticeBoard;
  #lookedMs: number | undefined;

  constructor({ mesh, node, version, registers, knowsRegisters, formerOf, clock, log }: NoticesParts) {
    const { meshId } = mesh;
    this.#meshId = meshId;
    this.#board = new NoticeBoard({ mesh: meshId, node, registers, knowsRegisters, formerOf });
    this.watchers = new Watchers(randomBytes(6).toString("hex"), clock);
    this.webhooks = new Webhooks({ registers, secrets: new WebhookSecrets(mesh), clock });
    this.sender = new WebhookSender({
      ...{ mesh: meshId, node, version, webhooks: this.webhooks, clock, log },
      fetch,
      random: Math.random,
    });
  }

  /** Whether a look is worth its cost. */
  isDue(nowMs: number): boolean {
    return this.#lookedMs === undefined || Math.abs(nowMs - this.#lookedMs) >= LOOK_MS;
  }

  look(status: NodeStatus): void {
    this.#lookedMs = status.now_ms;
    const notices = this.#board.look(status);
    this.watchers.notify(notices.map((notice) => noticeDocument(notice, this.#meshId)));
    this.watchers.tick();
    this.sender.tick(status, notices);
  }

  /** Ends what is under way; before the store is closed. */
  close(): void {
    this.watchers.close();
    this.sender.close();
  }
}
