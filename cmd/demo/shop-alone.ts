/**
 * The demo's shop by itself: an origin for a first try of `anteroom serve` without a website.
 */

import type { DemoOptions } from "../demo-options.ts";
import { EXIT } from "../exit.ts";
import { untilInterrupted } from "../interrupt.ts";
import type { Io } from "../io.ts";
import { startShop } from "./shop.ts";
import { claimed } from "./stage.ts";

/** A visitor counts as inside for as long as in a room with the default session duration. */
const SESSION_MS = 5 * 60_000;

/** Nothing has to be done meanwhile; the interval does not matter. */
const IDLE_MS = 60_000;

/** Runs the shop until SIGINT or SIGTERM. Throws `Failure` when the port is taken. */
export async function runShop({ listen }: Pick<DemoOptions, "listen">, io: Io): Promise<number> {
  const address = claimed(listen, "shop");
  const shop = startShop({ hostname: address.host, port: address.port, sessionMs: SESSION_MS });
  io.answer(`The shop is at ${shop.url}/. Ctrl-C ends it.`);
  io.answer(`Put a gate in front of it: anteroom serve --origin ${shop.url} --rooms rooms.yaml`);
  await untilInterrupted(IDLE_MS, async () => undefined);
  await shop.stop();
  return EXIT.ok;
}
