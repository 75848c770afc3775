import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { accountOf } from "../../../mesh/core/ids.ts";
import { initDataDirectory } from "../../../node/storage/founding.ts";
import { DataDirectoryError, loadIdentity } from "../../../node/storage/identity.ts";
import { Store } from "../../../node/storage/store.ts";
import { FOUNDS } from "../../../node/storage/stored-node.ts";

const ALONE = { meshKey: undefined, joins: false };

let data: string;
beforeEach(() => {
  data = mkdtempSync(join(tmpdir(), "anteroom-founding-"));
});
afterEach(() => rmSync(data, { recursive: true, force: true }));

/** What the next start finds in the store. */
function entries(): ReadonlyMap<string, unknown> {
  const store = new Store(join(data, "anteroom.db"), "process");
  try {
    return store.entries();
  } finally {
    store.close();
  }
}

describe("founding on purpose", () => {
  test("makes the mesh that the next start finds and has the right to found, and nothing else", async () => {
    const { meshId, files } = await initDataDirectory(data);
    expect(meshId).toMatch(/^[0-9a-f]{16}$/);
    expect(files.map((file) => existsSync(file))).toEqual([true, true, true]);
    const { mesh, nodeKey } = await loadIdentity(data, ALONE);
    expect(mesh).toMatchObject({ meshId, founder: accountOf(nodeKey.node) });
    expect([...entries()]).toEqual([[FOUNDS.at(), meshId]]);
  });

  test("drops what a start without a mesh key has left in the store", async () => {
    const store = new Store(join(data, "anteroom.db"), "process");
    store.commit({ writes: new Map([["members/view", 1]]), isVote: false });
    store.close();
    await initDataDirectory(data);
    expect([...entries().keys()]).toEqual([FOUNDS.at()]);
  });

  test("is refused where a mesh is already, and changes nothing", async () => {
    const { meshId } = await initDataDirectory(data);
    const refused = await initDataDirectory(data).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(DataDirectoryError);
    expect(refused).toMatchObject({ code: "already-initialised" });
    expect((await loadIdentity(data, ALONE)).mesh?.meshId).toBe(meshId);
    expect(entries().get(FOUNDS.at())).toBe(meshId);
  });
});
