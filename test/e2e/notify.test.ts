/**
 * A visitor who put the page away, at real nodes: the webhook hears at the turn what was left, the turn is kept, and the
 * address lies nowhere in plain text.
 */

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { NoticeDocument } from "../../node/operator/notices/notice.ts";
import { bodyOf, Origin, TestNode, until } from "./process.ts";
import { Visitor } from "./visitor.ts";

const ADDRESS = "ada.lovelace@example.com";
const ROOM = {
  name: "shop",
  host: "*",
  total_active_users: 1,
  new_users_per_minute: 60,
  session_duration: 2,
  refresh_interval_seconds: 1,
  json_response_enabled: true,
  notify: { by: ["email"], grace_minutes: 2 },
};
const MINUTE_MS = 6_000;

async function receiver(): Promise<{ readonly url: string; readonly got: NoticeDocument[] }> {
  const got: NoticeDocument[] = [];
  const { url } = await Origin.start(async (request, response) => {
    got.push(JSON.parse(await bodyOf(request)));
    response.writeHead(204).end();
  });
  return { url: `${url}/`, got };
}

/** A visitor in line at a node, who has left the address. */
async function left(node: TestNode, name: string): Promise<Visitor> {
  const visitor = new Visitor(node.gate, name);
  expect((await visitor.get()).position).toBeGreaterThanOrEqual(0);
  const kept = await visitor.post("/?__anteroom=notify", {}, `contact=${encodeURIComponent(ADDRESS)}`);
  expect([kept.status, kept.text]).toEqual([200, '{"anteroom":{"contactKept":true}}']);
  return visitor;
}

function filesWith(directory: string, text: string): string[] {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
    .filter((path) => readFileSync(path).includes(text));
}

test("the webhook hears of a visitor's turn, also when the node is lost at which the address was left", async () => {
  const origin = await Origin.start();
  const common = { origin: origin.url, minuteMs: MINUTE_MS };
  const flags = ["--lease", "5s"];
  const first = await TestNode.start({ ...common, rooms: [ROOM], flags });
  const joining = [...(await first.joining()), ...flags];
  const nodes = [
    first,
    await TestNode.start({ ...common, flags: joining }),
    await TestNode.start({ ...common, flags: joining }),
  ];
  const [, second, third] = nodes;
  if (second === undefined || third === undefined) throw new Error("no nodes");
  const hook = await receiver();
  const made = ["webhook", "create", "name=desk", `url=${hook.url}`, "types=[visitor.called]"];
  expect((await first.run(made)).code).toBe(0);
  const all = ["webhook", "create", "name=all", `url=${hook.url}all`];
  expect((await first.run(all)).code).toBe(0);
  await until(async () =>
    (await Promise.all(nodes.map((node) => node.run(["webhook", "list", "--json"])))).every(({ stdout }) =>
      stdout.includes("desk"),
    ),
  );

  const inside = new Visitor(first.gate, "inside");
  await until(async () => (await inside.get()).position === undefined);
  const visitor = await left(third, "ada");
  // One other node has a copy on its disk.
  const copies = async () => Promise.all([first, second].map(({ data }) => filesWith(data, "contact/").length));
  await until(async () => {
    // A visitor who asks stays inside: the turn does not come before the copy.
    expect((await inside.get()).position).toBeUndefined();
    return (await copies()).some((files) => files > 0);
  });
  for (const { data } of nodes) expect(filesWith(data, ADDRESS)).toEqual([]);
  await third.process.end("SIGKILL");
  const called = () => hook.got.filter(({ type }) => type === "visitor.called");
  await until(() => called().length > 0);
  const [notice] = called();
  expect(notice).toMatchObject({ room: "shop", data: { by: "email", contact: ADDRESS } });
  expect(new Set(called().map(({ id }) => id)).size).toBe(1);
  const seen = await visitor.at(first.gate).get();
  // A busy machine may be too late for the turn.
  if (Date.now() < Date.parse(String(notice?.data.until))) expect(seen.position).toBeUndefined();
  for (const { data, process } of nodes) {
    expect(filesWith(data, ADDRESS)).toEqual([]);
    expect(process.log).not.toContain(ADDRESS);
  }
  for (const node of [first, second]) {
    expect(JSON.stringify(await node.status())).not.toContain(ADDRESS);
    expect((await node.run(["webhook", "list", "--json"])).stdout).not.toContain(ADDRESS);
  }
});

test("a turn that nobody takes goes to the next visitor, and an address survives a restart", async () => {
  const origin = await Origin.start();
  const node = await TestNode.start({ origin: origin.url, minuteMs: MINUTE_MS, rooms: [ROOM] });
  const hook = await receiver();
  expect((await node.run(["webhook", "create", "name=desk", `url=${hook.url}`, "types=[visitor.called]"])).code).toBe(
    0,
  );
  await new Visitor(node.gate, "inside").get();
  await left(node, "ada");
  const next = new Visitor(node.gate, "next");
  await next.get();
  await node.process.end("SIGKILL");
  const again = await TestNode.start({ origin: origin.url, minuteMs: MINUTE_MS, data: node.data });
  await until(() => hook.got.length > 0);
  const after = next.at(again.gate);
  await until(async () => (await after.get()).position === undefined);
  expect(Date.now()).toBeGreaterThan(Date.parse(String(hook.got[0]?.data.until)));
});
