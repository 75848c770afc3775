import { describe, expect, test } from "vitest";
import { GateWorld, MINUTE_MS, SHOP } from "./gate-world.ts";

/** Places of one span are drawn among those who join within 18 minutes. */
const DRAWN_BY_MS = 18 * MINUTE_MS;
/** A poll after this time gets a new cookie. */
const RENEWED_MS = 6 * MINUTE_MS;

describe("a room whose places are drawn", () => {
  const room = { ...SHOP, queueing_method: "random", total_active_users: 1 };

  async function waiting(world: GateWorld, cookie: string) {
    const { body } = await world.answered({ headers: { Cookie: cookie, Accept: "application/json" } });
    return JSON.parse(String(body));
  }

  test("shows no position that could go back, and no wait, while others may still come in front", async () => {
    const world = new GateWorld({ rooms: [room] });
    await world.fill();
    const cookie = await world.joinLine();
    const { cfWaitingRoom, anteroom } = await waiting(world, cookie);
    expect(cfWaitingRoom).toMatchObject({
      queueingMethod: "random",
      isRandomQueue: true,
      isFIFOQueue: false,
      waitTimeKnown: false,
    });
    expect(anteroom).toMatchObject({ position: 0, ahead: 0, waitSeconds: null, drawing: true });
    const { body } = await world.answered({ headers: { Cookie: cookie, Accept: "text/html" } });
    expect(String(body)).toContain('data-state="drawn"');
    expect(String(body)).not.toContain("Place 1");
  });

  test("shows the position once it can only fall", async () => {
    const world = new GateWorld({ rooms: [{ ...room, queue_all: true }] });
    let cookie = await world.joinLine();
    for (let passedMs = 0; passedMs < DRAWN_BY_MS; passedMs += RENEWED_MS) {
      world.nowMs += RENEWED_MS;
      cookie = await world.joinLine({ headers: { Cookie: cookie } });
    }
    const { anteroom } = await waiting(world, cookie);
    expect(anteroom).toMatchObject({ position: 1 });
    expect(anteroom.drawing).toBeUndefined();
  });

  test("is open while there is no line, as one in the order of arrival is", async () => {
    const world = new GateWorld({ rooms: [room] });
    expect(await world.outcome({ headers: { "Sec-Fetch-Mode": "no-cors", Accept: "image/*" } })).toBe("passed");
    expect(await world.outcome()).toBe("admitted");
    expect(await world.outcome()).toBe("joined");
    expect(await world.outcome({ headers: { "Sec-Fetch-Mode": "no-cors", Accept: "image/*" } })).toBe("turned_away");
  });
});
