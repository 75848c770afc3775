/** Five nodes in three localities, behind a balancer that sends each request to another gate. */

import { join } from "node:path";
import { describe, expect } from "vitest";
import { Origin, sideBySide, TestNode, until } from "./process.ts";
import { Visitor } from "./visitor.ts";

const SLOTS = 6;
const VISITORS = 30;
const ROOM = {
  ...{ name: "shop", host: "*", total_active_users: SLOTS, new_users_per_minute: 600, session_duration: 30 },
  ...{ json_response_enabled: true, refresh_interval_seconds: 120, cookie_attributes: { secure: "never" } },
};
/** No node is given up as lost, however busy the machine is. */
const TIMES = ["--lease", "1h"];

async function fiveNodes(): Promise<TestNode[]> {
  const origin = await Origin.start((_, response) => response.end("let in"));
  const common = { origin: origin.url, minuteMs: 60_000 };
  const founder = await TestNode.start({ ...common, rooms: [ROOM], flags: ["--locality", "sjc", ...TIMES] });
  const { mesh_address } = await founder.process.logged("anteroom is up");
  const joining = ["--join", String(mesh_address), "--mesh-key", join(founder.data, "mesh.key"), ...TIMES];
  const nodes = [founder];
  for (const locality of ["sjc", "lon", "lon", "del"])
    nodes.push(await TestNode.start({ ...common, flags: ["--locality", locality, ...joining] }));
  await until(async () => {
    const told = await Promise.all(nodes.map((node) => node.status()));
    return told.every(
      ({ view, rooms, members }) =>
        view?.members === nodes.length && rooms.length === 1 && members.every(({ state }) => state === "alive"),
    );
  });
  return nodes;
}

describe("a balancer that sprays over five nodes in three localities", () => {
  sideBySide("finds each visitor in one line, with one place that never rises", async () => {
    const nodes = await fiveNodes();
    let turn = 0;
    /** Each asks once, at another gate than before. */
    const askedBy = (visitors: readonly Visitor[]): Promise<Visitor[]> =>
      Promise.all(
        visitors.map(async (visitor) => {
          turn += 1;
          const moved = visitor.at(nodes[turn % nodes.length]?.gate ?? "");
          await moved.get();
          return moved;
        }),
      );
    const isInside = ({ positions }: Visitor, before: Visitor): boolean => positions.length === before.positions.length;
    let waiting: Visitor[] = [];
    const all = Array.from({ length: VISITORS }, (_, index) => new Visitor("", `visitor ${index}`));
    const came = await askedBy(all);
    waiting = came.filter((visitor, index) => !isInside(visitor, all[index] ?? visitor));
    // A slot may be on its way to another gate when the last one comes.
    expect(waiting.length).toBeGreaterThanOrEqual(VISITORS - SLOTS);
    const places = Array.from({ length: VISITORS - SLOTS }, (_, index) => index + 1);
    const askAgain = async (): Promise<void> => {
      const before = waiting;
      const asked = await askedBy(before);
      waiting = asked.filter((visitor, index) => !isInside(visitor, before[index] ?? visitor));
    };
    const allCount = (count: number): Promise<void> =>
      until(async () => (await Promise.all(nodes.map((node) => node.room()))).every((room) => room.waiting === count));
    await allCount(waiting.length);
    // Slots that were on their way go to the first in line.
    await until(async () => {
      await askAgain();
      return waiting.length === places.length && waiting.every(({ positions }) => positions.at(-1) !== 0);
    });
    await allCount(places.length);
    for (let round = 0; round < 2 * nodes.length; round++) {
      await askAgain();
      // Where the machine took more than 2 s for the first answer, it may have had a number, too low for the others.
      const exact = waiting.filter(({ positions }) => positions[0] === 0).map(({ positions }) => positions.at(-1));
      expect(places).toEqual(expect.arrayContaining(exact));
      expect(new Set(exact).size).toBe(exact.length);
      for (const node of nodes) expect((await node.room()).waiting).toBe(places.length);
    }
    for (const { positions } of waiting) {
      const counted = positions.slice(positions.findIndex((position) => position > 0));
      expect(counted).toEqual(counted.toSorted((one, other) => other - one));
    }
  });
});
