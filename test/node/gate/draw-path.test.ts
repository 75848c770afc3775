import { describe, expect, test } from "vitest";
import { parseRoom } from "../../../node/config/room-document.ts";
import { drawAddress, isDrawPath } from "../../../node/gate/draw-answers.ts";
import { fieldOf } from "./fake-exchange.ts";
import { GateWorld, SHOP } from "./gate-world.ts";

const DRAW = "/.anteroom/draw";

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

  test("written in another way goes the way of all requests", async () => {
    const world = new GateWorld();
    await world.fill();
    expect(await world.outcome({ target: "/%2Eanteroom/draw" })).toBe("joined");
  });

  test("is nothing that a suspended room knows of", async () => {
    const world = new GateWorld({ rooms: [{ ...SHOP, suspended: true }] });
    expect((await world.forwarded({ target: DRAW })).kind).toBe("forward");
  });
});
