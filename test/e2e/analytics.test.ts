/** What three real nodes counted: the same at each, as many as the origin saw, and filled in where a node was away. */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import type { Analytics } from "../../node/operator/analytics/analytics.ts";
import { endAll, type NodeChoice, Origin, TestNode, until } from "./process.ts";
import { Visitor } from "./visitor.ts";

afterEach(endAll);

const MINUTE_MS = 4_000;
const ROOM = {
  ...{ name: "shop", host: "*", total_active_users: 500, new_users_per_minute: 600, session_duration: 20 },
  ...{ json_response_enabled: true, refresh_interval_seconds: 1, cookie_attributes: { secure: "never" } },
};

async function read(node: TestNode): Promise<Analytics> {
  const headers = { authorization: `Bearer ${node.token}` };
  const answer = await fetch(`http://${node.admin}/v1/rooms/shop/analytics?from=-30m&step=1m`, { headers });
  if (!answer.ok) throw new Error(await answer.text());
  return (await answer.json()) as Analytics;
}

/** Waits in line, where slots are still under way. */
async function enter(node: TestNode, number: number): Promise<void> {
  const visitor = new Visitor(node.gate, `v${number}`);
  await until(async () => (await visitor.get()).text === "let in");
}

/** Waits until minutes after this one have passed. */
async function minutesPass(minutes: number): Promise<void> {
  const endMs = Date.now() + minutes * MINUTE_MS;
  await until(() => Date.now() >= endMs);
}

/** Distinct visitors who reached the origin. */
function seenBy({ requests }: Origin): number {
  return new Set(requests.map(({ headers }) => headers["x-visitor"])).size;
}

test("analytics are the same at all nodes, as many as the origin saw, and filled in after a stop, a crash and a lost file", async () => {
  const origin = await Origin.start((_, response) => response.end("let in"));
  const choice: NodeChoice = { origin: origin.url, minuteMs: MINUTE_MS };
  // Longer than a node is away: none is removed.
  const times = ["--lease", "40s"];
  const founder = await TestNode.start({ ...choice, rooms: [ROOM], flags: ["--locality", "sjc", ...times] });
  const { mesh_address } = await founder.process.logged("anteroom is up");
  const joining = ["--join", String(mesh_address), "--mesh-key", join(founder.data, "mesh.key"), ...times];
  const start = (locality: string, data?: string) =>
    TestNode.start({ ...choice, ...(data !== undefined && { data }), flags: ["--locality", locality, ...joining] });
  const nodes = [founder, await start("sjc"), await start("lon")];
  const isMesh = async () => {
    const told = await Promise.all(nodes.map((node) => node.status().catch(() => undefined)));
    return told.every((status) => status?.view?.members === 3 && status.lease === "held");
  };
  await until(isMesh);
  let visitors = 0;
  const visit = async (each: readonly TestNode[]) => {
    for (const node of each) for (let count = 0; count < 4; count++) await enter(node, ++visitors);
  };
  const agree = async (wanted: number) =>
    until(async () => {
      const all = await Promise.all(nodes.map(read));
      return all.every(({ totals }) => totals.admitted === wanted);
    });

  await visit(nodes);
  await agree(visitors);
  expect(seenBy(origin)).toBe(visitors);
  const [one] = await Promise.all(nodes.map(read));
  expect(one?.totals.localities.sjc?.admitted).toBe(8);
  expect(one?.totals.localities.lon?.admitted).toBe(4);
  expect(one?.totals.inside_max).toBeLessThanOrEqual(ROOM.total_active_users);

  // One stops in order, and misses what the others count.
  const [first, second, third] = nodes as [TestNode, TestNode, TestNode];
  await visit([third]);
  await third.process.end("SIGTERM");
  await visit([first]);
  await minutesPass(2);
  nodes[2] = await start("lon", third.data);
  await until(isMesh);
  await agree(visitors);
  await until(async () => (await read(first)).missing.length === 0);

  // One is killed, after its minute was over: nothing of that is lost, and the minute of the crash is named.
  await visit([second]);
  const visitedMs = Date.now();
  await until(async () => Date.parse((await read(second)).complete_until) > visitedMs + MINUTE_MS);
  const downMs = Date.now();
  await second.process.end("SIGKILL");
  nodes[1] = await start("sjc", second.data);
  const upMs = Date.now();
  await until(isMesh);
  await agree(visitors);
  const gapsBehind = async () => {
    const { missing, complete_until: completeUntil } = await read(first);
    return missing.filter(({ to }) => Date.parse(to) < Date.parse(completeUntil));
  };
  // What is lost is lost: the gap stays, and the answer is complete beyond it.
  await until(async () => (await gapsBehind()).length > 0);
  const missing = await gapsBehind();
  const isOfCrash = ({ from, to }: { readonly from: string; readonly to: string }) =>
    Date.parse(from) >= downMs - 2 * MINUTE_MS && Date.parse(to) <= upMs + 2 * MINUTE_MS;
  expect(missing.filter((gap) => !isOfCrash(gap))).toEqual([]);

  // One finds its file damaged: it starts all the same, says so, and has everything again.
  await nodes[2].process.end("SIGTERM");
  writeFileSync(join(third.data, "history.db"), "no database".repeat(1_000));
  nodes[2] = await start("lon", third.data);
  await nodes[2].process.logged("history.db.aside");
  await agree(visitors);
  expect((await nodes[2].status()).warnings.join()).toContain("history.db.aside");
  expect(seenBy(origin)).toBe(visitors);

  const { code, stdout } = await first.run(["report", "shop", "--from", "-30m"]);
  expect(code).toBe(0);
  expect(stdout).toMatch(new RegExp(`^admitted +${visitors}$`, "m"));
  const csv = await first.run(["report", "shop", "--from", "-30m", "--csv"]);
  expect(csv.stdout.split("\n")[0]).toContain("at,inside,inside_max,limit,admitted");
});
