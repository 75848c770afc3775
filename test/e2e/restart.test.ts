/** A node that ends in the middle of a spike, and starts again on the same data. */

import { copyFileSync } from "node:fs";
import type { ServerResponse } from "node:http";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { LINE } from "../../node/admission/mesh/stored-room.ts";
import { Store } from "../../node/storage/store.ts";
import { Origin, TestNode, temporaryDirectory, until } from "./process.ts";
import { Visitor } from "./visitor.ts";

const LIMIT = 40;
/** Places do not lapse, however long a start takes. */
const ROOM = {
  name: "shop",
  host: "*",
  total_active_users: LIMIT,
  new_users_per_minute: 1_000,
  session_duration: 30,
  refresh_interval_seconds: 600,
  json_response_enabled: true,
  enabled_origin_commands: ["revoke"],
};

describe.each(["SIGKILL", "SIGTERM"] as const)("%s in mid-spike, and a new start on the same data", (signal) => {
  test.concurrent("throws nobody out, and the limit holds across it", async () => {
    const known = new Set<string>();
    /** The answers that the origin owes when the process gets the signal. */
    const owed: ServerResponse[] = [];
    let isOwing = true;
    const origin = await Origin.start((request, response) => {
      known.add(String(request.headers["x-visitor"]));
      if (isOwing && known.size > LIMIT - 5) owed.push(response);
      else response.end("welcome");
    });
    const before = await TestNode.start({ origin: origin.url, rooms: [ROOM] });
    const early = visitors(before, "early", LIMIT - 10);
    for (const visitor of early) await visitor.get();
    expect(known.size).toBe(LIMIT - 10);

    // Ten more fit in: five have their answers, and nobody knows what becomes of the others.
    const crowd = visitors(before, "crowd", 60);
    const answers = Promise.allSettled(crowd.map(async (visitor) => ({ visitor, seen: await visitor.get() })));
    await until(() => owed.length > 0);
    before.process.kill(signal);
    if (signal === "SIGTERM") await before.process.logged("stopping: running requests finish");
    isOwing = false;
    for (const answer of owed) answer.end("welcome");
    expect((await before.process.finished).code).toBe(signal === "SIGTERM" ? 0 : null);
    const answered = (await answers).flatMap((each) => (each.status === "fulfilled" ? [each.value] : []));
    const letIn = answered.filter(({ seen }) => seen.text === "welcome").map(({ visitor }) => visitor);

    const after = await TestNode.start({ origin: origin.url, rooms: [ROOM], data: before.data });
    const inside = [...early, ...letIn];
    const seen = await Promise.all(inside.map((visitor) => visitor.at(after.gate).get()));
    expect(seen.map(({ text }) => text)).toEqual(inside.map(() => "welcome"));

    await Promise.all(visitors(after, "late", 30).map((visitor) => visitor.get()));
    expect(known.size).toBeLessThanOrEqual(LIMIT);
    const room = await after.room();
    expect(room.inside).toBeLessThanOrEqual(LIMIT);
    expect(room.inside).toBeGreaterThanOrEqual(inside.length);
  });

  test.concurrent("calls those in line in their old order", async () => {
    const calledIn: string[] = [];
    const origin = await Origin.start((request, response) => {
      const visitor = String(request.headers["x-visitor"]);
      if (request.url === "/leave") response.setHeader("Anteroom-Command", "revoke");
      else if (visitor.startsWith("waiting")) calledIn.push(visitor);
      response.end("welcome");
    });
    // The slots of those who sign out come free when the minute is over; a session lasts five real minutes.
    const choice = { origin: origin.url, rooms: [{ ...ROOM, total_active_users: 2 }], minuteMs: 10_000 };
    const before = await TestNode.start(choice);
    const inside = visitors(before, "inside", 2);
    for (const visitor of inside) await visitor.get();
    const waiting = visitors(before, "waiting", 6);
    for (const visitor of waiting) await visitor.get();
    // The line is saved every half second, and at an end in good order.
    await until(() => signal === "SIGTERM" || savedInLine(before.data) === waiting.length);
    await before.process.end(signal);

    const after = await TestNode.start({ ...choice, data: before.data });
    const back = waiting.map((visitor) => visitor.at(after.gate));
    // The last in line asks first: it must not gain by that.
    for (const visitor of back.toReversed()) await visitor.get();
    expect(back.map(({ positions }) => positions)).toEqual([1, 2, 3, 4, 5, 6].map((place) => [place, place]));
    expect((await new Visitor(after.gate, "new").get()).position).toBe(7);

    // The two may leave in different minutes: then their slots come free one after the other.
    for (const visitor of inside) await visitor.at(after.gate).get("/leave");
    await until(async () => {
      for (const visitor of back.toReversed()) await visitor.get();
      return new Set(calledIn).size >= 2;
    });
    expect(new Set(calledIn)).toEqual(new Set(["waiting 0", "waiting 1"]));
  });
});

function visitors(node: TestNode, name: string, count: number): Visitor[] {
  return Array.from({ length: count }, (_, at) => new Visitor(node.gate, `${name} ${at}`));
}

/**
 * How many visitors the line has on a node's disk. The node holds its file, so a copy is read; undefined if the node
 * wrote meanwhile.
 */
function savedInLine(data: string): number | undefined {
  const folder = temporaryDirectory();
  let store: Store | undefined;
  try {
    for (const file of ["anteroom.db", "anteroom.db-wal"]) copyFileSync(join(data, file), join(folder, file));
    store = new Store(join(folder, "anteroom.db"), "process");
    const ranges = LINE.all(store.entries()).flatMap(({ value }) => value.ranges);
    return ranges.reduce((sum, [, , count]) => sum + count, 0);
  } catch {
    return undefined;
  } finally {
    store?.close();
  }
}
