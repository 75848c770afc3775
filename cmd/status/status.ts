/**
 * `anteroom status`: rooms and members of a running node, once, or with `--watch` as a live screen.
 *
 * The live screen draws on the terminal's alternate screen, which restores the old content at its end, and it continues
 * when the node goes away and comes back. Without a terminal, `--watch` writes one status after the other.
 */

import type { NodeStatus } from "../../node/operator/status/status.ts";
import { type AdminClient, adminClient, answerField } from "../admin-client.ts";
import { type Invocation, isOn } from "../command.ts";
import { EXIT } from "../exit.ts";
import { Failure } from "../failure.ts";
import { untilInterrupted } from "../interrupt.ts";
import type { Io } from "../io.ts";
import { tableOptions, wrap } from "../print.ts";
import { screenOf } from "./screen.ts";
import { renderStatus } from "./status-view.ts";

/** Between two readings of `--watch`: numbers change each second; faster would only flicker. */
const WATCH_INTERVAL_MS = 1_000;

export async function status(invocation: Invocation): Promise<number> {
  const { io } = invocation;
  const client = adminClient(invocation);
  const json = isOn(invocation, "json");
  if (!isOn(invocation, "watch")) {
    io.answer(textOf(await readStatus(client), io, json));
    return EXIT.ok;
  }
  if (io.terminal.isTerminal && !json) await watchOnScreen(client, io);
  else await untilInterrupted(WATCH_INTERVAL_MS, async () => io.answer(textOf(await readStatus(client), io, json)));
  return EXIT.ok;
}

async function watchOnScreen(client: AdminClient, io: Io): Promise<void> {
  const screen = screenOf(io);
  screen.open();
  try {
    await untilInterrupted(WATCH_INTERVAL_MS, async () => screen.show(await statusOrReason(client, io)));
  } finally {
    screen.close();
  }
}

/** The status, or why there is none: a live screen outlives its node. */
async function statusOrReason(client: AdminClient, io: Io): Promise<string> {
  const { columns } = io.terminal.size();
  try {
    return `${textOf(await readStatus(client), io, false)}\n\nCtrl-C ends.`;
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return `${wrap(error.message, columns)}\n\nTrying again each second. Ctrl-C ends.`;
  }
}

/** The node's status. Throws `Failure`. */
async function readStatus(client: AdminClient): Promise<NodeStatus> {
  const status = await client.call("GET", "/v1/status");
  answerField(status, "members");
  return status as NodeStatus;
}

function textOf(status: NodeStatus, io: Io, json: boolean): string {
  return json ? JSON.stringify(status) : renderStatus(status, tableOptions(io));
}
