/** What `anteroom doctor` asks a node: its status, its rooms, and, as far as the token may, its settings and webhooks. */

import type { Room } from "../../node/config/room.ts";
import { parseRoom } from "../../node/config/room-document.ts";
import type { SettingRow } from "../../node/config/settings.ts";
import type { ApiWebhook } from "../../node/operator/api/webhook-shape.ts";
import type { NodeStatus } from "../../node/operator/status/status.ts";
import { type AdminClient, adminClient, answerField } from "../admin-client.ts";
import type { Invocation } from "../command.ts";
import { Failure } from "../failure.ts";

export interface Inside {
  readonly status: NodeStatus;
  readonly rooms: readonly Room[];
  /** Undefined where the token may not see them. */
  readonly settings: readonly SettingRow[] | undefined;
  /** The same. */
  readonly webhooks: readonly ApiWebhook[] | undefined;
  /** By the clock of this host when the status came, in Unix ms. */
  readonly nowMs: number;
}

/** Throws `Failure`. */
export async function lookInside(invocation: Invocation): Promise<Inside> {
  const client = adminClient(invocation);
  const status = await client.call("GET", "/v1/status");
  answerField(status, "members");
  const nowMs = Date.now();
  const documents = answerField(await client.call("GET", "/v1/rooms"), "rooms") as readonly unknown[];
  const rooms = documents.map((document) => parseRoom(document)).flatMap((room) => (room.ok ? [room.value] : []));
  return {
    status: status as NodeStatus,
    rooms,
    settings: (await listOf(client, "settings")) as readonly SettingRow[] | undefined,
    webhooks: (await listOf(client, "webhooks")) as readonly ApiWebhook[] | undefined,
    nowMs,
  };
}

/** The list at `/v1/name`; undefined where the token may not see it. */
async function listOf(client: AdminClient, name: string): Promise<unknown> {
  try {
    return answerField(await client.call("GET", `/v1/${name}`), name);
  } catch (error) {
    if (error instanceof Failure && error.reason === "forbidden") return undefined;
    throw error;
  }
}
