/** One pass on both sides of a cut between two real nodes: when it is over, the earlier visitor keeps the pass. */

import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { Network, nominalAddress } from "../../cmd/chaos/network.ts";
import type { Fault } from "../../cmd/chaos/plan.ts";
import { endAll, Origin, TestNode, until } from "./process.ts";
import { Visitor } from "./visitor.ts";

/** Each gate claims the pass again once a minute. A session lasts three real minutes. */
const MINUTE_MS = 6_000;
const LIMIT = 6;
const ROOM = {
  ...{ name: "shop", host: "*", total_active_users: LIMIT, new_users_per_minute: 600, session_duration: 30 },
  ...{ json_response_enabled: true, refresh_interval_seconds: 1, cookie_attributes: { secure: "never" } },
};
/** Both sides of the cut admit for as long as the test takes. */
const TIMES = ["--lease", "1h"];
const CUT: Fault = { what: "cut", nodes: [2], atMs: 0, forMs: 0 };

let network: Network | undefined;
afterEach(() => {
  endAll();
  network?.close();
});

/** Two nodes that reach each other through the network only, each with some of the slots. */
async function twoNodes(between: Network): Promise<readonly [TestNode, TestNode]> {
  const origin = await Origin.start((_, response) => response.end("let in"));
  const common = { origin: origin.url, minuteMs: MINUTE_MS };
  const flags = (number: number): string[] => [...TIMES, ...between.flagsOf(number)];
  const one = await TestNode.start({ ...common, rooms: [ROOM], flags: ["--locality", "sjc", ...flags(1)] });
  await isReachedBy(between, 1, one);
  const joining = ["--join", nominalAddress(1), "--mesh-key", join(one.data, "mesh.key")];
  const other = await TestNode.start({ ...common, flags: ["--locality", "lon", ...joining, ...flags(2)] });
  await isReachedBy(between, 2, other);
  await until(async () => {
    const told = await Promise.all([one, other].map((node) => node.room().catch(() => undefined)));
    return told.every((room) => room?.localities.length === 2 && room.localities.every(({ free }) => free >= 2));
  });
  return [one, other];
}

async function isReachedBy(between: Network, number: number, node: TestNode): Promise<void> {
  const { mesh_address } = await node.process.logged("anteroom is up");
  between.at(number, Number(new URL(`tcp://${mesh_address}`).port));
}

test("a pass that was used on both sides of a cut is the earlier visitor's after it, and no limit is exceeded", async () => {
  network = await Network.open(2, () => 1);
  const [one, other] = await twoNodes(network);
  const { stdout } = await one.run(["pass", "shop", "--key", "order-1041"]);
  const shown = { "anteroom-pass": stdout.trim() };
  const anna = new Visitor(one.gate, "anna");
  const bert = new Visitor(other.gate, "bert");

  network.strike(CUT);
  expect((await anna.get("/", shown)).text).toBe("let in");
  expect((await bert.get("/", shown)).text).toBe("let in");
  // Each side lets in as many as it has slots for, and no more.
  const others = [one, other].flatMap(({ gate }) => Array.from({ length: LIMIT }, () => new Visitor(gate, "other")));
  const seen = await Promise.all(others.map((each) => each.get()));
  expect(seen.filter(({ text }) => text === "let in").length).toBeLessThanOrEqual(LIMIT - 2);

  network.mend(CUT);
  await until(async () => {
    expect((await anna.get("/", shown)).text).toBe("let in");
    return (await bert.get("/", shown)).text.includes("passInUse");
  });
  // Its slot comes back, and not a second one.
  await until(async () => {
    const states = await Promise.all([one.room(), other.room()]);
    return states.every(({ inside }) => inside <= LIMIT);
  });
  // Each claims it once more, and the outcome stays.
  const claimedMs = Date.now() + 2 * MINUTE_MS;
  await until(async () => {
    expect((await anna.get("/", shown)).text).toBe("let in");
    expect((await bert.get("/", shown)).text).toContain("passInUse");
    return Date.now() > claimedMs;
  });
});
