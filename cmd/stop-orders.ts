/**
 * When a node is to stop, and who says so.
 *
 * A person's first SIGTERM or SIGINT stops in good order, the second at once. A child of another anteroom stops in good order
 * whatever comes, and how often: a terminal's Ctrl-C and a service manager's SIGTERM reach it directly and by way of its parent. When
 * the channel to the parent closes, the parent is gone, and the child stops too.
 */

import type { Told } from "./child.ts";
import { EXIT } from "./exit.ts";

export interface StopOrders {
  /** Why it is to stop: a signal's name, or that the parent is gone. */
  readonly stop: Promise<string>;
  /** Tells the parent, if there is one. */
  readonly tell: (told: Told) => void;
  /** Lets go of the parent: nothing keeps this process any more. */
  readonly end: () => void;
}

const SIGNALS = ["SIGTERM", "SIGINT"] as const;

/** Takes orders from now on. */
export function takeOrders(): StopOrders {
  const isChild = process.send !== undefined;
  const { promise: stop, resolve } = Promise.withResolvers<string>();
  let orders = 0;
  for (const signal of SIGNALS) {
    process.on(signal, () => {
      orders += 1;
      if (orders > 1 && !isChild) process.exit(EXIT.failed);
      resolve(signal);
    });
  }
  if (isChild) process.on("disconnect", () => resolve("the parent process is gone"));
  return {
    stop,
    tell: (told) => {
      if (isChild && process.connected) process.send?.(told);
    },
    end: () => {
      if (isChild && process.connected) process.disconnect?.();
    },
  };
}
