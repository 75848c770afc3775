/**
 * The demo's shop by itself: an origin for a first try of `anteroom serve` without a website.
 */

import { claimPort } from "../../node/claim-port.ts";
import { ListenError } from "../../node/listening.ts";
import type { DemoOptions } from "../demo-options.ts";
import { EXIT } from "../exit.ts";
import { Failure } from "../failure.ts";
import { untilInterrupted } from "../interrupt.ts";
import type { Io } from "../io.ts";
import { startShop } from "./shop.ts";

/** A visitor counts as inside for as long as in a room with the default session duration. */
const SESSION_MS = 5 * 60_000;

/** Nothing has to be done meanwhile; the interval does not matter. */
const IDLE_MS = 60_000;

/** Runs the shop until SIGINT or SIGTERM. Throws `Failure` when the port is taken. */
export async function runShop({ listen }: Pick<DemoOptions, "listen">, io: Io): Promise<number> {
  const { host, port } = claim({ ...listen, host: listen.host || "127.0.0.1" });
  const shop = startShop({ hostname: host, port, sessionMs: SESSION_MS });
  io.answer(`The shop is at ${shop.url}/. Ctrl-C ends it.`);
  io.answer(`Put a gate in front of it: anteroom serve --origin ${shop.url} --rooms rooms.yaml`);
  await untilInterrupted(IDLE_MS, async () => undefined);
  await shop.stop();
  return EXIT.ok;
}

function claim(address: DemoOptions["listen"]): DemoOptions["listen"] {
  try {
    return claimPort(address, "shop");
  } catch (error) {
    if (!(error instanceof ListenError)) throw error;
    throw new Failure(error.message, { hint: "choose another one with --listen", cause: error });
  }
}
