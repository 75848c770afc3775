/** A draw over three real nodes, one of which is killed before the start; checked by a program of its own. */

import { createHash, createPublicKey, verify } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Anteroom, endAll, endLater, Origin, TestNode, temporaryDirectory, until } from "./process.ts";
import { Visitor } from "./visitor.ts";

/** More by hand: VISITORS=2000. */
const VISITORS = Number(process.env.VISITORS ?? 300);
const INSIDE = 30;
/** Of those who are first, so many are waited for. */
const LEFT = 10;
const ROOM = {
  name: "shop",
  host: "*",
  total_active_users: INSIDE,
  new_users_per_minute: 1_000,
  session_duration: 30,
  json_response_enabled: true,
  refresh_interval_seconds: 20,
  cookie_attributes: { secure: "never" },
};
/** No session ends during the test. */
const MINUTE_MS = 60_000;
const TIMES = ["--lease", "20s"];
/**
 * From the pre-queue to the start, at first: all join, one node dies, and its visitors go to the others. Where that
 * takes longer, all begin again with twice the time.
 */
const PREQUEUE_MS = 30_000 + 15 * VISITORS;

interface Prequeue {
  /** The nodes that are left. */
  readonly left: readonly TestNode[];
  readonly visitors: readonly Visitor[];
  /** Of each visitor, in the draw. */
  readonly shown: readonly string[];
  /** Of the secret, as it was published before the start. */
  readonly hash: string;
}

/** Three nodes before a draw, all visitors in line, and one node dead; undefined if the draw began before that. */
async function prequeue(prequeueMs: number): Promise<Prequeue | undefined> {
  const origin = await Origin.start((_, response) => response.end("let in"));
  const common = { origin: origin.url, minuteMs: MINUTE_MS };
  const founder = await TestNode.start({ ...common, rooms: [ROOM], flags: TIMES });
  const joining = [...(await founder.joining()), ...TIMES];
  const nodes = [founder];
  for (let more = 0; more < 2; more++) nodes.push(await TestNode.start({ ...common, flags: joining }));
  await until(async () => {
    const told = await Promise.all(nodes.map((node) => node.status()));
    return told.every(({ view, rooms }) => view?.members === 3 && rooms.length === 1);
  });
  const startMs = Date.now() + prequeueMs;
  const isOver = () => Date.now() >= startMs;
  const created = await founder.run([
    ...["event", "create", "shop", "name=sale", "shuffle_at_event_start=true", "draw=true"],
    `prequeue_start_time=${new Date(startMs - prequeueMs).toISOString()}`,
    `event_start_time=${new Date(startMs).toISOString()}`,
    `event_end_time=${new Date(startMs + 3_600_000).toISOString()}`,
  ]);
  if (isOver()) return undefined;
  expect(created.code).toBe(0);
  const isDeclared = async () => (await Promise.all(nodes.map(drawAt))).every((draw) => draw?.state === "declared");
  await until(async () => isOver() || (await isDeclared()));
  const hash = (await drawAt(founder))?.hash ?? "";
  const joined = Array.from(
    { length: VISITORS },
    (_, index) => new Visitor(nodes[index % 3]?.gate ?? "", `visitor ${index}`),
  );
  for (let at = 0; at < VISITORS; at += 50)
    await Promise.all(joined.slice(at, at + 50).map((visitor) => visitor.get()));
  const [killed, ...left] = nodes;
  // Who is in the draw is what survives the loss. Gates that have just met may each take another one for the ticket
  // counter, so the line itself may miss some until they poll again.
  await until(async () => isOver() || (await Promise.all(left.map(drawAt))).every((draw) => draw?.count === VISITORS));
  await killed?.process.end("SIGKILL");
  const visitors = joined.map((visitor, index) => visitor.at(left[index % 2]?.gate ?? ""));
  const shown = isOver() ? [] : await idsOf(visitors);
  return isOver() ? undefined : { left, visitors, shown, hash };
}

test("is the same at all nodes that are left, in the order of its seed, and is refused after one id is moved", async () => {
  let begun: Prequeue | undefined;
  for (let prequeueMs = PREQUEUE_MS; begun === undefined; prequeueMs *= 2) {
    await endAll();
    begun = await prequeue(prequeueMs);
  }
  const { left, visitors, shown, hash } = begun;
  const inside = new Set<number>();
  let isOver = false;
  endLater(() => {
    isOver = true;
  });
  const polling = pollAll(
    visitors,
    (index) => inside.add(index),
    () => isOver,
  );
  await until(async () => (await Promise.all(left.map(drawAt))).every((draw) => draw?.state === "decided"));
  await until(() => inside.size >= LEFT);
  isOver = true;
  await polling;
  // Until the lists are closed, the command says so.
  let files: string[] = [];
  await until(async () => {
    const exported = await Promise.all(left.map((node) => node.run(["draw", "export", "shop"])));
    files = exported.map(({ stdout }) => stdout);
    return exported.every(({ code }) => code === 0);
  });
  const [file = ""] = files;
  const ids = check(file, hash);
  expect(files.map((each) => each.split("\n").slice(1))).toEqual(left.map(() => file.split("\n").slice(1)));
  expect(ids).toHaveLength(VISITORS);
  expect([...ids].sort()).toEqual([...shown].sort());
  const numbers = Array.from(inside, (index) => ids.indexOf(shown[index] ?? ""));
  expect(numbers.filter((number) => number < 0 || number >= INSIDE)).toEqual([]);

  const directory = temporaryDirectory();
  const path = (name: string, text: string) => {
    writeFileSync(join(directory, name), text);
    return join(directory, name);
  };
  const verified = (name: string, text: string) =>
    new Anteroom(["draw", "verify", path(name, text), "--id", shown[0] ?? ""]).finished;
  const sound = await verified("draw", file);
  expect([sound.code, sound.stdout]).toEqual([0, expect.stringContaining("draw: valid")]);
  const [head = "", one = "", other = "", ...rest] = file.split("\n");
  const moved = [head, other, one, ...rest].join("\n");
  expect(() => check(moved, hash)).toThrow("not in the order of the seed");
  expect((await verified("moved", moved)).code).toBe(3);
});

/** All ask again and again, as their pages do: who does not is passed over. */
async function pollAll(visitors: readonly Visitor[], letIn: (index: number) => void, isOver: () => boolean) {
  while (!isOver())
    for (let at = 0; at < visitors.length; at += 50) {
      const some = visitors.slice(at, at + 50).map(async (visitor, index) => {
        if ((await visitor.get()).text === "let in") letIn(at + index);
      });
      await Promise.all(some);
    }
}

interface Draw {
  readonly state: string;
  readonly hash: string;
  /** Visitors in it, as far as the node knows. */
  readonly count: number;
}

async function drawAt(node: TestNode): Promise<Draw | undefined> {
  const headers = { authorization: `Bearer ${node.token}` };
  const answer = (await (await fetch(`http://${node.admin}/v1/draws/shop`, { headers })).json()) as {
    readonly draw?: Draw;
  };
  return answer.draw;
}

async function idsOf(visitors: readonly Visitor[]): Promise<string[]> {
  const ids: string[] = [];
  for (let at = 0; at < visitors.length; at += 50)
    ids.push(...(await Promise.all(visitors.slice(at, at + 50).map(idOf))));
  return ids;
}

/** The id that the page of a visitor shows. */
async function idOf(visitor: Visitor): Promise<string> {
  let id: string | undefined;
  await until(async () => {
    const { text } = await visitor.get("/", { accept: "application/json" });
    [, id] = /"draw":"[^"#]*#([0-9a-f]{13})"/.exec(text) ?? [];
    return id !== undefined;
  });
  return id ?? "";
}

/** As docs/draw.md describes it, and with nothing of anteroom. */
function check(file: string, hash: string): string[] {
  const [first = "", ...ids] = file.trimEnd().split("\n");
  const head = JSON.parse(first);
  if (!isSigned(head)) throw new Error("the head is not signed");
  if (head.hash !== hash || sha256(head.secret) !== hash) throw new Error("not the secret whose hash was published");
  const lines = [
    "anteroom-draw 1",
    head.mesh,
    head.room,
    head.event,
    head.start,
    head.announced,
    head.value,
    head.secret,
  ];
  if (sha256(lines.map((line) => `${line}\n`).join("")) !== head.seed) throw new Error("not the seed of the secret");
  const ranks = ids.map((id) => sha256(`${head.seed}:${id}`));
  if (ranks.some((rank, at) => at > 0 && rank <= (ranks[at - 1] ?? "")))
    throw new Error("not in the order of the seed");
  const list = sha256(
    [...ids]
      .sort()
      .map((id) => `${id}\n`)
      .join(""),
  );
  if (ids.length !== head.list.count || list !== head.list.digest) throw new Error("not the list that was closed");
  return ids;
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

/** A node's id is a libp2p peer id: base58 of 6 bytes, and the public key of Ed25519. */
function isSigned({ signature, ...fields }: { readonly signature: string; readonly node: string }): boolean {
  let number = 0n;
  for (const digit of fields.node)
    number = number * 58n + BigInt("123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz".indexOf(digit));
  const key = Buffer.from(number.toString(16).padStart(76, "0"), "hex").subarray(6);
  const der = Buffer.concat([Buffer.from("302a300506032b6570032100", "hex"), key]);
  const publicKey = createPublicKey({ key: der, format: "der", type: "spki" });
  return verify(null, Buffer.from(JSON.stringify(fields)), publicKey, Buffer.from(signature, "base64url"));
}
