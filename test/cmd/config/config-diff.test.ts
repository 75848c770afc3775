import { beforeEach, expect, test } from "vitest";
import type { SettingRow } from "../../../node/config/settings.ts";
import { GateWorld } from "../../node/gate/gate-world.ts";
import { startNode } from "../admin-node.ts";

const ROWS: readonly SettingRow[] = [
  { setting: "origin", value: "http://127.0.0.1:3000", source: "--origin" },
  { setting: "lease", value: "30s", source: "default" },
  { setting: "config", value: "other.yaml", source: "--config" },
  { setting: "origin_secret", value: "(set)", source: "--origin-secret-file" },
];
const SHOP = "{name: fresh, host: fresh.example, path: /, total_active_users: 3, new_users_per_minute: 9}";

let node: ReturnType<typeof startNode>;
beforeEach(() => {
  node = startNode(new GateWorld(), { settingRows: ROWS });
});

const check = (more: string) =>
  node.run(`config check --diff --origin http://127.0.0.1:3000 --origin-secret s ${more}`);

test("config check --diff shows each setting that the running node has otherwise", async () => {
  const { exit, answer } = await check("--lease 3s");
  expect(exit).toBe(3);
  const [, diff = ""] = answer.split("Differences from the node at ");
  expect(diff).toContain("lease: 30s there, 3s here; a restart of the node takes it on");
  expect(diff).not.toMatch(/origin|config|hunter/);
  expect(JSON.parse((await check("--lease 3s --json")).answer).diff.settings).toEqual([
    { setting: "lease", checked: "3s", running: "30s" },
  ]);
});

test("a node with the same settings is said to be so", async () => {
  const { exit, answer } = await check("");
  expect(answer).toContain(`The node at http://${node.address} runs with these settings.`);
  expect(exit).toBe(0);
});

test("room apply --dry-run shows what would change, and changes nothing", async () => {
  const files = { "r.yaml": `rooms:\n  - ${SHOP}\n` };
  const line = "room apply r.yaml --dry-run";
  const { exit, answer, talk } = await node.run(line, { files });
  expect({ exit, answer, talk }).toEqual({
    exit: 0,
    answer: "room fresh: would be created\n",
    talk: "Nothing was changed.\n",
  });
  expect(node.world.rooms.byName("fresh")).toBeUndefined();
  const { answer: json } = await node.run(`${line} --json`, { files });
  expect(JSON.parse(json)).toEqual({ dry_run: true, results: [{ name: "fresh", outcome: "created" }] });
  const [live] = node.world.rooms.all();
  const { name, host, totalActiveUsers } = live?.room ?? {};
  const changed = `{name: ${name}, host: "${host}", path: /, total_active_users: 4321, new_users_per_minute: 9}`;
  const shown = await node.run(line, { files: { "r.yaml": `rooms:\n  - ${changed}\n` } });
  expect(shown.answer).toContain(`room ${name}: would be updated\n`);
  expect(shown.answer).toContain(`  total_active_users: ${totalActiveUsers} → 4321\n`);
});

test("what the node objects to comes with the line and the room of the file, dry or not", async () => {
  const [live] = node.world.rooms.all();
  const clash = `{name: other, host: "${live?.room.host}",\n     path: ${live?.room.path}, total_active_users: 3, new_users_per_minute: 9}`;
  for (const more of ["", " --dry-run"]) {
    const files = { "r.yaml": `rooms:\n  - ${SHOP}\n  - ${clash}\n` };
    const { exit, talk } = await node.run(`room apply r.yaml${more}`, { files });
    expect(exit).toBe(2);
    expect(talk).toMatch(/r\.yaml:3: room other.* \(room other\): is a route of two rooms/);
  }
});
