import { describe, expect, test } from "vitest";
import { publicRoom } from "../../../node/admission/receipt.ts";
import { parseRoom } from "../../../node/config/room-document.ts";
import { LOGS_PER_SECOND, RECEIPTS_PER_SECOND } from "../../../node/gate/own-answers.ts";
import { ownAddress, ownPathOf } from "../../../node/gate/own-paths.ts";
import { LEVELS } from "../../../node/gate/pressure.ts";
import { cookieIn, fieldOf } from "./fake-exchange.ts";
import { GateWorld, SHOP, START_MS } from "./gate-world.ts";

const RECEIPT = "/.anteroom/receipt";
const LOG = "/.anteroom/log";

/** A full room with one visitor in line. */
async function withPlace(change: object = {}) {
  const world = new GateWorld({ rooms: [{ ...SHOP, ...change }] });
  await world.fill();
  const cookie = await world.joinLine();
  return { world, cookie };
}

/** Makes entries of the public log, one in ten seconds. */
function passTime(world: GateWorld, entries: number): void {
  const { meshRoom, admission } = world.room();
  for (let entry = 0; entry < entries; entry++) {
    admission.calls.noteCalled(world.nowMs * 1_000);
    world.nowMs += 10_000;
    world.peer.at({ wallMs: world.nowMs, steadyMs: world.nowMs });
    meshRoom.tick(world.nowMs);
  }
}

describe("a receipt", () => {
  test("is signed for a visitor in line, by the key in the visitor's cookie, and takes no place", async () => {
    const { world, cookie } = await withPlace();
    world.nowMs += 3_000;
    const { status, headers, body } = await world.answered({ target: RECEIPT, headers: { Cookie: cookie } });
    expect([status, fieldOf(headers, "Content-Type"), fieldOf(headers, "Cache-Control")]).toEqual([
      ...[200, "application/json", "no-store"],
    ]);
    const receipt = JSON.parse(body);
    expect(receipt).toMatchObject({
      anteroom: "receipt 1",
      room: publicRoom(world.room().id, world.peer.roomNode.notary),
      name: "shop",
      key: START_MS * 1_000,
      place: START_MS * 1_000,
      order: "arrival",
      issued: new Date(START_MS + 3_000).toISOString(),
      node: world.peer.roomNode.self,
    });
    expect(receipt.visitor).toMatch(/^[0-9A-Z]{4}-[0-9A-Z]{4}$/);
    expect(receipt.log).toBeUndefined();
    expect(world.room().admission.waiting).toBe(1);
    const { signature, ...fields } = receipt;
    expect(world.peer.roomNode.notary.verify(receipt.node, JSON.stringify(fields), signature)).toBe(true);
  });

  test("names the visitor as the page does, and the last entry of a public log", async () => {
    const { world, cookie } = await withPlace({ public_log: true });
    passTime(world, 3);
    const { body } = await world.answered({ headers: { Cookie: cookie, Accept: "application/json" } });
    const { supportId: id, receipt } = JSON.parse(body).anteroom;
    expect(receipt).toBe(RECEIPT);
    const made = JSON.parse((await world.answered({ target: RECEIPT, headers: { Cookie: cookie } })).body);
    expect(made.visitor).toBe(id);
    const last = world.room().meshRoom.publicLog.entries.at(-1);
    expect(made.log).toMatchObject({ number: last?.entry.number, digest: last?.digest, line: last?.entry.line });
  });

  test("has neither place nor key while places are drawn, nor the id that they are drawn from", async () => {
    const { world, cookie } = await withPlace({ queueing_method: "random" });
    const made = JSON.parse((await world.answered({ target: RECEIPT, headers: { Cookie: cookie } })).body);
    expect([made.place, made.key, made.order]).toEqual([undefined, undefined, "random"]);
    expect(JSON.stringify(made)).not.toContain(world.room().id);
  });

  test("is for nobody else: no cookie, a forged one, a session", async () => {
    const { world, cookie } = await withPlace();
    for (const headers of [{}, { Cookie: `${cookie}x` }, { Cookie: "__anteroom_shop=abc" }]) {
      const { status, body } = await world.answered({
        target: RECEIPT,
        headers: { ...headers, Accept: "application/json" },
      });
      expect([status, JSON.parse(body).error.code]).toEqual([404, "noPlace"]);
    }
    const inside = new GateWorld();
    const session = await inside.comeIn();
    expect((await inside.answered({ target: RECEIPT, headers: { Cookie: session } })).status).toBe(404);
    // Nobody got a place or a slot by asking.
    expect([world.room().admission.waiting, inside.room().admission.inside(inside.nowMs)]).toEqual([1, 1]);
  });

  test("is refused for other methods, beyond a bound, and under pressure", async () => {
    const { world, cookie } = await withPlace();
    const asked = { target: RECEIPT, headers: { Cookie: cookie } };
    const posted = await world.answered({ ...asked, method: "POST" });
    expect([posted.status, fieldOf(posted.headers, "Allow")]).toEqual([405, "GET, HEAD"]);
    for (let count = 0; count < RECEIPTS_PER_SECOND; count++) expect((await world.answered(asked)).status).toBe(200);
    const { status, headers } = await world.answered(asked);
    expect([status, fieldOf(headers, "Retry-After")]).toEqual([503, "2"]);
    world.nowMs += 1_000;
    expect((await world.answered(asked)).status).toBe(200);
    world.pressure = LEVELS.closed;
    expect((await world.answered(asked)).status).toBe(503);
  });

  test("is there for visitors in line, however many others ask for one", async () => {
    const { world, cookie } = await withPlace();
    for (let count = 0; count <= RECEIPTS_PER_SECOND; count++)
      expect((await world.answered({ target: RECEIPT })).status).toBe(404);
    expect((await world.answered({ target: RECEIPT, headers: { Cookie: cookie } })).status).toBe(200);
  });

  test("is for nobody who is not in line before a proof of work", async () => {
    const world = new GateWorld({
      rooms: [{ ...SHOP, proof_of_work_mode: "always", proof_of_work_action: "infinite_queue" }],
    });
    const { headers, body } = await world.answered({ headers: { Accept: "application/json" } });
    expect(JSON.parse(body).anteroom).not.toHaveProperty("receipt");
    expect((await world.answered({ target: RECEIPT, headers: { Cookie: cookieIn(headers) } })).status).toBe(404);
  });

  test("is nothing that a suspended room knows of", async () => {
    const world = new GateWorld({ rooms: [{ ...SHOP, suspended: true, public_log: true }] });
    expect((await world.forwarded({ target: RECEIPT })).kind).toBe("forward");
    expect((await world.forwarded({ target: LOG })).kind).toBe("forward");
  });
});

describe("the log", () => {
  test("is served as JSON lines, for everybody and for caches", async () => {
    const { world } = await withPlace({ public_log: true });
    passTime(world, 4);
    const { status, headers, body } = await world.answered({ target: LOG });
    expect([status, fieldOf(headers, "Content-Type"), fieldOf(headers, "Cache-Control")]).toEqual([
      ...[200, "application/jsonl", "public, max-age=5"],
    ]);
    expect(fieldOf(headers, "Access-Control-Allow-Origin")).toBe("*");
    expect(fieldOf(headers, "Set-Cookie")).toBeUndefined();
    const [head, ...entries] = body
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    const numbers = entries.map(({ number }) => number);
    expect(numbers).toEqual(numbers.map((_, at) => at + 1));
    expect(numbers.length).toBeGreaterThan(2);
    const { self } = world.peer.roomNode;
    expect(head).toMatchObject({ anteroom: "log nodes 1", nodes: [self], node: self, first: 1, last: numbers.length });
    const tag = fieldOf(headers, "ETag") ?? "";
    const again = await world.answered({ target: LOG, headers: { "If-None-Match": tag } });
    expect([again.status, again.body]).toEqual([304, ""]);
    passTime(world, 1);
    expect((await world.answered({ target: LOG, headers: { "If-None-Match": tag } })).status).toBe(200);
  });

  test("is served in pages, the newest first", async () => {
    const { world } = await withPlace({ public_log: true });
    passTime(world, 600);
    const numbersAt = async (target: string) => {
      const [, ...lines] = (await world.answered({ target })).body.trimEnd().split("\n");
      return lines.map((line) => JSON.parse(line).number as number);
    };
    const newest = await numbersAt(LOG);
    expect(newest).toHaveLength(256);
    const [first = 0] = newest;
    const before = await numbersAt(`${LOG}?before=${first}`);
    expect([before.length, before.at(-1)]).toEqual([256, first - 1]);
    expect(await numbersAt(`${LOG}?before=1`)).toEqual([]);
    expect(await numbersAt(`${LOG}?before=999999999`)).toEqual(newest);
    expect(await numbersAt(`${LOG}?before=-1`)).toEqual(newest);
  });

  test("is not there unless the room says so, and takes no place then either", async () => {
    const { world } = await withPlace();
    expect((await world.answered({ target: LOG })).status).toBe(404);
    expect(world.room().admission.waiting).toBe(1);
    expect(await world.outcome({ target: LOG })).toBe("log");
  });

  test("has a bound on how often it is sent", async () => {
    const { world } = await withPlace({ public_log: true });
    for (let count = 0; count < LOGS_PER_SECOND; count++)
      expect((await world.answered({ target: LOG })).status).toBe(200);
    const { status, headers } = await world.answered({ target: LOG });
    expect([status, fieldOf(headers, "Retry-After")]).toEqual([503, "2"]);
    // Visitors are not what is bounded.
    expect(await world.outcome()).toBe("joined");
  });
});

describe("the addresses", () => {
  const parsed = parseRoom({
    ...SHOP,
    path: "/tickets",
    additional_routes: [{ host: "*", path: "/ü/" }],
  });
  if (!parsed.ok) throw new Error("unreachable");
  const room = parsed.value;

  test.each([
    ["/tickets/.anteroom/receipt", "receipt"],
    ["/tickets/.anteroom/log?before=3", "log"],
    ["/%C3%BC/.anteroom/log", "log"],
    ["/.anteroom/log", undefined],
    ["/tickets/a/.anteroom/log", undefined],
    ["/tickets/.anteroom/logs", undefined],
    ["/tickets/.anteroom/log/", undefined],
    ["/tickets/%2Eanteroom/log", undefined],
    ["/tickets/.anteroom%2Flog", undefined],
    ["/tickets//.anteroom/log", undefined],
    ["/tickets?x=/.anteroom/log", undefined],
    ["/tickets/.anteroom/receipt/.anteroom/log", undefined],
  ])("%s is %s", (target, path) => expect(ownPathOf(target, room)).toBe(path));

  test("of a visitor are below the path that the visitor asked for", () => {
    expect(ownAddress("receipt", room, { host: "shop.example", target: "/tickets/a" })).toBe(
      "/tickets/.anteroom/receipt",
    );
    expect(ownAddress("receipt", room, { host: "shop.example", target: "/%C3%BC/a" })).toBe(
      "/%C3%BC/.anteroom/receipt",
    );
  });

  test("are on the page of a visitor with a place, and in its JSON", async () => {
    const { world, cookie } = await withPlace();
    const { body } = await world.answered({ headers: { Cookie: cookie, Accept: "text/html" } });
    expect(body).toContain(`<a id="receipt" href="${RECEIPT}">`);
  });

  test("written in another way go the way of all requests", async () => {
    const { world } = await withPlace();
    expect(await world.outcome({ target: "/%2Eanteroom/receipt" })).toBe("joined");
    expect(await world.outcome({ target: "/.anteroom/other" })).toBe("joined");
  });
});
