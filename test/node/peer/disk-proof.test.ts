import { describe, expect, test } from "vitest";
import { Outbox } from "../../../mesh/core/wire/outbox.ts";
import { DiskProof } from "../../../node/peer/disk-proof.ts";

interface Run {
  readonly boot?: string;
  readonly place?: string;
  readonly isForced?: boolean;
  readonly isUsed?: boolean;
  readonly does?: (proof: DiskProof) => void;
}

/** Whether the last of several runs on a disk may say what it held. */
function isSound(...runs: readonly Run[]): boolean {
  const disk = new Map<string, unknown>();
  let isSound = false;
  for (const [at, { boot = "boot", place = "here", isForced = false, isUsed = at > 0, does }] of runs.entries()) {
    const outbox = new Outbox();
    const how = { isUsed, isForced, ...(place !== "" && { diskPlace: place }), ...(boot !== "" && { bootId: boot }) };
    const proof = new DiskProof({ restored: disk, outbox, ...how });
    does?.(proof);
    for (const [key, value] of outbox.take().writes) disk.set(key, JSON.parse(JSON.stringify(value)));
    isSound = proof.isSound;
  }
  return isSound;
}

const end = (proof: DiskProof) => proof.end();
const confirm = (proof: DiskProof) => proof.confirm();

describe("after a start a disk has all that was sent", () => {
  test.each([
    ["if it is a new one", [{}]],
    ["if it is the same file in the same boot", [{}, {}]],
    ["if the run before ended in order, wherever it lies now", [{ does: end }, { boot: "other", place: "there" }]],
    [
      "if all commits were forced, in another boot",
      [
        { isForced: true, boot: "" },
        { isForced: true, boot: "" },
      ],
    ],
    ["if others have compared it since", [{}, { boot: "other", does: confirm }, { boot: "other" }]],
  ] as [string, Run[]][])("%s", (_when, runs) => {
    expect(isSound(...runs)).toBe(true);
  });

  test.each([
    ["if the host was started again", [{}, { boot: "other" }]],
    ["if it lies elsewhere", [{}, { place: "there" }]],
    [
      "if it lies elsewhere, although all commits were forced",
      [{ isForced: true }, { isForced: true, place: "there" }],
    ],
    ["if nobody can tell where it lies", [{ place: "" }, { place: "" }]],
    ["if nothing on it says so", [{ isUsed: true }]],
    [
      "if that was so at an earlier start, and nobody has compared it since",
      [{}, { boot: "other" }, { boot: "other" }],
    ],
    ["if it was ended in order by a run that was in doubt", [{}, { boot: "other", does: end }, { boot: "other" }]],
  ] as [string, Run[]][])("but not for sure %s", (_when, runs) => {
    expect(isSound(...runs)).toBe(false);
  });
});
