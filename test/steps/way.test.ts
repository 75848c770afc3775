/**
 * How long the way of a new visitor's request is, on one node, in a room without passes, draws and rates: in how many
 * files of the product a function is entered, from the socket to the whole answer, and which callbacks the room's
 * decision crosses on its way back to the gate.
 *
 * A fourth visitor is counted: those before, of whom one may be admitted, one be the first in line and one stand behind,
 * fill what is remembered.
 */

import { afterAll, expect, test } from "vitest";
import { listen } from "../../node/http/listener.ts";
import { GateWorld, SHOP } from "../node/gate/gate-world.ts";
import { steps } from "./steps.ts";

/** Nobody can hold more in the head: take away before you raise it. */
const FILES_MAX = 65;

/** Where a decision may be passed on: what others give to `sort` and the like is no station. */
const PASSES_ON =
  /^(?:node\/gate\/|node\/admission\/mesh\/(?:entrance|ticket-client|batches)|mesh\/core\/wire\/tell-all)/;

const origin = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response("the shop") });
afterAll(() => origin.stop(true));

test.each([
  ["admitted", { ...SHOP, total_active_users: 4 }],
  ["joined", { ...SHOP, total_active_users: 1 }],
] as const)("a new visitor who is %s", async (outcome, room) => {
  const world = new GateWorld({
    rooms: [{ ...room, host: "*" }],
    origin: `http://127.0.0.1:${origin.port}`,
  });
  const ended = Promise.withResolvers<void>();
  let exchanges = 0;
  const listener = listen({
    hostname: "127.0.0.1",
    port: 0,
    onExchange: (exchange) => world.gate.handle(exchange),
    onError: ended.reject,
    onEnd: () => {
      exchanges += 1;
      if (exchanges === 4) ended.resolve();
    },
  });
  const visit = async (): Promise<string> => {
    const url = `http://127.0.0.1:${listener.port}/`;
    return (await fetch(url, { headers: { Accept: "text/html", Connection: "close" } })).text();
  };
  await visit();
  // A node looks ten times a second: what it may do is found by the first visitor after that, for all others.
  world.peer.tick({ wallMs: world.nowMs, steadyMs: world.nowMs });
  await visit();
  await visit();
  // What they leave to be written is not the fourth's.
  await new Promise(setImmediate);
  const entered: NonNullable<typeof steps.entered> = [];
  steps.entered = entered;
  await visit();
  await ended.promise;
  // What the decision leaves to be written is a part of it; a page does not wait for that.
  await new Promise(setImmediate);
  steps.entered = undefined;
  listener.stop();

  expect(world.room().counts.requests[outcome]).toBe(outcome === "admitted" ? 4 : 3);
  const files = new Set(entered.map(({ path }) => path));
  expect(files.size, [...files].join("\n")).toBeLessThanOrEqual(FILES_MAX);
  const asked = entered.findIndex(({ path }) => path === "node/admission/mesh/entrance.ts");
  const decided = entered.findIndex(({ path }, at) => at > asked && path === "node/gate/request-step.ts");
  const callbacks = entered.slice(asked, decided).filter(({ path, isCallback }) => isCallback && PASSES_ON.test(path));
  expect(callbacks.map(({ path }) => path)).toEqual(["node/gate/gate.ts"]);
});
