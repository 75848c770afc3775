/** A room that is closed because all is sold: nobody new is admitted, those inside stay, and no place is lost. */

import { beforeEach, describe, expect, test } from "vitest";
import { cookieIn, originAnswers } from "./fake-exchange.ts";
import { GateWorld, MINUTE_MS, SHOP, saleAt } from "./gate-world.ts";

const ROOM = { ...SHOP, enabled_origin_commands: ["sold-out", "complete"] };
const SOLD_OUT = ["Anteroom-Command", "sold-out; reason=stock-0"];

let world: GateWorld;
let inside: string;
beforeEach(async () => {
  world = new GateWorld({ rooms: [ROOM] });
  inside = await world.comeIn();
});

async function soldOut(): Promise<void> {
  originAnswers(await world.forwarded({ headers: { Cookie: inside } }), SOLD_OUT);
}

describe("an origin that says that all is sold", () => {
  test("closes the room: nobody else is admitted, though slots are free, and those inside stay", async () => {
    await soldOut();
    for (let minute = 0; minute < 3; minute++) {
      world.nowMs += MINUTE_MS / 2;
      expect(await world.outcome()).toBe("rejected");
      expect(world.room().admission.inside(world.nowMs)).toBe(1);
      const { plan } = await world.forwarded({ headers: { Cookie: inside } });
      inside = cookieIn(plan.onResponse({ status: 200, reason: "OK", headers: [] })) || inside;
    }
    expect(world.room().order).toMatchObject({ kind: "sold-out" });
  });

  test("needs no session for it, and gives one order, however often it says so", async () => {
    const pass = { target: "/logo.png", headers: { "Sec-Fetch-Dest": "image", "Sec-Fetch-Mode": "no-cors" } };
    const [first, second] = [await world.forwarded(pass), await world.forwarded(pass)];
    originAnswers(first, SOLD_OUT);
    const order = world.room().order;
    world.nowMs += 1_000;
    originAnswers(second, SOLD_OUT);
    expect(world.room().order).toEqual(order);
    const { commands } = world.room().counts;
    expect(commands.all()).toEqual([{ command: "sold-out", reason: "stock-0", count: 1 }]);
    expect(commands.ignored["no-session"]).toBe(0);
  });

  test("does not close a room that has not enabled that, nor one about which an operator has given an order", async () => {
    world = new GateWorld();
    inside = await world.comeIn();
    await soldOut();
    expect(world.room().order).toBeUndefined();
    world = new GateWorld({ rooms: [ROOM] });
    inside = await world.comeIn();
    world.rooms.order("shop", "open");
    await soldOut();
    expect(world.room().order?.kind).toBe("open");
  });

  test("is heard again, if the disk refused the order: its answer is served all the same", async () => {
    world.diskIsFull = true;
    await soldOut();
    expect(world.room().order).toBeUndefined();
    expect(world.logged.at(-1)).toMatchObject({ level: "error", fields: { room: "shop" } });
    world.diskIsFull = false;
    await soldOut();
    expect(world.room().order?.kind).toBe("sold-out");
  });
});

describe("the visitors of a room that is sold out", () => {
  test("read so, in line or new, in words of the room's own, and ask more seldom", async () => {
    const texts = { "en-US": { "states.soldOut.heading": "All tickets are gone" } };
    world = new GateWorld({ rooms: [{ ...ROOM, page: { title: "Example Tickets", texts } }] });
    await world.fill();
    const waiting = await world.joinLine();
    world.rooms.order("shop", "sold-out");
    for (const cookie of [waiting, ""]) {
      const { headers, body } = await world.answered({ headers: { Accept: "text/html", Cookie: cookie } });
      expect(body).toContain('<h1 id="heading">All tickets are gone</h1>');
      expect(body).toContain("Example Tickets");
      expect(headers[headers.indexOf("Refresh") + 1]).toMatch(/^60;/);
      const app = await world.told(cookie);
      expect(app.anteroom).toMatchObject({ soldOut: true, position: 0 });
      expect(app.cfWaitingRoom).toMatchObject({ isRejectQueue: true, refreshIntervalSeconds: 60 });
    }
  });

  test("who were in line keep their place for as long as the page asks, and are first when the room is resumed", async () => {
    await world.fill();
    let first = await world.joinLine();
    world.rooms.order("shop", "sold-out");
    for (let minute = 0; minute < 60; minute++) {
      world.nowMs += MINUTE_MS;
      first = (await world.told(first)).cookie;
    }
    world.rooms.order("shop", undefined);
    await world.comeIn();
    const second = await world.joinLine();
    expect(await world.outcome({ headers: { Cookie: first } })).toBe("admitted");
    expect(await world.outcome({ headers: { Cookie: second } })).toBe("polled");
  });

  test("before the start of an event do not wait for it", async () => {
    const startMs = world.nowMs + MINUTE_MS;
    world = new GateWorld({ rooms: [{ ...ROOM, events: [saleAt(startMs)] }] });
    world.rooms.order("shop", "sold-out");
    expect((await world.answered()).body).toContain('data-state="soldOut"');
    world.nowMs = startMs + 1_000;
    expect((await world.answered()).body).toContain('data-state="soldOut"');
  });
});
