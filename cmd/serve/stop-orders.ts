/**
 * When a node must stop, and on which order.
 *
 * A person's first SIGTERM or SIGINT stops in good order, the second at once. A child of another anteroom stops in good
 * order however many signals come: a terminal's Ctrl-C and a service manager's SIGTERM reach it both directly and
 * through its parent. When the channel to the parent closes, the parent is gone, and the child stops too.
 */

import type { Told } from "../child.ts";
import { EXIT } from "../exit.ts";

export interface StopOrders {
  /** Why it must stop: a signal's name, or that the parent is gone. */
  readonly stop: Promise<string>;
  /** Reports to the parent, if there is one. */
  readonly tell: (told: Told) => void;
  /** Disconnects from the parent: nothing keeps this process any longer. */
  readonly end: () => void;
}

const SIGNALS = ["SIGTERM", "SIGINT"] as const;

/** Accepts orders from now on. */
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
