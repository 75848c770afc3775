import { beforeEach, describe, expect, test } from "vitest";
import type { NoticeDocument } from "../../../../node/operator/notices/notice.ts";
import {
  BUFFER_MAX,
  HEARTBEAT_MS,
  WATCHER_BYTES_MAX,
  WATCHERS_MAX,
  type WatcherOptions,
  Watchers,
} from "../../../../node/operator/notices/watchers.ts";

let nowMs: number;
let watchers: Watchers;
beforeEach(() => {
  nowMs = 0;
  watchers = new Watchers("run1", () => nowMs);
});

/** Reads what has been written so far: reads of that end within the turn. */
class Reader {
  readonly #reader: {
    read(): Promise<{ readonly done: boolean; readonly value?: Uint8Array | undefined }>;
    cancel(): Promise<void>;
  };
  #next: Promise<{ readonly done: boolean; readonly value?: Uint8Array | undefined }> | undefined;
  isOver = false;

  constructor(options: Partial<WatcherOptions> = {}, from = watchers) {
    const stream = from.open({
      ...{ lastEventId: undefined, wants: () => true, snapshot: () => ({ rooms: [] }), mayWatch: () => true },
      ...options,
    });
    if (stream === undefined) throw new Error("no room");
    this.#reader = stream.getReader();
  }

  async read(): Promise<string> {
    let text = "";
    for (;;) {
      this.#next ??= this.#reader.read();
      const next = await Promise.race([this.#next, new Promise<undefined>((done) => setImmediate(done))]);
      if (next === undefined) return text;
      this.#next = undefined;
      if (next.done) {
        this.isOver = true;
        return text;
      }
      text += new TextDecoder().decode(next.value);
    }
  }

  async events(): Promise<string[]> {
    return [...(await this.read()).matchAll(/^event: (.*)$/gm)].map(([, event = ""]) => event);
  }

  leave(): Promise<void> {
    return this.#reader.cancel();
  }
}

describe("a watcher", () => {
  test("gets the present state, and then each notice with an id", async () => {
    const reader = new Reader({ snapshot: () => ({ rooms: ["shop"] }) });
    expect(await reader.read()).toBe('retry: 2000\n\nevent: snapshot\nid: run1-0\ndata: {"rooms":["shop"]}\n\n');
    watchers.notify([notice("room.held")]);
    expect(await reader.read()).toBe(`event: room.held\nid: run1-1\ndata: ${JSON.stringify(notice("room.held"))}\n\n`);
  });

  test("that comes back gets what it missed, and no snapshot", async () => {
    watchers.notify(Array.from({ length: 5 }, () => notice("room.held")));
    const reader = new Reader({ lastEventId: "run1-3" });
    expect(await reader.read()).toMatch(
      /^retry: 2000\n\nevent: room.held\nid: run1-4\n.*\n\nevent: room.held\nid: run1-5\n.*\n\n$/,
    );
    expect(await new Reader({ lastEventId: "run1-5" }).read()).toBe("retry: 2000\n\n");
  });

  test.each([
    ["too late", "run1-0"],
    ["from another process", "run0-7"],
    ["from the future", "run1-999999"],
    ["with what is no id", "x"],
    ["with an id that is too long", `run1-${"9".repeat(400)}`],
  ])("that comes back %s hears so, and gets the present state", async (_, lastEventId) => {
    watchers.notify(Array.from({ length: BUFFER_MAX + 1 }, () => notice("room.held")));
    expect(await new Reader({ lastEventId }).events()).toEqual(["missed", "snapshot"]);
    expect(await new Reader({ lastEventId: "run1-1" }).events()).toHaveLength(BUFFER_MAX);
  });

  test("gets what it wants only, also when it comes back", async () => {
    const wants = ({ type }: NoticeDocument) => type === "room.held";
    const reader = new Reader({ wants });
    watchers.notify([notice("room.opened"), notice("room.held")]);
    expect(await reader.events()).toEqual(["snapshot", "room.held"]);
    expect(await new Reader({ wants, lastEventId: "run1-0" }).events()).toEqual(["room.held"]);
  });

  test("gets a heartbeat while nothing happens", async () => {
    const reader = new Reader();
    await reader.read();
    watchers.tick();
    expect(await reader.read()).toBe("");
    nowMs += HEARTBEAT_MS;
    watchers.tick();
    expect(await reader.read()).toBe(": still here\n\n");
  });

  test("ends when it may watch no more", async () => {
    let may = true;
    const reader = new Reader({ mayWatch: () => may });
    watchers.tick();
    await reader.read();
    expect(reader.isOver).toBe(false);
    may = false;
    watchers.tick();
    await reader.read();
    expect(reader.isOver).toBe(true);
    expect(watchers.count).toBe(0);
  });

  test("that does not read is dropped, and takes no memory", async () => {
    const slow = new Reader();
    const quick = new Reader();
    const one = { ...notice("room.held"), data: { words: "x".repeat(10_000) } };
    for (let told = 0; told < (2 * WATCHER_BYTES_MAX) / 10_000; told++) {
      watchers.notify([one]);
      await quick.read();
    }
    expect(watchers.count).toBe(1);
    expect(watchers.dropped).toBe(1);
    await expect(slow.read()).rejects.toThrow("too slowly");
  });

  test("that leaves makes room for another one", async () => {
    const readers = Array.from({ length: WATCHERS_MAX }, () => new Reader());
    expect(() => new Reader()).toThrow("no room");
    await readers[0]?.leave();
    expect(() => new Reader()).not.toThrow();
  });
});

test("all watchers end at the end of the node, and none begins", async () => {
  const reader = new Reader();
  watchers.close();
  await reader.read();
  expect(reader.isOver).toBe(true);
  expect(() => new Reader()).toThrow("no room");
});

function notice(type: NoticeDocument["type"]): NoticeDocument {
  return { ...{ id: "ntc_1", type, time: "", mesh: "m", node: "n" }, ...{ room: null, namespace: null, data: {} } };
}
