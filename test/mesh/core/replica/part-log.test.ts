import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { RoomId } from "../../../../mesh/core/ids.ts";
import { type HeldPart, PartLog } from "../../../../mesh/core/replica/part-log.ts";

/** The parts of a writer that publishes rooms in this order, with these steps between versions. */
function published(rooms: readonly { room: number; step: number }[]): HeldPart[] {
  const versions = new Map<number, number>();
  let version = 0;
  return rooms.map(({ room, step }) => {
    version += step;
    versions.set(room, version);
    const sum = [...versions.values()].reduce((all, one) => all + one, 0);
    const signed = { bytes: new Uint8Array(0), signature: new Uint8Array(0) };
    return { room: `room-${room}` as RoomId, version, sum, signed, isVerified: true };
  });
}

function logOf(parts: readonly HeldPart[]): PartLog {
  const log = new PartLog();
  for (const part of parts) {
    if ((log.get(part.room)?.version ?? 0) < part.version) log.hold(part);
    log.settle();
  }
  return log;
}

const rooms = fc.array(fc.record({ room: fc.nat(4), step: fc.integer({ min: 1, max: 5 }) }), {
  minLength: 1,
  maxLength: 12,
});

describe("a log of parts", () => {
  test("is complete up to the newest version once the newest part of each room is there, in any order", () => {
    const shuffled = rooms.chain((some) => {
      const parts = published(some);
      return fc.tuple(fc.constant(parts), fc.shuffledSubarray(parts, { minLength: parts.length }));
    });
    fc.assert(
      fc.property(shuffled, ([parts, reordered]) => {
        const newest = parts.filter(
          (part) => !parts.some((other) => other.room === part.room && other.version > part.version),
        );
        expect(logOf(parts).complete).toBe(parts.at(-1)?.version);
        expect(logOf(reordered).complete).toBe(parts.at(-1)?.version);
        expect(logOf(newest).complete).toBe(parts.at(-1)?.version);
        expect(logOf(parts).beyond).toBe(0);
      }),
    );
  });

  test("never says that it is complete up to a version of which anything is missing", () => {
    const withSome = rooms.chain((some) => {
      const parts = published(some);
      return fc.tuple(fc.constant(parts), fc.shuffledSubarray(parts));
    });
    fc.assert(
      fc.property(withSome, ([parts, some]) => {
        const log = logOf(some);
        for (const part of parts)
          if (part.version <= log.complete)
            expect(log.get(part.room)?.version ?? 0).toBeGreaterThanOrEqual(part.version);
      }),
      { numRuns: 500 },
    );
  });

  test("knows what it holds beyond", () => {
    const [one, two, three] = published([
      { room: 1, step: 1 },
      { room: 2, step: 1 },
      { room: 3, step: 1 },
    ]) as [HeldPart, HeldPart, HeldPart];
    expect(logOf([one])).toMatchObject({ complete: 1, newest: 1, beyond: 0 });
    expect(logOf([one, three])).toMatchObject({ complete: 1, newest: 3, beyond: 4 });
    expect(logOf([three, two, one])).toMatchObject({ complete: 3, newest: 3, beyond: 0, sum: 6 });
    expect(logOf([three, one]).after(1)).toEqual([three]);
    expect(logOf([three, one, two]).after(0)).toEqual([one, two, three]);
  });
});
