import { describe, expect, test } from "vitest";
import { renderStatus } from "../../cmd/status-view.ts";
import type { NodeStatus, RoomStatus } from "../../node/status.ts";
import { anteroom } from "./fake-io.ts";
import { STATUS, startFakeNode, TOKEN } from "./fake-node.ts";

const SHOP: RoomStatus = {
  id: "1",
  name: "shop",
  state: "queueing",
  inside: 500,
  total_active_users: 500,
  waiting: 1_204,
  admitted_this_minute: 100,
  new_users_per_minute: 100,
  wait_seconds: 722,
};

const BUSY: NodeStatus = {
  ...STATUS,
  warnings: ["the origin http://127.0.0.1:3000 has not answered for 12 s; visitors inside see an error page"],
  rooms: [
    SHOP,
    { ...SHOP, name: "checkout", state: "open", inside: 12, total_active_users: 2_000, waiting: 0, wait_seconds: 0 },
    { ...SHOP, name: "tickets", state: "held", inside: 0, waiting: 8_311, wait_seconds: null },
  ],
  members: [...STATUS.members, { node: "77aa91c07bde4455", locality: "west", state: "unreachable", self: false }],
};

describe("the status", () => {
  test("reads well at 80 columns", () => {
    expect(renderStatus(BUSY, { color: false, width: 80 })).toBe(
      `anteroom 0.1.0 · node 3f2a91c07bde · up 2 h 13 min
! the origin http://127.0.0.1:3000 has not answered for 12 s; visitors inside
  see an error page

ROOM      STATE     INSIDE / LIMIT  WAITING  THIS MIN / LIMIT    WAIT
shop      queueing       500 / 500    1,204         100 / 100  12 min
checkout  open          12 / 2,000        0         100 / 100    none
tickets   held             0 / 500    8,311         100 / 100       –

MEMBER                    LOCALITY  STATE
3f2a91c07bde (this node)  default   alive
77aa91c07bde              west      unreachable`,
    );
  });

  test("cuts long names rather than lines", () => {
    const name = "a-room-with-a-name-of-the-greatest-length-that-a-room-may-ever-ha";
    const wide = { ...SHOP, name, total_active_users: 10_000_000, new_users_per_minute: 10_000_000 };
    const text = renderStatus({ ...BUSY, rooms: [wide] }, { color: false, width: 80 });
    for (const line of text.split("\n")) expect(line.length).toBeLessThanOrEqual(80);
    expect(text).toMatch(/\na-room-w.*… +queueing/);
  });

  test("marks what needs a look, and nothing else, when colours are wanted", () => {
    const text = renderStatus(BUSY, { color: true, width: 80 });
    expect(text).toContain("\x1b[33mqueueing\x1b[0m");
    expect(text).toContain("\x1b[1;31mheld    \x1b[0m");
    expect(text).toContain("\ncheckout  open          12");
    expect(Bun.stripANSI(text).replaceAll(/ +$/gm, "")).toBe(renderStatus(BUSY, { color: false, width: 80 }));
  });

  test("says how to make a room when there is none, and shows short minutes", () => {
    const text = renderStatus({ ...STATUS, minute_ms: 500 }, { color: false, width: 80 });
    expect(text).toContain("anteroom room create");
    expect(text).toContain("minutes of 500 ms");
  });

  test("comes from the node, as text and as JSON", async () => {
    const node = startFakeNode();
    const flags = `--admin ${node.address} --token ${TOKEN}`;
    expect((await anteroom(`status ${flags}`)).answer).toContain("anteroom 0.1.0 · node 3f2a91c07bde");
    expect(JSON.parse((await anteroom(`status --json ${flags}`)).answer)).toEqual(STATUS);
    node.stop();
  });
});
