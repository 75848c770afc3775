import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ephemeralNodeKey, loadNodeKey, NODE_KEY_FILE, NodeKeyError } from "../../mesh/node-key.ts";

let data: string;

beforeEach(() => {
  data = mkdtempSync(join(tmpdir(), "anteroom-node-key-"));
});

afterEach(() => rmSync(data, { recursive: true, force: true }));

describe("the key of a node", () => {
  test("is drawn at the first start and found again at every later one", async () => {
    const first = await loadNodeKey(data);
    expect(first.node).toMatch(/^12D3KooW/);
    const again = await loadNodeKey(data);
    expect(again.node).toBe(first.node);
    expect(again.privateKey.equals(first.privateKey)).toBe(true);
    expect([first.isNew, again.isNew]).toEqual([true, false]);
  });

  test("is drawn once, however many start at once", async () => {
    const keys = await Promise.all(Array.from({ length: 5 }, () => loadNodeKey(data)));
    expect(new Set(keys.map(({ node }) => node)).size).toBe(1);
    expect(keys.filter(({ isNew }) => isNew)).toHaveLength(1);
  });

  test("lies in a file that only this user may read", async () => {
    await loadNodeKey(data);
    expect(statSync(join(data, NODE_KEY_FILE)).mode & 0o777).toBe(0o600);
  });

  test("may live as long as the process", async () => {
    const [one, other] = [await ephemeralNodeKey(), await ephemeralNodeKey()];
    expect(one.node).not.toBe(other.node);
  });

  test.each(["", "seed abc\n", `seed ${"g".repeat(64)}\n`, `key ${"0".repeat(64)}\n`])(
    "that cannot be read is left as it is, with what repairs it: %j",
    async (content) => {
      writeFileSync(join(data, NODE_KEY_FILE), content);
      const error = await errorOf(loadNodeKey(data));
      expect([error.code, error.hint]).toEqual(["bad-node-key", expect.stringContaining("backup")]);
      expect(readFileSync(join(data, NODE_KEY_FILE), "utf8")).toBe(content);
    },
  );

  test("cannot be drawn where there is no directory", async () => {
    expect((await errorOf(loadNodeKey(join(data, "missing")))).code).toBe("unreadable");
  });

  test("bears a person's copy: other line ends and comments", async () => {
    const { node } = await loadNodeKey(data);
    const path = join(data, NODE_KEY_FILE);
    writeFileSync(path, `# restored\r\n${readFileSync(path, "utf8").replaceAll("\n", "\r\n")}`);
    chmodSync(path, 0o600);
    expect((await loadNodeKey(data)).node).toBe(node);
  });
});

async function errorOf(loading: Promise<unknown>): Promise<NodeKeyError> {
  try {
    await loading;
  } catch (error) {
    if (error instanceof NodeKeyError) return error;
    throw error;
  }
  throw new Error("there was no error");
}
