import { beforeEach, describe, expect, test } from "vitest";
import { type DialOutcome, PACE, PeerKeeper } from "../../mesh/peer-keeper.ts";
import { turn } from "./fake-stream.ts";

let nowMs: number;
let dials: { readonly key: string; readonly atMs: number }[];
let outcome: DialOutcome | "never" | "throws";
let handshakes: ((outcome: DialOutcome) => void)[] | undefined;
let keeper: PeerKeeper<string>;

beforeEach(() => {
  nowMs = 0;
  dials = [];
  outcome = "failed";
  handshakes = undefined;
  keeper = new PeerKeeper({
    clock: () => nowMs,
    random: () => 0.5,
    dial: (key, connected) => {
      dials.push({ key, atMs: nowMs });
      if (handshakes !== undefined) {
        const { promise, resolve } = Promise.withResolvers<DialOutcome>();
        handshakes.push(resolve);
        connected();
        return promise;
      }
      if (outcome === "throws") return Promise.reject(new Error("no route"));
      return outcome === "never" ? new Promise(() => {}) : Promise.resolve(outcome);
    },
  });
});

describe("who is not connected is dialled", () => {
  test("at once, then after 0.5, 1 and 2 s, and every 2 s for ever", async () => {
    keeper.want("a");
    await pass(20_000);
    expect(dials.slice(0, 6).map(({ atMs }) => atMs)).toEqual([0, 500, 1_500, 3_500, 5_500, 7_500]);
    dials = [];
    await pass(3_600_000, 500);
    expect(dials.length).toBe(3_600_000 / PACE.mostMs);
  });

  test("not twice at once, however long a dial takes", async () => {
    outcome = "never";
    keeper.want("a");
    keeper.want("a");
    await pass(60_000);
    expect(dials).toHaveLength(1);
  });

  test("also after a dial that threw", async () => {
    outcome = "throws";
    keeper.want("a");
    await pass(1_000);
    expect(dials).toHaveLength(2);
  });

  test("later, if that is asked for", async () => {
    keeper.want("a", 300);
    await pass(250);
    expect(dials).toEqual([]);
    await pass(100);
    expect(dials).toHaveLength(1);
  });

  test("not in step with others: the wait is up to a quarter shorter or longer", async () => {
    const waits = [0, 0.999].map((random) => {
      const times: number[] = [];
      const one = new PeerKeeper({
        clock: () => nowMs,
        random: () => random,
        dial: async () => {
          times.push(nowMs);
          return "failed";
        },
      });
      return { one, times };
    });
    for (const { one } of waits) one.want("a");
    for (nowMs = 0; nowMs <= 700; nowMs += 25) {
      for (const { one } of waits) one.tick();
      await turn();
    }
    expect(waits.map(({ times }) => times)).toEqual([
      [0, 375],
      [0, 625],
    ]);
  });
});

describe("who is dialled no more", () => {
  test("who is connected, until the connection is lost; then from the beginning", async () => {
    keeper.want("a");
    await pass(5_000);
    keeper.connected("a");
    dials = [];
    await pass(60_000);
    expect(dials).toEqual([]);
    keeper.lost("a");
    await pass(1_600);
    expect(dials.map(({ atMs }) => atMs - 65_000)).toEqual([0, 500, 1_500]);
  });

  test("who was dropped, even if a dial was under way", async () => {
    keeper.want("a");
    keeper.tick();
    keeper.drop("a");
    keeper.connected("a");
    keeper.lost("a");
    keeper.refused("a");
    await pass(10_000);
    expect(dials).toHaveLength(1);
  });
});

describe("who says no is dialled once a minute", () => {
  test("after a dial that was refused", async () => {
    outcome = "refused";
    keeper.want("a");
    await pass(125_000);
    expect(dials.map(({ atMs }) => atMs)).toEqual([0, 60_000, 120_000]);
  });

  test("after a connection that was ended with a no, though its end is reported too", async () => {
    outcome = "refused";
    keeper.want("a");
    keeper.connected("a");
    keeper.refused("a");
    keeper.lost("a");
    await pass(59_000);
    expect(dials).toEqual([]);
    await pass(2_000);
    expect(dials).toHaveLength(1);
  });

  test("others are dialled as usual", async () => {
    keeper.want("a");
    keeper.want("b");
    keeper.refused("a");
    await pass(5_000);
    expect(new Set(dials.map(({ key }) => key))).toEqual(new Set(["b"]));
  });
});

describe("handshakes under way are four at most", () => {
  test("so many are dialled at a tick, and no more until one is done", async () => {
    handshakes = [];
    for (let at = 0; at < 10; at++) keeper.want(`${at}`);
    await pass(5_000);
    expect(dials.map(({ key }) => key)).toEqual(["0", "1", "2", "3"]);
    handshakes[1]?.("up");
    handshakes[2]?.("failed");
    await pass(100);
    expect(dials.map(({ key }) => key)).toEqual(["0", "1", "2", "3", "4", "5"]);
  });

  test("hosts that do not answer do not count, and all have their turn", async () => {
    outcome = "never";
    for (let at = 0; at < 150; at++) keeper.want(`${at}`);
    await pass(8_000, 200);
    expect(dials).toHaveLength(150);
  });

  test("those due for longest come first", async () => {
    for (let at = 0; at < 80; at++) keeper.want(`${at}`);
    await pass(60_000, 200);
    const times = Array.from({ length: 80 }, (_, at) => dials.filter(({ key }) => key === `${at}`).length);
    expect(Math.max(...times) - Math.min(...times)).toBeLessThanOrEqual(1);
  });
});

/** Lets time pass in steps, with a tick at each. */
async function pass(ms: number, stepMs = 50): Promise<void> {
  for (const endMs = nowMs + ms; ; nowMs += stepMs) {
    keeper.tick();
    await Promise.resolve();
    await Promise.resolve();
    if (nowMs >= endMs) return;
  }
}
