import { describe, expect, test } from "vitest";
import { DiskWatch, NotStored, unlessRefused } from "../../../node/storage/disk-watch.ts";

function watch() {
  const place = { isThere: true };
  const time = { nowMs: 0 };
  const logged: string[] = [];
  const note = (_: object, message: string): void => void logged.push(message);
  const log = { error: note, warn: note, info: note, debug: note };
  return {
    place,
    time,
    logged,
    disk: new DiskWatch({ log, clock: () => time.nowMs, place: "/data", isThere: () => place.isThere }),
  };
}

describe("a data directory that is gone", () => {
  test("takes nothing that is to last, from the moment on", () => {
    const { place, logged, disk } = watch();
    const stored: number[] = [];
    disk.store(() => stored.push(1));
    disk.tick();
    place.isThere = false;
    expect(() => disk.store(() => stored.push(2))).toThrow(
      "Cannot change anything as /data was removed or replaced under this node",
    );
    expect([stored, logged.length, disk.trouble]).toEqual([[1], 1, "the data directory is gone"]);
    place.isThere = true;
    disk.store(() => stored.push(3));
    expect([stored, disk.trouble]).toEqual([[1, 3], undefined]);
  });
});

test("a disk that refuses every request is logged once a second, also after the clock was set back", () => {
  const { time, logged, disk } = watch();
  const isLogged = [0, 400, 800, 1_000, 1_400, 2_000, 500, 900, 1_000].map((nowMs) => {
    time.nowMs = nowMs;
    const before = logged.length;
    disk.failed(new Error("full"));
    return logged.length > before;
  });
  expect(isLogged).toEqual([true, false, false, true, false, true, true, false, false]);
});

describe("what is done at each tick", () => {
  test("is tried again where the disk refuses it, and hides nothing else", () => {
    const { disk } = watch();
    const full = () => {
      throw new Error("full");
    };
    expect(unlessRefused(() => disk.store(full))).toBe(false);
    expect(unlessRefused(() => disk.store(() => undefined))).toBe(true);
    expect(() => unlessRefused(full)).toThrow("full");
    expect(new NotStored("x", "y").hint).toBe("y");
  });
});
