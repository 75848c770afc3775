import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { DataDirectoryError, ephemeralIdentity, initDataDirectory, loadIdentity } from "../../node/identity.ts";

let parent: string;
let data: string;

beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), "anteroom-identity-"));
  data = join(parent, "deep", "data");
});

afterEach(() => rmSync(parent, { recursive: true, force: true }));

describe("the first start", () => {
  test("founds a mesh, and every later start finds it again", () => {
    const first = loadIdentity(data);
    expect(first.meshId).toMatch(/^[0-9a-f]{16}$/);
    expect(first.meshKey).toHaveLength(32);
    expect(first.adminToken.length).toBeGreaterThanOrEqual(32);
    expect(loadIdentity(data)).toEqual(first);
  });

  test("makes a directory and files that only this user may read", () => {
    loadIdentity(data);
    const modes = [data, join(data, "mesh.key"), join(data, "admin.token")].map((path) => statSync(path).mode & 0o777);
    expect(modes).toEqual([0o700, 0o600, 0o600]);
  });

  test("uses a mesh key that was copied here, and makes a token of its own", () => {
    const there = loadIdentity(join(parent, "there"));
    const { meshId, meshKey } = there;
    loadIdentity(data);
    rmSync(join(data, "admin.token"));
    writeFileSync(join(data, "mesh.key"), readFileSync(join(parent, "there", "mesh.key")));
    const here = loadIdentity(data);
    expect({ meshId: here.meshId, meshKey: here.meshKey }).toEqual({ meshId, meshKey });
    expect(here.adminToken).not.toBe(there.adminToken);
  });

  test("takes the key of a person's copy: other line ends, more comments", () => {
    const key = "ab".repeat(32);
    loadIdentity(data);
    writeFileSync(join(data, "mesh.key"), `# mine\r\nkey ${key}\n\nid 0123456789abcdef\n`);
    expect(loadIdentity(data)).toMatchObject({ meshId: "0123456789abcdef", meshKey: Buffer.from(key, "hex") });
  });
});

describe("a data directory that cannot be used says what is wrong and what repairs it", () => {
  test.each([
    ["bad-mesh-key", "mesh.key", ""],
    ["bad-mesh-key", "mesh.key", "id 0123456789abcdef\nkey abc\n"],
    ["bad-mesh-key", "mesh.key", `id 0123456789abcdeX\nkey ${"ab".repeat(32)}\n`],
    ["empty-token", "admin.token", "\n"],
  ])("%s: %s is %j", (code, file, text) => {
    loadIdentity(data);
    writeFileSync(join(data, file), text);
    const error = refusalOf(() => loadIdentity(data));
    expect(error).toMatchObject({ code });
    expect(error.message).toContain(join(data, file));
    expect(error.hint).not.toBe("");
  });

  test("a file in its place", () => {
    writeFileSync(join(parent, "deep"), "");
    expect(refusalOf(() => loadIdentity(data))).toMatchObject({ code: "unwritable" });
  });

  test.skipIf(canReadAnything())("a key that this user may not read", () => {
    loadIdentity(data);
    chmodSync(join(data, "mesh.key"), 0);
    expect(refusalOf(() => loadIdentity(data))).toMatchObject({ code: "unreadable" });
  });

  test("never with the key in the message", () => {
    loadIdentity(data);
    const key = "cd".repeat(31);
    writeFileSync(join(data, "mesh.key"), `id 0123456789abcdef\nkey ${key}\n`);
    const { message, hint } = refusalOf(() => loadIdentity(data));
    expect(message + hint).not.toContain(key);
  });
});

describe("founding on purpose", () => {
  test("tells the mesh and the files, and serve goes on with them", () => {
    const { meshId, files } = initDataDirectory(data);
    expect(files.map((file) => existsSync(file))).toEqual([true, true]);
    expect(loadIdentity(data).meshId).toBe(meshId);
  });

  test("is refused where a mesh is already, and changes nothing", () => {
    const before = loadIdentity(data);
    expect(refusalOf(() => initDataDirectory(data))).toMatchObject({ code: "already-initialised" });
    expect(loadIdentity(data)).toEqual(before);
  });
});

test("an ephemeral identity is another one each time, and touches no disk", () => {
  const one = ephemeralIdentity();
  const other = ephemeralIdentity();
  expect(one.meshId).not.toBe(other.meshId);
  expect(one.adminToken).not.toBe(other.adminToken);
  expect(existsSync(data)).toBe(false);
});

function refusalOf(act: () => unknown): DataDirectoryError {
  try {
    act();
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
