import { expect, test } from "vitest";
import type { NodeId } from "../../../../mesh/core/ids.ts";
import { Outbox } from "../../../../mesh/core/wire/outbox.ts";

const anna = "anna" as NodeId;

test("all of a step is taken at once: writes, those made last of all, and messages in their order", () => {
  const outbox = new Outbox();
  let made = 1;
  outbox.putLater("made", () => made);
  outbox.put("one", 1);
  outbox.send(anna, { kind: "first" });
  outbox.send(anna, { kind: "second" });
  made = 2;
  expect(outbox.isEmpty).toBe(false);
  const { writes, isVote, sent } = outbox.take();
  expect([[...writes], isVote]).toEqual([
    [
      ["one", 1],
      ["made", 2],
    ],
    false,
  ]);
  expect(sent.map(({ message }) => message.kind)).toEqual(["first", "second"]);
  expect([outbox.isEmpty, outbox.take()]).toEqual([true, { writes: new Map(), isVote: false, sent: [] }]);
});

test("a value that cannot be made is lost alone: it throws once, and what else was put comes with the next step", () => {
  const outbox = new Outbox();
  outbox.putLater("broken", () => {
    throw new Error("a fault");
  });
  outbox.putLater("made", () => 1);
  outbox.put("one", 1);
  expect(() => outbox.take()).toThrow("a fault");
  expect(Object.fromEntries(outbox.take().writes)).toEqual({ one: 1, made: 1 });
});

test("a step with a vote is forced to the disk, the next one is not", () => {
  const outbox = new Outbox();
  outbox.putVote("votes", 1);
  outbox.put("more", 1);
  expect(outbox.take().isVote).toBe(true);
  outbox.put("more", 2);
  expect(outbox.take().isVote).toBe(false);
});

test("writes given back come again with the next step, but for what is newer, and its messages do not", () => {
  const outbox = new Outbox();
  outbox.putVote("votes", "old");
  outbox.put("gift", "old");
  outbox.send(anna, { kind: "told" });
  const failed = outbox.take();
  outbox.put("votes", "new");
  outbox.retry(failed);
  const { writes, isVote, sent } = outbox.take();
  expect([Object.fromEntries(writes), isVote, sent]).toEqual([{ votes: "new", gift: "old" }, true, []]);
});
