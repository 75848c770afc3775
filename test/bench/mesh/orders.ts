/**
 * Orders to a process of the benchmark and its answers, by the channel between processes: one question, one answer.
 */

import { join } from "node:path";
import { type Core, Server } from "../programs.ts";

interface Order {
  readonly call: number;
  readonly order: string;
  readonly given: unknown;
}

type Answer = { readonly call: number } & ({ readonly answer: unknown } | { readonly failed: string });

/** What a process can be told to do, by name. */
export type Orders = Readonly<Record<string, (given: never) => unknown>>;

/** Answers of `Taken`'s orders, as the other side gets them. */
type Answered<Taken extends Orders, Name extends keyof Taken> = Awaited<ReturnType<Taken[Name]>>;

/** A process that runs a script of this folder and takes the orders `Taken`. */
export class Obeying<Taken extends Orders> {
  readonly server: Server;
  readonly #open = new Map<number, { resolve: (answer: unknown) => void; reject: (error: Error) => void }>();
  #calls = 0;

  constructor(script: string, core: Core) {
    const path = join(import.meta.dirname, script);
    this.server = new Server([process.execPath, path], core, (message) => this.#hear(message as Answer));
    void this.server.exited.then((code) => {
      for (const { reject } of this.#open.values())
        reject(new Error(`Cannot measure as ${script} ended with ${code} before its answer`));
    });
  }

  ask<Name extends keyof Taken & string>(
    order: Name,
    given: Parameters<Taken[Name]>[0],
  ): Promise<Answered<Taken, Name>> {
    const call = ++this.#calls;
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    this.#open.set(call, { resolve, reject });
    this.server.send({ call, order, given } satisfies Order);
    return promise as Promise<Answered<Taken, Name>>;
  }

  stop(): Promise<void> {
    return this.server.stop();
  }

  #hear(message: Answer): void {
    const open = this.#open.get(message.call);
    this.#open.delete(message.call);
    if ("failed" in message) open?.reject(new Error(message.failed));
    else open?.resolve(message.answer);
  }
}

/** Takes orders from the process that started this one, and ends with it. */
export function obey(orders: Orders): void {
  process.on("disconnect", () => process.exit());
  process.on("message", ({ call, order, given }: Order) => {
    void answerTo(orders, { call, order, given }).then((answer) => process.send?.(answer));
  });
}

async function answerTo(orders: Orders, { call, order, given }: Order): Promise<Answer> {
  try {
    return { call, answer: await orders[order]?.(given as never) };
  } catch (error) {
    // Told to who gave the order, which ends the measurement there.
    return { call, failed: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
}
