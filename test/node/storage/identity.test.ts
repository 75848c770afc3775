import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { accountOf, type NodeId } from "../../../mesh/core/ids.ts";
import {
  DataDirectoryError,
  ephemeralIdentity,
  hasMesh,
  identityFiles,
  type KeySources,
  loadIdentity,
  looseSecrets,
  type MeshIdentity,
  newMesh,
  saveMesh,
} from "../../../node/storage/identity.ts";

const ALONE: KeySources = { meshKey: undefined, joins: false };
const KEY = "ab".repeat(32);

let parent: string;
let data: string;

beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), "anteroom-identity-"));
  data = join(parent, "deep", "data");
});

afterEach(() => rmSync(parent, { recursive: true, force: true }));

/** The mesh key file of another host: where it lies, and what it holds. */
async function keyOfAnother(name = "other"): Promise<{ path: string; mesh: MeshIdentity }> {
  const directory = join(parent, name);
  const { nodeKey } = await loadIdentity(directory, ALONE);
  const mesh = newMesh(nodeKey.node);
  saveMesh(directory, mesh);
  return { path: join(directory, "mesh.key"), mesh };
}

describe("the first start", () => {
  test("draws a node key and a token, and leaves the mesh to be founded: the next one finds all of them", async () => {
    const first = await loadIdentity(data, ALONE);
    expect(first.mesh).toBeUndefined();
    expect(first.nodeKey.node).toMatch(/^12D3KooW\w+$/);
    expect(first.adminToken.length).toBeGreaterThanOrEqual(32);
    expect(hasMesh(data)).toBe(false);
    const mesh = newMesh(first.nodeKey.node);
    saveMesh(data, mesh);
    const second = await loadIdentity(data, ALONE);
    expect(second).toMatchObject({ mesh: { ...mesh, meshKey: expect.anything() }, adminToken: first.adminToken });
    expect(second.nodeKey.node).toBe(first.nodeKey.node);
    expect(Buffer.from(second.mesh?.meshKey ?? [])).toEqual(Buffer.from(mesh.meshKey));
    expect(hasMesh(data)).toBe(true);
  });

  test("makes a directory and files that only this user may read", async () => {
    const { nodeKey } = await loadIdentity(data, ALONE);
    saveMesh(data, newMesh(nodeKey.node));
    const modes = [data, ...identityFiles(data)].map((path) => statSync(path).mode & 0o777);
    expect(modes).toEqual([0o700, 0o600, 0o600, 0o600]);
    expect(looseSecrets(data)).toEqual([]);
    chmodSync(join(data, "mesh.key"), 0o644);
    expect(looseSecrets(data)).toEqual([join(data, "mesh.key")]);
  });
});

test("a new mesh belongs to its founder, and is another one each time", () => {
  const node = "node1" as NodeId;
  const [one, other] = [newMesh(node), newMesh(node)];
  expect(one.meshId).toMatch(/^[0-9a-f]{16}$/);
  expect(one.meshKey).toHaveLength(32);
  expect(one.founder).toBe(accountOf(node));
  expect(other.meshId).not.toBe(one.meshId);
  expect(other.meshKey).not.toEqual(one.meshKey);
});

describe("a node that is given the mesh key of another host", () => {
  test("belongs to that mesh from now on, with a node key and a token of its own", async () => {
    const { path, mesh } = await keyOfAnother();
    const there = await loadIdentity(join(parent, "other"), ALONE);
    const here = await loadIdentity(data, { meshKey: path, joins: true });
    expect(here.mesh).toEqual(there.mesh);
    expect(here.mesh?.founder).toBe(mesh.founder);
    expect(here.nodeKey.node).not.toBe(there.nodeKey.node);
    expect(here.adminToken).not.toBe(there.adminToken);
    expect((await loadIdentity(data, { meshKey: undefined, joins: true })).mesh).toEqual(here.mesh);
  });

  test("takes a person's copy: other line ends, more comments, another order", async () => {
    mkdirSync(data, { recursive: true });
    writeFileSync(join(data, "mesh.key"), `# mine\r\nfounder node1\nkey ${KEY}\n\nid 0123456789abcdef\n`);
    expect((await loadIdentity(data, ALONE)).mesh).toEqual({
      meshId: "0123456789abcdef",
      meshKey: Buffer.from(KEY, "hex"),
      founder: "node1",
    });
  });

  test("is refused if its directory belongs to another mesh", async () => {
    const [one, other] = [await keyOfAnother("one"), await keyOfAnother("two")];
    await loadIdentity(data, { meshKey: one.path, joins: true });
    const error = await refusalOf(() => loadIdentity(data, { meshKey: other.path, joins: true }));
    expect(error.code).toBe("other-mesh");
    expect(error.message).toContain(one.mesh.meshId);
    expect((await loadIdentity(data, ALONE)).mesh?.meshId).toBe(one.mesh.meshId);
  });
});

test("a node that is to join without a mesh key is refused, and told where there is one", async () => {
  const joins = { meshKey: undefined, joins: true };
  for (const load of [() => loadIdentity(data, joins), () => ephemeralIdentity(joins)]) {
    const error = await refusalOf(load);
    expect(error.code).toBe("no-mesh-key");
    expect(error.hint).toContain("--mesh-key");
  }
});

describe("a data directory that cannot be used says what is wrong and what repairs it", () => {
  test.each([
    ["bad-mesh-key", "mesh.key", "id 0123456789abcdef\nkey abc\nfounder node1\n"],
    ["bad-mesh-key", "mesh.key", `id 0123456789abcdef\nkey ${KEY}\n`],
    ["bad-node-key", "node.key", "seed abc\n"],
    ["empty-token", "admin.token", "\n"],
  ])("%s: %s is %j", async (code, file, text) => {
    await loadIdentity(data, ALONE);
    writeFileSync(join(data, file), text);
    const error = await refusalOf(() => loadIdentity(data, ALONE));
    expect(error).toMatchObject({ code });
    expect(error.message).toContain(join(data, file));
    expect(error.hint).not.toBe("");
  });

  test("a file in its place", async () => {
    writeFileSync(join(parent, "deep"), "");
    expect(await refusalOf(() => loadIdentity(data, ALONE))).toMatchObject({ code: "unwritable" });
  });

  test.each(["mesh.key", "node.key", "admin.token"])(
    "a pipe in the place of its %s, which is not waited for",
    async (file) => {
      mkdirSync(data, { recursive: true });
      execFileSync("mkfifo", [join(data, file)]);
      const error = await refusalOf(() => loadIdentity(data, ALONE));
      expect(error.message).toBe(`Cannot use ${join(data, file)} as it is not a regular file`);
    },
  );

  test("a mesh key that is not there", async () => {
    const meshKey = join(parent, "nowhere", "mesh.key");
    expect(await refusalOf(() => loadIdentity(data, { meshKey, joins: true }))).toMatchObject({ code: "unreadable" });
  });

  test.skipIf(canReadAnything())("a key that this user may not read", async () => {
    const { path } = await keyOfAnother();
    chmodSync(path, 0);
    const error = await refusalOf(() => loadIdentity(join(parent, "other"), ALONE));
    expect(error).toMatchObject({ code: "unreadable" });
  });

  test("never with the key in the message", async () => {
    await loadIdentity(data, ALONE);
    const key = "cd".repeat(31);
    writeFileSync(join(data, "mesh.key"), `id 0123456789abcdef\nkey ${key}\nfounder node1\n`);
    const { message, hint } = await refusalOf(() => loadIdentity(data, ALONE));
    expect(message + hint).not.toContain(key);
  });
});

describe("an ephemeral identity", () => {
  test("is another one each time, and touches no disk", async () => {
    const [one, other] = [await ephemeralIdentity(ALONE), await ephemeralIdentity(ALONE)];
    expect(one.mesh).toBeUndefined();
    expect(one.nodeKey.node).not.toBe(other.nodeKey.node);
    expect(one.adminToken).not.toBe(other.adminToken);
    expect(existsSync(data)).toBe(false);
  });

  test("belongs to the mesh whose key it is given", async () => {
    const { path, mesh } = await keyOfAnother();
    expect((await ephemeralIdentity({ meshKey: path, joins: true })).mesh?.meshId).toBe(mesh.meshId);
  });
});

async function refusalOf(act: () => Promise<unknown>): Promise<DataDirectoryError> {
  try {
    await act();
  } catch (error) {
    if (error instanceof DataDirectoryError) return error;
    throw error;
  }
  throw new Error("Nothing was refused");
}

/** Root reads every file, whatever its mode. */
function canReadAnything(): boolean {
  return process.getuid?.() === 0;
}
