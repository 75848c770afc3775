/** When what is written to a socket leaves. */

import { setImmediate as turnEnd } from "node:timers/promises";
import { expect, test } from "vitest";
import { Outlet } from "../../../node/http/outlet.ts";

/** Outlets that write to one list, in the order in which their sockets are written to. */
function outlets(...names: string[]) {
  const sent: string[] = [];
  const [one, other] = names.map((name) => {
    const write = (part: string | Uint8Array): number => {
      sent.push(`${name}: ${typeof part === "string" ? part : Buffer.from(part).toString("latin1")}`);
      return part.length;
    };
    return new Outlet({ write }, 1_000);
  });
  if (one === undefined || other === undefined) throw new Error("Broken: two names");
  return { sent, one, other };
}

test("what may wait for the end of the turn leaves there, each socket's text in one piece", async () => {
  const { sent, one, other } = outlets("one", "other");
  one.text("a");
  one.flushAtTurnEnd();
  other.text("b");
  other.flushAtTurnEnd();
  one.text("c");
  one.flushAtTurnEnd();
  expect([sent, one.isSent]).toEqual([[], false]);
  await turnEnd();
  expect([sent, one.isSent]).toEqual([["one: ac", "other: b"], true]);
  // The next turn has its own end.
  other.text("d");
  other.flushAtTurnEnd();
  await turnEnd();
  expect(sent.slice(2)).toEqual(["other: d"]);
});

test("many that wait leave before the end of the turn", async () => {
  const { sent, one } = outlets("one", "other");
  const texts = Array.from({ length: 32 }, (_, index) => `${index} `);
  for (const text of texts) {
    expect(sent).toEqual([]);
    one.text(text);
    one.flushAtTurnEnd();
  }
  expect(sent).toEqual([`one: ${texts.join("")}`]);
  await turnEnd();
  expect(sent).toHaveLength(1);
});

test("what must leave at once takes with it what waited, and a closed socket is not written to", async () => {
  const { sent, one, other } = outlets("one", "other");
  one.text("a");
  one.flushAtTurnEnd();
  other.text("b");
  other.flushAtTurnEnd();
  one.flush();
  other.close();
  expect(sent).toEqual(["one: a"]);
  await turnEnd();
  expect(sent).toEqual(["one: a"]);
});
