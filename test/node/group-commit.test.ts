import { describe, expect, test } from "vitest";
import type { Minute, RoomId } from "../../mesh/core/ids.ts";
import type { AdmissionRecord } from "../../node/admission/admission.ts";
import { GroupCommit } from "../../node/group-commit.ts";

const SHOP = "shop" as RoomId;
const BAR = "bar" as RoomId;

function record(held: number): AdmissionRecord {
  return { slots: [[1 as Minute, held]], minute: 1 as Minute, admittedInMinute: held };
}

/** A disk that notes what is committed, and can be full. */
class Disk {
  isFull = false;
  readonly commits: [RoomId, number][][] = [];
  readonly errors: unknown[] = [];
  readonly group = new GroupCommit(
    (records) => {
      if (this.isFull) throw new Error("disk is full");
      this.commits.push(records.map(([room, { slots }]) => [room, slots[0]?.[1] ?? 0]));
    },
    (error) => this.errors.push(error),
  );
}

describe("a group commit", () => {
  test("tells everybody of one turn after one commit, in the order of their coming", () => {
    const disk = new Disk();
    const told: string[] = [];
    for (const name of ["anna", "bert", "carl"])
      disk.group.afterCommit(
        SHOP,
        () => record(3),
        (isOnDisk) => told.push(`${name} ${isOnDisk} ${disk.commits.length}`),
      );
    expect(told).toEqual([]);
    disk.group.flush();
    expect(told).toEqual(["anna true 1", "bert true 1", "carl true 1"]);
    expect(disk.commits).toEqual([[[SHOP, 3]]]);
  });

  test("puts on disk what is so at the end of the turn, of each room once", () => {
    const disk = new Disk();
    let held = 0;
    for (let admission = 0; admission < 5; admission++) {
      held += 1;
      disk.group.afterCommit(
        SHOP,
        () => record(held),
        () => undefined,
      );
    }
    held += 1;
    disk.group.afterCommit(
      BAR,
      () => record(1),
      () => undefined,
    );
    disk.group.flush();
    expect(disk.commits).toEqual([
      [
        [SHOP, 6],
        [BAR, 1],
      ],
    ]);
  });

  test("comes at the end of the turn by itself", async () => {
    const disk = new Disk();
    const isOnDisk = await new Promise((resolve) => disk.group.afterCommit(SHOP, () => record(1), resolve));
    expect(isOnDisk).toBe(true);
    expect(disk.commits.length).toBe(1);
  });

  test("that fails tells everybody so, reports the error once, and hinders no later one", () => {
    const disk = new Disk();
    const told: boolean[] = [];
    disk.isFull = true;
    for (let visitor = 0; visitor < 3; visitor++)
      disk.group.afterCommit(
        SHOP,
        () => record(3),
        (isOnDisk) => told.push(isOnDisk),
      );
    disk.group.flush();
    expect(told).toEqual([false, false, false]);
    expect(disk.errors.length).toBe(1);
    disk.isFull = false;
    disk.group.afterCommit(
      SHOP,
      () => record(4),
      (isOnDisk) => told.push(isOnDisk),
    );
    disk.group.flush();
    expect(told.at(-1)).toBe(true);
    expect(disk.commits).toEqual([[[SHOP, 4]]]);
  });

  test("takes who comes while others are told into the next commit", () => {
    const disk = new Disk();
    const told: string[] = [];
    disk.group.afterCommit(
      SHOP,
      () => record(1),
      () => {
        told.push("anna");
        disk.group.afterCommit(
          SHOP,
          () => record(2),
          () => told.push("bert"),
        );
      },
    );
    disk.group.flush();
    expect(told).toEqual(["anna"]);
    disk.group.flush();
    expect(told).toEqual(["anna", "bert"]);
    expect(disk.commits).toEqual([[[SHOP, 1]], [[SHOP, 2]]]);
  });

  test("writes nothing when nothing has changed", () => {
    const disk = new Disk();
    disk.group.flush();
    expect(disk.commits).toEqual([]);
  });
});
