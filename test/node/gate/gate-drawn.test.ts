import { describe, expect, test } from "vitest";
import { parseRoom } from "../../../node/config/room-document.ts";
import { DRAWS_PER_SECOND, drawAddress, isDrawPath } from "../../../node/gate/draw-answers.ts";
import { fieldOf } from "./fake-exchange.ts";
import { GateWorld, MINUTE_MS, SHOP, START_MS, saleAt } from "./gate-world.ts";

const DRAW = "/.anteroom/draw";

test("a room whose places are drawn shows no position that could go back, and no wait, while others may still come in front", async () => {
  const world = await GateWorld.full({ queueing_method: "random", total_active_users: 1 });
  const { cookie } = await world.told();
  const { cfWaitingRoom, anteroom } = await world.told(cookie);
  expect(cfWaitingRoom).toMatchObject({ queueingMethod: "random", isRandomQueue: true, waitTimeKnown: false });
  expect(anteroom).toMatchObject({ position: 0, ahead: 0, waitSeconds: null, drawing: true });
  const { body } = await world.answered({ headers: { Cookie: cookie, Accept: "text/html" } });
  expect(body).toContain('data-state="drawn"');
  expect(body).not.toContain("Place 1");
});

describe("a draw that anybody can check", () => {
  const SALE_MS = START_MS + 10 * MINUTE_MS;
  const sale = saleAt(SALE_MS, { shuffle_at_event_start: true, draw: true });
  const rooms = [{ ...SHOP, events: [sale] }];

  test("has the same hash after a change that leaves the draw as it is, and another one once the event is moved", () => {
    const world = new GateWorld({ rooms });
    const hashNow = () => world.rooms.byName("shop")?.draws[0]?.hash;
    const hash = hashNow();
    expect(hash).toMatch(/^[0-9a-f]{64}$/);
    world.rooms.update("shop", { description: "another", events: [{ ...sale, description: "another" }] });
    expect(hashNow()).toBe(hash);
    const moved = new Date(SALE_MS + 1_000).toISOString();
    world.rooms.update("shop", { events: [{ ...sale, event_start_time: moved }] });
    expect(hashNow()).not.toBe(hash);
    world.rooms.update("shop", { events: [sale] });
    expect(hashNow()).toBe(hash);
  });

  test("is named on the page and to programs during the pre-queue, and nowhere without a draw", async () => {
    for (const draw of [true, false]) {
      const world = new GateWorld({ rooms: [{ ...SHOP, path: "/tickets", events: [{ ...sale, draw }] }] });
      world.runTo(SALE_MS - MINUTE_MS / 2);
      const cookie = await world.joinLine({ target: "/tickets/a" });
      const ask = (accept: string) =>
        world.answered({ target: "/tickets/a", headers: { Cookie: cookie, Accept: accept } });
      const { anteroom } = JSON.parse((await ask("application/json")).body);
      if (draw) expect(anteroom.draw).toMatch(/^\/tickets\/\.anteroom\/draw#[0-9a-f]{13}$/);
      else expect(anteroom.draw).toBeUndefined();
      const { body } = await ask("text/html");
      const address = anteroom.draw ?? "/tickets/.anteroom/draw";
      expect(body.includes(`<a href="${address}" target="_blank">How the places are drawn</a>`)).toBe(draw);
    }
  });

  test("answers some of a flood", async () => {
    const world = new GateWorld({ rooms });
    world.runTo(SALE_MS - MINUTE_MS / 2);
    const answered = async (count: number, addressOf: (at: number) => string) => {
      const asked = Array.from({ length: count }, (_, at) => world.answered({ target: DRAW, from: addressOf(at) }));
      return (await Promise.all(asked)).filter(({ status }) => status === 200).length;
    };
    expect(await answered(DRAWS_PER_SECOND, () => "192.0.2.1")).toBe(DRAWS_PER_SECOND / 10);
    const left = DRAWS_PER_SECOND - DRAWS_PER_SECOND / 10;
    expect(await answered(DRAWS_PER_SECOND, (at) => `198.51.${at >> 8}.${at & 255}`)).toBe(left);
  });
});

describe("the address of a draw", () => {
  const parsed = parseRoom({ ...SHOP, path: "/tickets", additional_routes: [{ host: "*", path: "/ü/" }] });
  if (!parsed.ok) throw new Error("unreachable");
  const room = parsed.value;

  test.each([
    ["/tickets/.anteroom/draw", true],
    ["/tickets/.anteroom/draw?x=3", true],
    ["/%C3%BC/.anteroom/draw", true],
    ["/.anteroom/draw", false],
    ["/tickets/a/.anteroom/draw", false],
    ["/tickets/.anteroom/draws", false],
    ["/tickets/.anteroom/draw/", false],
    ["/tickets/%2Eanteroom/draw", false],
    ["/tickets/.anteroom%2Fdraw", false],
    ["/tickets//.anteroom/draw", false],
    ["/tickets?x=/.anteroom/draw", false],
    ["/tickets/.anteroom/draw/.anteroom/draw", false],
  ])("%s: %s", (target, isOne) => expect(isDrawPath(target, room)).toBe(isOne));

  test("of a visitor is below the path that the visitor asked for", () => {
    expect(drawAddress(room, { host: "shop.example", target: "/tickets/a" })).toBe("/tickets/.anteroom/draw");
    expect(drawAddress(room, { host: "shop.example", target: "/%C3%BC/a" })).toBe("/%C3%BC/.anteroom/draw");
  });

  test("takes no place, and has no other method", async () => {
    const world = new GateWorld();
    await world.fill();
    const asked = await world.answered({ target: DRAW });
    const posted = await world.answered({ target: DRAW, method: "POST" });
    expect([asked.status, posted.status, fieldOf(posted.headers, "Allow")]).toEqual([404, 405, "GET, HEAD"]);
    expect(world.room().admission.waiting).toBe(0);
    expect(await world.outcome({ target: DRAW })).toBe("draw");
  });

  test("is nothing that a suspended room knows of", async () => {
    const world = new GateWorld({ rooms: [{ ...SHOP, suspended: true }] });
    expect((await world.forwarded({ target: DRAW })).kind).toBe("forward");
  });
});
