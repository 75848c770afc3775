import { beforeAll, describe, expect, test } from "vitest";
import { LogMaker, type Signer, signer } from "../node/admission/log-maker.ts";
import { anteroom } from "./fake-io.ts";

let keeper: Signer;
let other: Signer;
let log: LogMaker;
/** Of a visitor who joined after 15 s. */
let receipt: string;

beforeAll(async () => {
  [keeper, other] = [await signer(), await signer()];
});

/** A log of a minute: those who joined in the first 10 s are called by 20 s, and so on. */
function freshLog(): void {
  log = new LogMaker(keeper, Date.now() - 3_600_000);
  log.add(10, 0);
  receipt = log.receipt(15);
  log.add(20, 10);
  log.add(30, 20);
  log.add(40, 30);
}

async function verify(receiptText: string, logText?: string, flags = "") {
  const files = { "receipt.json": receiptText, ...(logText !== undefined && { "log.jsonl": logText }) };
  const line = `receipt verify receipt.json${logText === undefined ? "" : " --log log.jsonl"} ${flags}`;
  return anteroom(line, { files });
}

beforeAll(freshLog);

/** Exchanges a part of a signed text. */
function changed(text: string, field: string, value: string | number): string {
  return JSON.stringify({ ...JSON.parse(text), [field]: value });
}

describe("a receipt alone", () => {
  test("is valid when the node that it names has signed it", async () => {
    const { exit, answer, talk } = await verify(receipt);
    expect([exit, talk]).toEqual([0, ""]);
    expect(answer).toContain("receipt: valid\n");
    expect(answer).toContain(`signed by node ${keeper.node}`);
    expect(answer).toContain("shows --log FILE");
  });

  test("may be pretty-printed, and come from stdin", async () => {
    const pretty = `${JSON.stringify(JSON.parse(receipt), undefined, 4)}\n`;
    expect((await verify(pretty)).exit).toBe(0);
    expect((await anteroom("receipt verify -", { files: { "-": pretty } })).exit).toBe(0);
  });

  test.each([
    ["key", 1],
    ["place", 1],
    ["room", "other"],
    ["issued", "2020-01-01T00:00:00.000Z"],
    ["expires", "2099-01-01T00:00:00.000Z"],
    ["extra", "field"],
  ])("is forged when %s was changed", async (field, value) => {
    const { exit, answer } = await verify(changed(receipt, field, value));
    expect([exit, answer]).toEqual([3, expect.stringContaining("receipt: forged: node")]);
  });

  test("is forged when another node signed it, or none", async () => {
    for (const text of [
      changed(receipt, "node", other.node),
      changed(receipt, "signature", "AAAA"),
      changed(receipt, "node", "nobody"),
    ])
      expect((await verify(text)).answer).toContain("receipt: forged");
  });

  test("is forged when it is another statement of the same node", async () => {
    const { exit, answer } = await verify(log.lines[0] ?? "");
    expect([exit, answer]).toEqual([3, expect.stringContaining("receipt: damaged")]);
  });

  test.each([
    ["", "is not JSON"],
    ["{", "is not JSON"],
    ["[]", "is not a JSON object"],
    ["{}", "has no signature"],
    ['{"signature":"x"}', "has a wrong field anteroom"],
    ["null", "is not a JSON object"],
  ])("is damaged when it is %s", async (text, problem) => {
    const { exit, answer } = await verify(text);
    expect([exit, answer]).toEqual([3, `receipt: damaged: ${problem}\n`]);
  });

  test("is damaged when it was cut, and when its key is a text", async () => {
    expect((await verify(receipt.slice(0, -20))).answer).toContain("damaged");
    expect((await verify(changed(receipt, "key", "12"))).answer).toContain("damaged: has a wrong field key");
  });

  test("expires", async () => {
    const old = new LogMaker(keeper, Date.now() - 31 * 86_400_000);
    const { exit, answer } = await verify(old.receipt(5));
    expect([exit, answer]).toEqual([3, expect.stringContaining("receipt: expired: it was evidence until")]);
  });

  test("that cannot be read is wrong usage", async () => {
    const { exit, talk } = await anteroom("receipt verify nowhere.json --log none.jsonl");
    expect(exit).toBe(2);
    expect(talk).toContain("nowhere.json: does not exist");
    expect(talk).toContain("none.jsonl: does not exist");
  });

  test("is answered for in JSON, too", async () => {
    const { exit, answer } = await verify(receipt, log.text(), "--json");
    expect([exit, JSON.parse(answer)]).toMatchObject([0, { ok: true, verdict: "valid", log: { verdict: "called" } }]);
  });
});

describe("a receipt with a log", () => {
  test("was called in order", async () => {
    const { exit, answer } = await verify(receipt, log.text());
    expect(exit).toBe(0);
    expect(answer).toContain("log: called in order\n");
    expect(answer).toContain(`was called between ${log.at(20)} and ${log.at(30)} (entry 3,`);
    expect(answer).toContain("Until then nobody behind it was let in.");
  });

  test("was not called yet, also when nothing happened since", async () => {
    const { exit, answer } = await verify(receipt, log.text(log.lines.slice(0, 2), log.head({ last: 2 })));
    expect([exit, answer]).toEqual([0, expect.stringContaining("log: not called yet, and not overtaken")]);
    const quiet = log.head({ at: log.at(50), last: 1 });
    const later = await verify(receipt, log.text(log.lines.slice(0, 1), quiet));
    expect([later.exit, later.answer]).toEqual([0, expect.stringContaining(`was not called by ${log.at(50)}`)]);
  });

  test("was overtaken", async () => {
    const bad = new LogMaker(keeper, log.startMs);
    bad.add(10, 0);
    bad.add(20, 10, { let_in_up_to: bad.keyAt(18) });
    bad.add(30, 20);
    // The visitor with this receipt joined in the middle of that entry: who came in then may have been called before.
    expect((await verify(bad.receipt(15, { log: undefined as never }), bad.text())).exit).toBe(0);
    const { exit, answer } = await verify(bad.receipt(9, { log: undefined as never }), bad.text());
    expect(exit).toBe(0);
    expect(answer).toContain("called in order");
    const worse = new LogMaker(keeper, log.startMs);
    worse.add(10, 0);
    worse.add(20, 0);
    worse.add(30, 10, { let_in_up_to: worse.keyAt(18) });
    worse.add(40, 30);
    expect(await verify(worse.receipt(15, { log: undefined as never }), worse.text())).toMatchObject({
      exit: 3,
      answer: expect.stringContaining(
        `was let in by ${worse.at(30)} (entry 3), before place ${worse.keyAt(15)} was called`,
      ),
    });
  });

  test("is foreign to the log of another mesh, of another room, and of other nodes", async () => {
    const theirs = new LogMaker(other, log.startMs);
    theirs.add(10, 0);
    for (const [text, words] of [
      [log.receipt(15, { mesh: "fedcba9876543210" }), "it is of mesh fedcba9876543210"],
      [log.receipt(15, { room: "room2" }), "it is of room room2"],
      [log.receipt(15, {}, other), `it is signed by node ${other.node}, which the log does not list`],
    ] as const)
      expect(await verify(text, log.text())).toMatchObject({
        exit: 3,
        answer: expect.stringContaining(`foreign: ${words}`),
      });
    expect((await verify(receipt, theirs.text())).answer).toContain("receipt: foreign");
  });

  test("finds that the log was rewritten since", async () => {
    const again = new LogMaker(keeper, log.startMs);
    again.add(10, 0, { waiting: 6 });
    again.add(20, 10);
    again.add(30, 20);
    expect(await verify(receipt, again.text())).toMatchObject({
      exit: 3,
      answer: expect.stringContaining("log: rewritten"),
    });
  });

  test("cannot tell where the log has a gap, and says which", async () => {
    const lost = new LogMaker(keeper, log.startMs);
    lost.add(10, 0);
    lost.add(40, 30, { from: log.at(25), gap: "takeover", node: other.node }, other);
    const { exit, answer } = await verify(
      receipt,
      lost.text(undefined, lost.head({ nodes: [keeper.node, other.node] })),
    );
    expect(exit).toBe(1);
    expect(answer).toContain("log: cannot tell");
    expect(answer).toContain(
      `What happened between ${log.at(10)} and ${log.at(25)} is not in this log, when another node took the line over.`,
    );
  });

  test("cannot tell where entries are missing, where the log begins or ends too early, or is of another line", async () => {
    const without = (numbers: readonly number[]) => log.text(log.lines.filter((_, at) => !numbers.includes(at + 1)));
    for (const [text, words] of [
      [without([2]), "is not in this log"],
      [without([1, 2]), "it begins with entry 3"],
      [log.text([], log.head({ at: log.at(5) })), "this one has no entries"],
      [log.text(log.lines.slice(0, 1), log.head({ at: log.at(10) })), "The log ends before"],
    ] as const) {
      const { exit, answer } = await verify(receipt, text);
      expect([exit, answer]).toEqual([1, expect.stringContaining(words)]);
    }
    const drawn = JSON.parse(log.receipt(15));
    const text = log.receipt(15, { order: "random", place: drawn.place });
    expect(await verify(text, log.text())).toMatchObject({ exit: 1, answer: expect.stringContaining("another order") });
  });

  test("does not mind an order of before in which nobody was let in", async () => {
    const shuffled = new LogMaker(keeper, log.startMs);
    const order = "arrival shuffled 1";
    shuffled.add(10, 0);
    shuffled.add(20, 0, { let_in: 0 });
    shuffled.add(30, 20, { order });
    const text = shuffled.receipt(15, { order, log: undefined });
    expect(await verify(text, shuffled.text())).toMatchObject({
      exit: 0,
      answer: expect.stringContaining("called in order"),
    });
  });

  test("cannot tell while places are drawn", async () => {
    const text = log.receipt(15, { key: undefined, place: undefined });
    const { exit, answer } = await verify(text, log.text());
    expect([exit, answer]).toEqual([1, expect.stringContaining("Places were still being drawn")]);
    expect(answer).toContain("a place that was not drawn yet in order arrival");
  });

  test("counts several files, and pages in any order, as one log", async () => {
    const [first = "", ...rest] = log.lines;
    const files = { r: receipt, one: log.text(rest.toReversed()), two: log.text([first, rest[0] ?? ""]) };
    const { exit, answer } = await anteroom("receipt verify r --log one --log two", { files });
    expect([exit, answer]).toEqual([0, expect.stringContaining("called in order")]);
  });
});

describe("a log", () => {
  const verdict = async (text: string) => {
    const { exit, answer } = await verify(receipt, text);
    return { exit, log: answer.split("\n").find((line) => line.startsWith("log:")), answer };
  };

  test("is forged when an entry was changed", async () => {
    const lines = log.lines.map((line, at) => (at === 2 ? changed(line, "let_in", 9) : line));
    expect(await verdict(log.text(lines))).toMatchObject({ exit: 3, log: "log: forged" });
    expect(await verdict(log.text(undefined, changed(log.head(), "last", 9)))).toMatchObject({
      exit: 3,
      log: "log: forged",
    });
  });

  test("is damaged when it was cut, is something else, or lacks its list of nodes", async () => {
    const text = log.text();
    expect(await verdict(text.slice(0, -40))).toMatchObject({
      exit: 3,
      log: "log: damaged",
      answer: expect.stringContaining("line 5"),
    });
    expect(await verdict("<html>")).toMatchObject({ exit: 3, log: "log: damaged" });
    expect(await verdict(log.lines.join("\n"))).toMatchObject({
      exit: 3,
      log: "log: damaged",
      answer: expect.stringContaining("list of nodes"),
    });
    expect(await verdict("")).toMatchObject({ exit: 3, log: "log: damaged" });
  });

  test("is foreign when a node that it does not list signed a part, or two logs were mixed", async () => {
    const mixed = new LogMaker(keeper, log.startMs);
    mixed.add(10, 0);
    mixed.add(20, 10, {}, other);
    expect(await verdict(mixed.text())).toMatchObject({
      exit: 3,
      log: "log: foreign",
      answer: expect.stringContaining(other.node),
    });
    const two = new LogMaker(keeper, log.startMs);
    two.add(10, 0, { room: "room2" });
    expect(await verdict(log.text([...log.lines, ...two.lines]))).toMatchObject({ exit: 3, log: "log: foreign" });
  });

  test("contradicts itself: an exchanged entry, two of one number, an unstated gap, a time that goes back", async () => {
    const exchanged = new LogMaker(keeper, log.startMs);
    exchanged.add(10, 0);
    exchanged.add(20, 10, { waiting: 99 });
    const [first = "", second = "", third = ""] = log.lines;
    const [, strange = ""] = exchanged.lines;
    expect(await verdict(log.text([first, strange, third]))).toMatchObject({
      exit: 3,
      log: "log: contradicts itself",
      answer: expect.stringContaining("does not follow"),
    });
    expect(await verdict(log.text([first, second, strange]))).toMatchObject({
      exit: 3,
      log: "log: contradicts itself",
      answer: expect.stringContaining("two entries 2"),
    });
    const gap = new LogMaker(keeper, log.startMs);
    gap.add(10, 0);
    gap.add(30, 10, { from: log.at(20) });
    expect(await verdict(gap.text())).toMatchObject({
      exit: 3,
      log: "log: contradicts itself",
      answer: expect.stringContaining("neither states"),
    });
    const back = new LogMaker(keeper, log.startMs);
    back.add(30, 0);
    back.add(20, 10, { from: log.at(10) });
    expect(await verdict(back.text())).toMatchObject({
      exit: 3,
      log: "log: contradicts itself",
      answer: expect.stringContaining("is older"),
    });
  });
});
