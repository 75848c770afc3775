import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Io } from "../../cmd/io.ts";
import { run } from "../../cmd/main.ts";
import { pressed, START, type TopState } from "../../cmd/top/top-state.ts";
import { topText } from "../../cmd/top/top-view.ts";
import type { NodeStatus, RoomStatus } from "../../node/operator/status/status.ts";
import { anteroom, fakeIo } from "./fake-io.ts";
import { SELF, STATUS, startFakeNode, startStranger, TOKEN } from "./fake-node.ts";

const SHOP: RoomStatus = {
  ...{ id: "1", name: "shop", state: "queueing", operator_order: null, inside: 250, inside_here: 250 },
  ...{ total_active_users: 500, waiting: 1_204, waiting_here: 1_204, admitted_this_minute: 100 },
  ...{
    admitted_here_this_minute: 100,
    new_users_per_minute: 100,
    wait_seconds: 722,
    pace: null,
    localities: [],
    shares: [],
  },
};
const STATE: TopState = { ...START, status: withRooms("shop", "bar", "cafe") };
const SIZE = { columns: 80, rows: 24, color: false };

describe("the screen of anteroom top", () => {
  test("has the terminal's size exactly, whatever there is to show", () => {
    const warnings = Array.from({ length: 20 }, (_, at) => `warning ${at} ${"long ".repeat(30)}`);
    const many = withRooms(...Array.from({ length: 100 }, (_, at) => `room${at}`));
    for (const status of [withRooms(), withRooms("shop"), many, { ...many, warnings }])
      for (const rows of [3, 10, 24, 60]) {
        const lines = topText({ ...STATE, status, chosen: "room77" }, { ...SIZE, rows }).split("\n");
        expect(lines.length).toBe(rows);
        expect(lines.at(-1)).toContain("q quit");
        expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80);
        if (rows >= 10 && status.rooms.length === 100) expect(lines.join("\n")).toMatch(/^> +room77/m);
      }
  });

  test("shows a bar for each room, and the chosen one marked", () => {
    expect(topText({ ...STATE, chosen: "bar" }, SIZE)).toMatch(
      /^> +bar +queueing +250 \/ 500 +####\.\.\.\. +1,204 +100 \/ 100 +12 min$/m,
    );
  });

  test("says why an idle share is idle and until when, in a warning above the rooms", () => {
    const share = {
      ...{ account: "lost-node", node: null, active_slots: 300, arrivals_slots: 30, state: "lost" as const },
      ...{ idle_reason: "silent" as const, removal_ms: STATUS.now_ms + 20_000, idle_until_ms: STATUS.now_ms + 90_000 },
    };
    const status = { ...withRooms("shop"), rooms: [{ ...SHOP, shares: [share] }] };
    const text = topText({ ...START, status }, { ...SIZE, columns: 300 });
    expect(text).toMatch(
      /! node .* does not answer, its share is idle: shop, 300 of 500 inside .* until \d\d:\d\d:\d\d \(2 min\) at the latest/,
    );
    expect(text.indexOf("! node")).toBeLessThan(text.indexOf("ROOM"));
  });

  test("keeps the last numbers when the node is silent, and says so", () => {
    const text = topText({ ...STATE, trouble: "nothing answers" }, SIZE);
    expect(text).toContain("Not up to date: nothing answers");
    expect(text).toContain("1,204");
    expect(topText({ ...START, trouble: "nothing answers" }, SIZE)).toContain("nothing answers");
  });
});

describe("the keys of anteroom top", () => {
  test("arrows choose a room, and stop at both ends; a room that is gone is not chosen", () => {
    const down = pressed(STATE, "\x1b[B").state;
    expect(down.chosen).toBe("bar");
    expect(pressed(down, "\x1b[A\x1b[A\x1bOA").state.chosen).toBe("shop");
    expect(pressed(STATE, "jjjjj").state.chosen).toBe("cafe");
    expect(pressed({ ...STATE, chosen: "gone" }, "h").state.question).toEqual({ order: "hold", room: "shop" });
    expect(pressed({ ...STATE, status: withRooms() }, "h\x1b[B").effect).toBeUndefined();
  });

  test("an order needs its key and then y; every other key is a no", () => {
    for (const [key, order] of [
      ["h", "hold"],
      ["o", "open"],
      ["r", "resume"],
    ] as const) {
      const asked = pressed(STATE, key);
      expect(asked).toMatchObject({ state: { question: { order, room: "shop" } } });
      expect(asked.effect).toBeUndefined();
      expect(topText(asked.state, SIZE)).toContain(`${order} room shop? y/n`);
      expect(pressed(asked.state, "y").effect).toEqual({ order, room: "shop" });
      for (const no of ["n", "q", "\x1b", "\r", "h", "\x1b[A"]) {
        expect(pressed(asked.state, no)).toMatchObject({ state: { question: undefined, said: "Nothing changed." } });
        expect(pressed(asked.state, no).effect).toBeUndefined();
      }
    }
  });

  test("pasted text orders nothing", () => expect(pressed(STATE, "hyoyry").effect).toBeUndefined());

  test("the question keeps its room while others come and go", () => {
    const { state } = pressed(STATE, "h");
    expect(pressed({ ...state, status: withRooms("new", "shop") }, "y").effect).toMatchObject({ room: "shop" });
  });

  test("q and Ctrl-C quit, Ctrl-C also from a question", () => {
    expect(pressed(STATE, "q").effect).toBe("quit");
    expect(pressed(pressed(STATE, "h").state, "\x03").effect).toBe("quit");
  });
});

describe("anteroom top", () => {
  let node: ReturnType<typeof startFakeNode>;
  beforeEach(() => {
    node = startFakeNode();
  });
  afterEach(() => node.stop());

  test("orders at the node, and gives the terminal back", async () => {
    const calls: string[] = [];
    const live = startStranger(({ url, method }) => {
      calls.push(`${method} ${new URL(url).pathname}`);
      return Response.json(method === "GET" ? withRooms("shop") : { room: { name: "shop", operator_order: null } });
    });
    const { io, written, type, released } = terminal();
    const ended = run(["top", "--admin", live.address, "--token", TOKEN], io);
    await shows(written, "1,204");
    type("h");
    await shows(written, "hold room shop? y/n");
    type("y");
    await shows(written, "holds all new visitors");
    type("q");
    expect(await ended).toBe(0);
    live.stop();
    expect(calls).toContain("POST /v1/rooms/shop/hold");
    expect(written.drawn.endsWith("\x1b[?1049l")).toBe(true);
    expect(released()).toBe(1);
  });

  test("without a terminal it says what to use", async () => {
    const { exit, talk } = await anteroom(`top --admin ${node.address} --token ${TOKEN}`);
    expect(exit).toBe(1);
    expect(talk).toContain("anteroom status --watch");
  });
});

function withRooms(...names: string[]): NodeStatus {
  return { ...STATUS, node: SELF.node, rooms: names.map((name) => ({ ...SHOP, name })) };
}

/** An io with a terminal, and what types there. */
function terminal() {
  const { io, written } = fakeIo();
  let onInput = (_: string): void => undefined;
  let releases = 0;
  const keys: Io["keys"] = (listen) => {
    onInput = listen;
    return () => {
      releases++;
    };
  };
  const whole: Io = { ...io, keys, terminal: { ...io.terminal, isTerminal: true } };
  return { io: whole, written, type: (input: string) => onInput(input), released: () => releases };
}

async function shows(written: { readonly drawn: string }, text: string): Promise<void> {
  for (let tries = 0; !written.drawn.includes(text); tries++) {
    if (tries > 500) throw new Error(`The screen never shows ${text}`);
    await Bun.sleep(10);
  }
}
