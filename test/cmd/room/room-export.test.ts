import { beforeEach, describe, expect, test } from "vitest";
import { roomDocument } from "../../../node/config/room-document.ts";
import { STATUS, startNode, startStranger, TOKEN } from "../admin-node.ts";

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

let node: ReturnType<typeof startNode>;
let target: ReturnType<typeof startNode>;
beforeEach(() => {
  [node, target] = [startNode(), startNode()];
});

describe("anteroom room export", () => {
  for (const form of ["", "--json"]) {
    test(`and apply bring back every field of every room, events included ${form}`, async () => {
      const { exit, answer, talk } = await exported(form);
      expect([exit, talk]).toEqual([0, ""]);
      const files = { r: answer };
      expect(await target.run("room apply r", { files })).toEqual({
        exit: 0,
        answer: "created   shop\ncreated   bar\n",
        talk: "",
      });
      expect(documentsOf(target)).toEqual(documentsOf(node));
      expect(target.world.rooms.byName("shop")?.declared).toMatchObject({ customPageHtml: PAGE, passGeneration: 7 });
      expect(await target.run("room apply -", { files: { "-": answer } })).toMatchObject({
        answer: "unchanged shop\nunchanged bar\n",
      });
      await target.run("room update bar total_active_users=9");
      expect((await target.run("room apply r", { files })).answer).toBe("unchanged shop\nupdated   bar\n");
    });
  }

  test("has no keys, no token, no id and no order that a node would follow", async () => {
    await exported("");
    await node.run("room hold shop");
    const { answer } = await node.run("room export");
    expect(answer).not.toMatch(
      new RegExp(`${TOKEN}|${node.world.peer.roomNode.self}|operator_order|\\bid:|created_on`),
    );
    expect(await target.run("room apply r", { files: { r: answer } })).toMatchObject({ exit: 0, talk: "" });
    const { rooms } = JSON.parse((await target.run("room list --json")).answer) as { rooms: unknown[] };
    expect(rooms).toMatchObject([{ operator_order: null }, { operator_order: null }]);
  });

  test("says of a room without events that it has none, in the file and to the node", async () => {
    const { answer } = await exported("--json");
    await target.run("room apply r", { files: { r: answer } });
    expect(target.world.rooms.all().map(({ declared: { events } }) => events?.length)).toEqual([1, 0]);
    expect(JSON.parse(answer)).toMatchObject({ rooms: [{ events: [{ name: "sale" }] }, { events: [] }] });
  });

  test("in JSON that was cut off anywhere is refused, and nothing is changed", async () => {
    const lines = (await exported("--json")).answer.trimEnd().split("\n");
    const cuts = lines.map((_, at) => lines.slice(0, at).join("\n"));
    for (const r of cuts) expect((await target.run("room apply r", { files: { r } })).exit).toBe(2);
    expect(target.world.rooms.all().length).toBe(0);
  });

  test("is refused where the file would lack rooms", async () => {
    const notJoined = startStranger(({ url }) =>
      Response.json(url.endsWith("rooms") ? { rooms: [] } : { ...STATUS, view: null }),
    );
    expect(await notJoined.run("room export")).toMatchObject({
      exit: 1,
      answer: "",
      talk: expect.stringContaining("has not joined its mesh"),
    });
    const older = startStranger(({ url }) =>
      Response.json(url.endsWith("rooms") ? { rooms: [], unreadable: ["shop"] } : STATUS),
    );
    expect(await older.run("room export")).toMatchObject({
      exit: 1,
      answer: "",
      talk: expect.stringContaining("cannot read shop"),
    });
  });
});

/** The rooms, created on `node`, and its export. */
async function exported(form: string) {
  const files = { r: JSON.stringify({ rooms: ROOMS }) };
  expect(await node.run("room apply r", { files })).toMatchObject({ exit: 0 });
  return node.run(`room export ${form}`);
}

function documentsOf({ world }: ReturnType<typeof startNode>) {
  return world.rooms.all().map(({ declared }) => roomDocument(declared));
}
