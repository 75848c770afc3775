import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { bootId, durabilityOf } from "../../../node/storage/boot-id.ts";

test("the boot of the host is what its file says, and none where there is no such file", () => {
  const directory = mkdtempSync(join(tmpdir(), "anteroom-boot-"));
  const path = join(directory, "boot_id");
  expect(bootId(path)).toBeUndefined();
  writeFileSync(path, "6f1a\n");
  expect(bootId(path)).toBe("6f1a");
});

test.each([
  { asked: "process", id: "6f1a", durability: "process", boot: { bootId: "6f1a" } },
  { asked: "fsync", id: "6f1a", durability: "fsync", boot: {} },
  { asked: "process", id: undefined, durability: "fsync", boot: {} },
] as const)("$asked on a host of boot $id: $durability", ({ asked, id, durability, boot }) => {
  expect(durabilityOf(asked, () => id)).toEqual({ durability, boot });
});
