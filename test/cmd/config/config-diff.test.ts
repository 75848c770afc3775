import { afterEach, beforeEach, expect, test } from "vitest";
import type { SettingRow } from "../../../node/config/settings.ts";
import { PassMaker } from "../../../node/cookie/pass.ts";
import { adminApi } from "../../../node/operator/admin-api.ts";
import type { NodeStatus } from "../../../node/operator/status/status.ts";
import { GateWorld } from "../../node/gate/gate-world.ts";
import { MESH } from "../../node/peer/lone-peer.ts";
import { dashboardParts } from "../dashboard-parts.ts";
import { anteroom } from "../fake-io.ts";
import { LANE, VISITOR_KEYS } from "../lane-parts.ts";
import { tokenParts } from "../token-parts.ts";

const TOKEN = "a-token";
const ROWS: readonly SettingRow[] = [
  { setting: "origin", value: "http://127.0.0.1:3000", source: "--origin" },
  { setting: "lease", value: "30s", source: "default" },
  { setting: "config", value: "other.yaml", source: "--config" },
  { setting: "origin_secret", value: "(set)", source: "--origin-secret-file" },
];
const SHOP = "{name: fresh, host: fresh.example, path: /, total_active_users: 3, new_users_per_minute: 9}";

let world: GateWorld;
let server: ReturnType<typeof Bun.serve>;

beforeEach(() => {
  world = new GateWorld();
  const never = (): never => {
    throw new Error("Not in this test");
  };
  const app = adminApi({
    dashboard: dashboardParts(),
    ...tokenParts(),
    rooms: world.rooms,
    passes: new PassMaker(MESH),
    lane: LANE,
    visitorKeys: VISITOR_KEYS,
    token: TOKEN,
    status: () => ({ now_ms: Date.now(), view: { number: 1, members: 1, voters: 1 } }) as unknown as NodeStatus,
    metrics: async () => "",
    notReady: () => undefined,
    onFault: () => undefined,
    mesh: { leave: never, former: never, forget: never },
    rollouts: { start: never, stop: never, back: never, finish: never },
    log: { error: () => {}, warn: () => {}, info: () => {}, debug: () => {} },
    nodeNames: () => ({}),
    settingRows: ROWS,
  });
  server = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: app.fetch });
});

afterEach(() => server.stop(true));

function check(more: string) {
  const line = `config check --diff --admin 127.0.0.1:${server.port} --token-file token`;
  return anteroom(`${line} --origin http://127.0.0.1:3000 --origin-secret s ${more}`, {
    files: { token: `${TOKEN}\n` },
  });
}

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
  expect(answer).toContain(`The node at http://127.0.0.1:${server.port} runs with these settings.`);
  expect(exit).toBe(0);
});

test("room apply --dry-run shows what would change, and changes nothing", async () => {
  const files = { "r.yaml": `rooms:\n  - ${SHOP}\n` };
  const line = `room apply r.yaml --dry-run --admin 127.0.0.1:${server.port} --token ${TOKEN}`;
  const { exit, answer, talk } = await anteroom(line, { files });
  expect({ exit, answer, talk }).toEqual({
    exit: 0,
    answer: "room fresh: would be created\n",
    talk: "Nothing was changed.\n",
  });
  expect(world.rooms.byName("fresh")).toBeUndefined();
  const { answer: json } = await anteroom(`${line} --json`, { files });
  expect(JSON.parse(json)).toEqual({ dry_run: true, results: [{ name: "fresh", outcome: "created" }] });
  const [live] = world.rooms.all();
  const { name, host, totalActiveUsers } = live?.room ?? {};
  const changed = `{name: ${name}, host: "${host}", path: /, total_active_users: 4321, new_users_per_minute: 9}`;
  const shown = await anteroom(line, { files: { "r.yaml": `rooms:\n  - ${changed}\n` } });
  expect(shown.answer).toContain(`room ${name}: would be updated\n`);
  expect(shown.answer).toContain(`  total_active_users: ${totalActiveUsers} → 4321\n`);
});

test("what the node objects to comes with the line and the room of the file, dry or not", async () => {
  const [live] = world.rooms.all();
  const clash = `{name: other, host: "${live?.room.host}",\n     path: ${live?.room.path}, total_active_users: 3, new_users_per_minute: 9}`;
  for (const more of ["", " --dry-run"]) {
    const { exit, talk } = await anteroom(
      `room apply r.yaml${more} --admin 127.0.0.1:${server.port} --token ${TOKEN}`,
      { files: { "r.yaml": `rooms:\n  - ${SHOP}\n  - ${clash}\n` } },
    );
    expect(exit).toBe(2);
    expect(talk).toMatch(/r\.yaml:3: room other.* \(room other\): is a route of two rooms/);
  }
});
