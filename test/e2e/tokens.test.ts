/** Tokens on three real nodes: made at one, used at another, deleted at the third. */

import { expect, test } from "vitest";
import { Origin, TestNode, until } from "./process.ts";

const LIMITS = { total_active_users: 6, new_users_per_minute: 60 };
const ROOMS = [
  { ...LIMITS, name: "team:shop", host: "team.example" },
  { ...LIMITS, name: "other:shop", host: "other.example" },
];
/** Longer than a restart takes on any machine: a node that was removed meanwhile would end. */
const FLAGS = ["--lease", "1h"];

function ask(node: TestNode, token: string, method = "GET", path = "/v1/rooms") {
  return fetch(`http://${node.admin}${path}`, { method, headers: { authorization: `Bearer ${token}` } });
}

async function statusAt(node: TestNode, token: string): Promise<number> {
  return (await ask(node, token)).status;
}

test("a token is good at every node, and deleted at every node, also at one that was down meanwhile", async () => {
  const origin = await Origin.start((_, response) => response.end("let in"));
  const common = { origin: origin.url };
  const one = await TestNode.start({ ...common, rooms: ROOMS, flags: FLAGS });
  const joining = [...(await one.joining()), ...FLAGS];
  const two = await TestNode.start({ ...common, flags: joining });
  const three = await TestNode.start({ ...common, flags: joining });
  await until(async () => (await three.status()).view?.members === 3);

  const made = await one.run(["token", "create", "team-ci", "--scope", "read,operate", "--namespace", "team"]);
  expect([made.code, made.stderr]).toEqual([0, expect.stringContaining("It is shown this once")]);
  const token = made.stdout.trim();
  expect(token).toMatch(/^anteroom_[0-9A-Za-z]{42}$/);
  for (const other of [two, three]) await until(async () => (await statusAt(other, token)) === 200);

  expect((await ask(two, token, "POST", "/v1/rooms/team:shop/hold")).status).toBe(200);
  expect((await ask(two, token, "POST", "/v1/rooms/team%3Ashop/resume")).status).toBe(200);
  expect((await ask(two, token, "POST", "/v1/rooms/other:shop/hold")).status).toBe(404);
  expect((await ask(two, token, "DELETE", "/v1/rooms/team:shop")).status).toBe(403);
  expect((await ask(two, token, "POST", "/v1/leave")).status).toBe(403);
  const seen = (await (await ask(two, token)).json()) as { rooms: { name: string }[] };
  expect(seen.rooms.map(({ name }) => name)).toEqual(["team:shop"]);
  // The log comes by a way of its own.
  await two.process.logged('"audit":"room hold"');
  expect(two.process.linesWith('"audit":"room hold"')).toMatchObject([{ actor: "team-ci", room: "team:shop" }]);

  const listed = await three.run(["token", "list"]);
  expect(listed.stdout).toContain("team-ci");

  // One node is down while the token is deleted at another.
  await two.process.end("SIGTERM");
  const removed = await three.run(["token", "delete", "team-ci"]);
  expect([removed.code, removed.stdout]).toEqual([0, expect.stringContaining("Deleted token team-ci")]);
  await until(async () => (await statusAt(one, token)) === 401);
  const again = await TestNode.start({ ...common, data: two.data, flags: joining });
  const states = new Set<number>();
  await until(async () => {
    const status = await statusAt(again, token);
    states.add(status);
    return status === 401;
  });
  expect([...states].filter((status) => status !== 503)).toEqual([401]);
  expect(await statusAt(again, again.token)).toBe(200);
});
