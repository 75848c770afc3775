/** Before the start of a draw nothing that a node answers, shows or logs has its secret, its seed or the room's key. */

import { expect, test } from "vitest";
import { secretOf, seedOf } from "../../../node/admission/draw/draw-seed.ts";
import { GateWorld, MINUTE_MS, SHOP, START_MS } from "../gate/gate-world.ts";
import { adminWorld } from "./admin-world.ts";

const SALE_MS = START_MS + 10 * MINUTE_MS;
const sale = {
  ...{ name: "sale", shuffle_at_event_start: true, draw: true },
  prequeue_start_time: new Date(SALE_MS - 5 * MINUTE_MS).toISOString(),
  event_start_time: new Date(SALE_MS).toISOString(),
  event_end_time: new Date(SALE_MS + 30 * MINUTE_MS).toISOString(),
};

function drawWorld() {
  const world = new GateWorld({ rooms: [SHOP], logLevel: "debug", accessLog: true });
  const { app, ask } = adminWorld(world);
  world.rooms.update("shop", { events: [sale] });
  const live = world.room();
  const [draw] = live.draws;
  const { drawKey } = live;
  if (draw === undefined || drawKey === undefined) throw new Error("Broken: the room has a draw");
  const secret = secretOf(drawKey, draw.terms);
  const runTo = (ms: number): void => {
    for (; world.nowMs < ms; world.nowMs += 500) world.peer.tick({ wallMs: world.nowMs, steadyMs: world.nowMs });
  };
  /** All that can be read of the node. */
  const shown = async (): Promise<string> => {
    const paths = app.routes
      .filter(({ method }) => method === "GET")
      .map(({ path }) =>
        path
          .replace(/:(name|room|draw)\b/g, "shop")
          .replace(/:event\b/g, "sale")
          .replace(/:account\b/g, "a"),
      );
    const answers = [...new Set(paths)].map(async (path) => `${path}\n${await textOf(await ask("GET", path))}`);
    const pages = ["text/html", "application/json"].map(async (Accept) => {
      const outcome = await world.ask({ headers: { Accept } });
      return outcome.kind === "answer" ? outcome.body : "";
    });
    const open = (await world.answered({ target: "/.anteroom/draw" })).body;
    return [...(await Promise.all([...answers, ...pages])), open, JSON.stringify(world.logged)].join("\n");
  };
  return { world, drawKey, secret, seed: seedOf(draw.terms, secret, ""), hash: draw.hash, runTo, shown };
}

test("the secret of a draw, its seed and the room's key are nowhere before the start, and the hash is", async () => {
  const { drawKey, secret, seed, hash, runTo, shown } = drawWorld();
  for (const atMs of [START_MS, SALE_MS - 4 * MINUTE_MS, SALE_MS - 500]) {
    runTo(atMs);
    const text = await shown();
    expect(text).toContain(hash);
    expect([drawKey, secret, seed].filter((hidden) => text.includes(hidden))).toEqual([]);
  }
});

test("secret and seed are shown from the start on, and the room's key never", async () => {
  const { drawKey, secret, seed, runTo, shown } = drawWorld();
  runTo(SALE_MS + MINUTE_MS);
  const text = await shown();
  expect([drawKey, secret, seed].map((each) => text.includes(each))).toEqual([false, true, true]);
});

/** Of a stream without an end, the first part. */
async function textOf(answer: Response): Promise<string> {
  if (answer.headers.get("Content-Type")?.startsWith("text/event-stream") !== true) return answer.text();
  const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
  const first = await reader?.read();
  await reader?.cancel();
  return first?.value ?? "";
}
