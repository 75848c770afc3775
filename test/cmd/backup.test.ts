import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type Backup, backupText, readSeal, sealed } from "../../cmd/backup-file.ts";
import { VERSION } from "../../cmd/version.ts";
import { roomDocument } from "../../node/config/room-document.ts";
import { parseYaml } from "../../node/config/yaml-text.ts";
import { anteroom, type FakeOptions } from "./fake-io.ts";
import { STATUS, startFakeNode, startStranger, TOKEN } from "./fake-node.ts";

const EVENT = {
  name: "sale",
  event_start_time: "2020-11-27T10:00:00Z",
  event_end_time: "2020-11-27T12:00:00Z",
  prequeue_start_time: "2020-11-27T09:30:00Z",
  shuffle_at_event_start: true,
  custom_page_html: "<p>sale {{position}}</p>",
};

/** Texts that YAML could change: line ends, blanks, marks of YAML, letters of other scripts. */
const PAGE = " \n<p>{{position}}</p>\r\n\t- 'a': \"b\" # no comment\n...\n---\n\u2028 日本 \u0001? | >\n\n  ";

const ROOMS = [
  {
    ...{ name: "shop", host: "shop.example", total_active_users: 5, new_users_per_minute: 5, pass_generation: 7 },
    ...{ custom_page_html: PAGE, description: "no", events: [EVENT], lanes: { "1": 20 }, rules: [] },
    page: { title: "~", message: "Half an hour late: sorry", message_until: "2026-11-27T10:00:00Z" },
  },
  { name: "bar", host: "*", path: "/bar", total_active_users: 1, new_users_per_minute: 1, queue_all: true },
];

let node: ReturnType<typeof startFakeNode>;
let target: ReturnType<typeof startFakeNode>;
beforeEach(() => {
  [node, target] = [startFakeNode(), startFakeNode()];
});
afterEach(() => {
  node.stop();
  target.stop();
});

describe("anteroom backup and restore", () => {
  for (const form of ["", "--json"]) {
    test(`bring back every field of every room, events included ${form}`, async () => {
      const made = await backedUp(form);
      expect(made).toMatchObject({ exit: 0, talk: "Backed up 2 rooms. It has no keys and no visitors.\n" });
      const files = { b: made.answer };
      expect(await on(target, "restore b", { files })).toEqual({
        exit: 0,
        answer: "created   shop\ncreated   bar\n",
        talk: "",
      });
      expect([...target.rooms.values()].map(roomDocument)).toEqual([...node.rooms.values()].map(roomDocument));
      expect(target.rooms.get("shop")).toMatchObject({ customPageHtml: PAGE, passGeneration: 7 });
      expect(await on(target, "restore -", { files: { "-": made.answer } })).toMatchObject({
        answer: "unchanged shop\nunchanged bar\n",
      });
    });
  }

  test("a backup has no keys, no token, no id and no order that a node would follow", async () => {
    await backedUp("");
    await on(node, "room hold shop");
    const { answer } = await on(node, "backup");
    expect(answer).not.toMatch(new RegExp(`${TOKEN}|${STATUS.node}|operator_order|\\bid:|created_on`));
    const files = { b: answer };
    expect(await on(target, "restore b", { files })).toMatchObject({
      exit: 0,
      talk: "Room shop had an operator's order since 2026-01-01T12:00:00Z, which is not restored. Give it again: anteroom room hold shop\n",
    });
    const { rooms } = JSON.parse((await on(target, "room list --json")).answer) as { rooms: unknown[] };
    expect(rooms).toMatchObject([{ operator_order: null }, { operator_order: null }]);
  });

  test("a room without events says so, in the file and to the node, so that later ones are removed", async () => {
    const { answer } = await backedUp("--json");
    await on(target, "restore b", { files: { b: answer } });
    expect([...target.rooms.values()].map(({ events }) => events?.length)).toEqual([1, 0]);
    expect(JSON.parse(answer)).toMatchObject({ rooms: [{ events: [{ name: "sale" }] }, { events: [] }] });
  });

  test("it is a rooms file too, and names the rooms that it does not have", async () => {
    const { answer } = await backedUp("");
    await on(target, "room create name=late host=late.example total_active_users=5 new_users_per_minute=5");
    const files = { b: answer };
    expect((await on(target, "room apply b", { files })).answer).toBe("created   shop\ncreated   bar\n");
    expect((await on(target, "restore b", { files })).talk).toBe("Not in the backup, and left as they are: late\n");
    expect(JSON.parse((await on(target, "restore b --json", { files })).answer)).toMatchObject({
      dry_run: false,
      results: [{ name: "shop" }, { name: "bar" }],
      not_in_backup: ["late"],
      orders: [],
    });
  });

  test("a dry run changes nothing, and says so", async () => {
    const { answer } = await backedUp("");
    const tried = await on(target, "restore b --dry-run", { files: { b: answer } });
    expect(tried).toMatchObject({
      exit: 0,
      answer: "room shop: would be created\nroom bar: would be created\n",
      talk: "Nothing was changed.\n",
    });
    expect(target.rooms.size).toBe(0);
  });

  test("a backup that was cut off at any line, or edited, is refused, and nothing is changed", async () => {
    const { answer } = await backedUp("");
    const lines = answer.trimEnd().split("\n");
    const cuts = lines.map((_, at) => lines.slice(0, at).join("\n"));
    const damaged = [...cuts, answer.replace("total_active_users: 5", "total_active_users: 6"), `${answer}x: 1\n`];
    for (const b of damaged) expect((await on(target, "restore b", { files: { b } })).exit).toBe(2);
    expect(target.rooms.size).toBe(0);
    const edited = await on(target, "restore b", { files: { b: damaged.at(-2) ?? "" } });
    expect(edited.talk).toMatch(/b:\d+: backup.sha256 = .*: is not the digest of this file: it was edited or damaged/);
    const whole = await on(target, "restore b", { files: { b: cuts[3] ?? "" } });
    expect(whole.talk).toContain("backup: is missing: the file is cut off, or is no backup");
  });

  test("one of a newer release is refused by its name alone, whatever fields it has", async () => {
    const about = { anteroom: "9.1.0", made: "2031-01-01T00:00:00.000Z", orders: [] };
    const files = { b: backupText(sealed([{ name: "x", field_of_then: 1 }], about), { json: false }) };
    const { exit, talk } = await on(target, "restore b", { files });
    expect(exit).toBe(2);
    expect(talk).toContain(`backup.anteroom = "9.1.0": is a newer release than ${VERSION}`);
    expect(talk).toContain("1 problem: Cannot restore the backup; nothing was changed");
  });

  test("a node of an older release than the backup's does not get it", async () => {
    const { answer } = await backedUp("");
    let calls = "";
    const old = startStranger(({ url }) => {
      calls += new URL(url).pathname;
      return Response.json({ ...STATUS, version: "0.0.9" });
    });
    const { exit, talk } = await on(old, "restore b", { files: { b: answer } });
    old.stop();
    expect([exit, calls]).toEqual([2, "/v1/status"]);
    expect(talk).toContain("is a newer release than 0.0.9");
  });

  test("all problems are told at once, with their lines", async () => {
    const about = { anteroom: VERSION, made: "2026-01-01T00:00:00.000Z", orders: [] };
    const rooms = [{ ...ROOMS[1], total_active_users: 0, events: [{ ...EVENT, event_end_time: "x" }], nmae: 1 }];
    const bad: Backup = sealed(rooms, about);
    const files = { b: backupText({ ...bad, backup: { ...bad.backup, sha256: "0" } }, { json: false }) };
    const { exit, talk } = await on(target, "restore b", { files });
    expect(exit).toBe(2);
    for (const part of ["backup.sha256", "total_active_users = 0", "event_end_time", "nmae"])
      expect(talk).toContain(part);
    expect(talk).toContain("4 problems");
  });

  test("no backup is made that would lack rooms", async () => {
    const notJoined = startStranger(({ url }) =>
      Response.json(url.endsWith("rooms") ? { rooms: [] } : { ...STATUS, view: null }),
    );
    expect(await on(notJoined, "backup")).toMatchObject({
      exit: 1,
      answer: "",
      talk: expect.stringContaining("has not joined its mesh"),
    });
    notJoined.stop();
    const older = startStranger(({ url }) =>
      Response.json(url.endsWith("rooms") ? { rooms: [], unreadable: ["shop"] } : STATUS),
    );
    expect(await on(older, "backup")).toMatchObject({
      exit: 1,
      answer: "",
      talk: expect.stringContaining("cannot read shop"),
    });
    older.stop();
  });

  test("the digest covers the release, the moment, the orders and the rooms", () => {
    const about = { anteroom: VERSION, made: "2026-01-01T00:00:00.000Z", orders: [] };
    const good = sealed(ROOMS, about);
    const order = { room: "shop", order: "hold", since: "2026-01-01T00:00:00.000Z" };
    expect(readSeal(good, VERSION).problems).toEqual([]);
    const changed = [
      { ...good, rooms: [...ROOMS].reverse() },
      { ...good, backup: { ...good.backup, made: "2026-01-02T00:00:00.000Z" } },
      { ...good, backup: { ...good.backup, anteroom: "0.0.1" } },
      { ...good, backup: { ...good.backup, orders: [order] } },
    ];
    for (const each of changed) expect(readSeal(each, VERSION).problems).toHaveLength(1);
    expect(readSeal(parseYaml("rooms: []\nbackup: yes"), VERSION).problems).toHaveLength(1);
  });
});

/** The rooms, created on `node`, and its backup. */
async function backedUp(form: string) {
  for (const room of ROOMS) {
    const files = { r: JSON.stringify(room) };
    expect(await on(node, "room create r", { files })).toMatchObject({ exit: 0 });
  }
  return on(node, `backup ${form}`);
}

async function on({ address }: { readonly address: string }, line: string, options: FakeOptions = {}) {
  return anteroom(`${line} --admin ${address} --token ${TOKEN}`, options);
}
