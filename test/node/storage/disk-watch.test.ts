import { expect, test } from "vitest";
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

test("what is done at each tick is tried again where the disk refuses it, and hides nothing else", () => {
  const { disk } = watch();
  const full = () => {
    throw new Error("full");
  };
  expect(unlessRefused(() => disk.store(full))).toBe(false);
  expect(unlessRefused(() => disk.store(() => undefined))).toBe(true);
  expect(() => unlessRefused(full)).toThrow("full");
  expect(new NotStored("x", "y").hint).toBe("y");
});
