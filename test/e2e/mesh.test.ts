/** Three nodes in two localities as real processes: one room, whichever gate is asked. */

import { describe, expect, test } from "vitest";
import { Origin, TestNode, until } from "./process.ts";
import { Visitor } from "./visitor.ts";

const ROOM = {
  name: "shop",
  host: "*",
  total_active_users: 6,
  new_users_per_minute: 60,
  session_duration: 30,
  json_response_enabled: true,
  refresh_interval_seconds: 1,
  cookie_attributes: { secure: "never" },
};
/** The slots of a locality move once a minute; a session lasts five real minutes. */
const MINUTE_MS = 10_000;
/** No node is given up as lost, however long a start takes. */
const TIMES = ["--lease", "1h"];
/** For tests in which a node is lost: longer than a busy machine keeps a node silent. */
const LOST = ["--lease", "20s"];

/** A founder in sjc with the room, and one more node per locality of `others`, all of one view. */
async function mesh(
  others: readonly string[],
  times = TIMES,
  minuteMs = MINUTE_MS,
): Promise<{ nodes: TestNode[]; origin: Origin }> {
  const origin = await Origin.start((_, response) => response.end("let in"));
  const common = { origin: origin.url, minuteMs };
  const founder = await TestNode.start({ ...common, rooms: [ROOM], flags: ["--locality", "sjc", ...times] });
  const nodes = [founder];
  for (const locality of others)
    nodes.push(
      await TestNode.start({ ...common, flags: ["--locality", locality, ...(await founder.joining()), ...times] }),
    );
  await agree(nodes);
  return { nodes, origin };
}

/** Waits until all are members of one view, and know the room. */
async function agree(nodes: readonly TestNode[]): Promise<void> {
  await until(async () => {
    const told = await Promise.all(nodes.map((node) => node.status()));
    return told.every(
      ({ view, members, rooms }) =>
        view?.members === nodes.length && rooms.length === 1 && members.every(({ state }) => state === "alive"),
    );
  });
}

describe("a mesh", () => {
  test.concurrent("has one limit for all gates; a session is good at each, and outlives the node that let it in", async () => {
    const { nodes } = await mesh(["sjc", "lon"], LOST);
    const visitors = Array.from({ length: 9 }, (_, index) => ({
      home: index % 3,
      visitor: new Visitor(nodes[index % 3]?.gate ?? "", `visitor ${index}`),
    }));
    const inside: typeof visitors = [];
    await until(async () => {
      for (const each of visitors)
        if (!inside.includes(each) && (await each.visitor.get()).text === "let in") inside.push(each);
      return inside.length >= 6;
    });
    for (const each of visitors) if (!inside.includes(each)) expect((await each.visitor.get()).text).not.toBe("let in");
    expect(inside).toHaveLength(6);

    // One that holds slots, as each may have let in all six: without any, nothing is left in a pot.
    const held = await Promise.all(nodes.map(async (node) => (await node.room()).inside_here));
    const killed = nodes[held.indexOf(Math.max(...held))];
    await killed?.process.end("SIGKILL");
    const left = nodes.filter((node) => node !== killed);
    for (const { visitor } of inside)
      for (const node of left) expect((await visitor.at(node.gate).get()).text).toBe("let in");
    const [founder] = left;
    if (founder === undefined) throw new Error("unreachable");
    await until(async () => (await founder.status()).view?.members === 2);
    // Which of the two is the heir is not said; it may take the view a moment later.
    await until(async () => {
      const shares = (await founder.room()).shares.concat((await left[1]?.room())?.shares ?? []);
      return shares.some(({ state, idle_until_ms }) => state === "pot" && idle_until_ms !== null);
    });
  });

  test.concurrent("takes a node back that was only started again, and takes its leave", async () => {
    const { nodes, origin } = await mesh(["lon"]);
    const [founder, other] = nodes;
    if (founder === undefined || other === undefined) throw new Error("unreachable");
    const before = (await founder.status()).view?.number;
    const token = (await founder.run(["token", "create", "ci", "--scope", "read"])).stdout.trim();
    const headers = { authorization: `Bearer ${token}` };
    const statusAt = async ({ admin }: TestNode) => (await fetch(`http://${admin}/v1/rooms`, { headers })).status;
    await until(async () => (await statusAt(other)) === 200);
    await other.process.end("SIGTERM");
    expect((await founder.run(["token", "delete", "ci"])).code).toBe(0);
    const flags = ["--locality", "lon", ...(await founder.joining()), ...TIMES];
    const again = await TestNode.start({ origin: origin.url, minuteMs: MINUTE_MS, data: other.data, flags });
    // What it had on its disk of tokens is not good before it has heard of the others.
    const states = new Set<number>();
    await until(async () => states.add(await statusAt(again)).has(401));
    expect([...states].filter((status) => status !== 503)).toEqual([401]);
    await agree([founder, again]);
    expect((await founder.status()).view?.number).toBe(before);

    const { code, stdout } = await again.run(["leave"]);
    expect([code, stdout]).toEqual([0, expect.stringContaining("handed over")]);
    expect((await again.process.finished).code).toBe(0);
    await until(async () => (await founder.status()).view?.members === 1);
    await until(async () => (await founder.room()).localities.every(({ free }) => free === 6));
  });

  test.concurrent("forgets hosts that a script knows to be gone, one by one, and grants it again", async () => {
    const { nodes } = await mesh(["sjc", "lon"], LOST);
    const [founder, ...lost] = nodes;
    if (founder === undefined) throw new Error("unreachable");
    const ids = await Promise.all(lost.map(async (node) => (await node.status()).node));
    await Promise.all(lost.map(({ process }) => process.end("SIGKILL")));
    const forget = async (id: string) => {
      const { code, stdout } = await founder.run(["forget", id, "--i-am-sure", "--timeout", "5m", "--json"]);
      return { code, answer: JSON.parse(stdout) };
    };
    const first = await Promise.all(ids.map((id) => forget(id)));
    expect(first).toEqual(ids.map((id) => ({ code: 0, answer: { ok: true, forgotten: [id], already: [] } })));
    const { view, rooms } = await founder.status();
    expect(view?.members).toBe(1);
    expect(rooms[0]?.shares.filter(({ state }) => state === "lost")).toEqual([]);
    const again = await Promise.all(ids.map((id) => forget(id)));
    expect(again).toEqual(ids.map((id) => ({ code: 0, answer: { ok: true, forgotten: [], already: [id] } })));
  });

  test.concurrent("refuses minutes of another length, with one line on both sides", async () => {
    const [founder] = (await mesh([])).nodes;
    if (founder === undefined) throw new Error("unreachable");
    const other = await TestNode.start({ minuteMs: 1_000, flags: [...(await founder.joining()), ...TIMES] });
    for (const { process } of [founder, other]) {
      const { reason } = await process.logged("node refused");
      expect(reason).toEqual(expect.stringContaining("--minute-ms"));
    }
  });
});
