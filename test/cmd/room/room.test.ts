import { beforeEach, describe, expect, test } from "vitest";
import { startNode, startStranger, TOKEN } from "../admin-node.ts";
import { anteroom, type FakeOptions } from "../fake-io.ts";

const SHOP = "name=shop host=shop.example.com total_active_users=500 new_users_per_minute=100";

let node: ReturnType<typeof startNode>;
beforeEach(() => {
  node = startNode();
});

const room = (line: string, options?: FakeOptions) => node.run(`room ${line}`, options);
const declared = (name = "shop") => node.world.rooms.byName(name)?.declared;

describe("anteroom room", () => {
  test("create makes a room from fields and says what it is", async () => {
    expect(await room(`create ${SHOP} queueing_status_code=202`)).toEqual({
      exit: 0,
      answer: "Created room shop: shop.example.com/, 500 inside, 100 per minute, fifo.\n",
      talk: "",
    });
    expect(declared()).toMatchObject({ totalActiveUsers: 500, queueingStatusCode: 202 });
  });

  test("create shows the problems that the node finds", async () => {
    await room(`create ${SHOP}`);
    const { exit, talk } = await room(`create ${SHOP.replace("name=shop", "name=other")}`);
    expect(exit).toBe(2);
    expect(talk).toContain("1 problem: Cannot change rooms");
    expect(talk).toContain("is a route of two rooms, shop (room shop) and other");
  });

  test("update takes a page from a file, and the name of a file is no page", async () => {
    await room(`create ${SHOP}`);
    const files = { "brand.html": "<h1>{{position}}</h1>" };
    expect((await room("update shop custom_page_html=@brand.html", { files })).exit).toBe(0);
    expect(declared()?.customPageHtml).toBe("<h1>{{position}}</h1>");
    const missing = await room("update shop custom_page_html=@gone.html", { files });
    expect(missing).toMatchObject({ exit: 2, talk: expect.stringContaining("gone.html: does not exist") });
    const text = `rooms: [{name: a, host: a.example, total_active_users: 5, new_users_per_minute: 5, custom_page_html: "@brand.html"}]`;
    const named = await room("apply a.yaml", { files: { ...files, "a.yaml": text } });
    expect(named).toMatchObject({ exit: 2, talk: expect.stringContaining("is the name of a file, not a page") });
  });

  test("any field comes from a file, and one field of a group can be set alone", async () => {
    await room(`create ${SHOP}`);
    const files = {
      "rules.yaml": "- expression: ip.src in {10.0.0.0/8}\n",
      "message.txt": "Half an hour late.\n",
      "accent.txt": "#0a7d4f\n",
    };
    expect(
      (await room("update shop rules=@rules.yaml page.message=@message.txt page.title=Ours", { files })).exit,
    ).toBe(0);
    expect((await room("update shop page.accent=@accent.txt page.background=#fff", { files })).exit).toBe(0);
    expect(declared()).toMatchObject({
      rules: [{ expression: "ip.src in {10.0.0.0/8}" }],
      page: { message: "Half an hour late.", title: "Ours", accent: "#0a7d4f", background: "#fff" },
    });
    expect((await room('update shop page.texts={"de-DE":{"message":"Gleich"}}')).exit).toBe(0);
    expect(declared()?.page).toMatchObject({ texts: { "de-DE": { message: "Gleich" } }, title: "Ours" });
    expect(await room("update shop page.accent=blue-ish")).toMatchObject({
      exit: 2,
      talk: expect.stringContaining('page.accent = "blue-ish": is not a colour'),
    });
    expect(await room("update shop page={} page.title=x")).toMatchObject({
      exit: 2,
      talk: expect.stringContaining("is given twice"),
    });
    expect((await room("update shop page=")).exit).toBe(0);
    expect(declared()?.page.title).toBe("");
  });

  test("a rooms file names the file of a page, beside it", async () => {
    const text =
      "rooms:\n- {name: a, host: a.example, total_active_users: 5, new_users_per_minute: 5, custom_page_file: FILE}\n";
    const files = (file: string) => ({
      "etc/rooms.yaml": text.replace("FILE", file),
      "etc/pages/a.html": "<h1>{{position}}</h1>",
    });
    expect((await room("apply etc/rooms.yaml", { files: files("pages/a.html") })).exit).toBe(0);
    expect(declared("a")?.customPageHtml).toBe("<h1>{{position}}</h1>");
    for (const [file, problem] of [
      ["gone.html", "custom_page_file: etc/gone.html: does not exist"],
      ["7", "custom_page_file = 7: is not the path of a file"],
      ["pages/a.html, custom_page_html: <p>", "stands beside custom_page_html"],
      ["gone.html, queue_max: 0", "queue_max = 0: is below 1"],
    ] as const) {
      const { exit, talk } = await room("apply etc/rooms.yaml", { files: files(file) });
      expect(exit).toBe(2);
      expect(talk).toContain("etc/rooms.yaml:2: rooms[0].");
      expect(talk.replaceAll(" (room a)", "")).toContain(problem);
    }
    expect(await room("update a custom_page_file=b.html")).toMatchObject({
      exit: 2,
      talk: expect.stringContaining("rooms files may name a file"),
    });
  });

  test("update changes the fields given, by YAML's types, texts as they stand", async () => {
    await room(`create ${SHOP}`);
    const words = ["room", "update", "shop", "total_active_users=800", "queue_all=true", "description=007: a = b"];
    const { exit, answer } = await node.run([...words, "bypass_cidrs=[10.0.0.1]"]);
    expect({ exit, answer }).toEqual({
      exit: 0,
      answer: "Updated room shop: shop.example.com/, 800 inside, 100 per minute, held.\n",
    });
    expect(declared()).toMatchObject({
      totalActiveUsers: 800,
      queueAll: true,
      description: "007: a = b",
      bypassCidrs: ["10.0.0.1/32"],
    });
  });

  test("update takes a text away", async () => {
    await room(`create ${SHOP} cookie_domain=example.com ramp=50/min/50/5`);
    expect((await room("update shop cookie_domain= ramp=")).exit).toBe(0);
    expect(declared()).toMatchObject({ cookieDomain: "", ramp: undefined });
  });

  test("update takes several origins as a list, and says how to make a rollout to them short", async () => {
    await room(`create ${SHOP} origin=http://a.example`);
    const origin = "origin=[{url: http://a.example}, {url: http://b.example, weight: 2}]";
    const { exit, talk } = await node.run(["room", "update", "shop", origin]);
    expect([exit, talk]).toEqual([0, expect.stringContaining("at once: anteroom room rollout shop --now")]);
    expect(declared()?.origin).toEqual([
      { url: "http://a.example", weight: 1 },
      { url: "http://b.example", weight: 2 },
    ]);
  });

  test("update renames, and says from what", async () => {
    await room(`create ${SHOP}`);
    expect((await room("update shop name=store")).answer).toContain("Updated room store (was shop): ");
  });

  test("update reports all words that are not field=value, given twice or not YAML", async () => {
    const { exit, talk } = await room("update shop total_active_users 5 path=/a path=/b bypass_cidrs=[");
    expect(exit).toBe(2);
    expect(talk).toContain("4 problems");
  });

  test("delete says what it did", async () => {
    await room(`create ${SHOP}`);
    expect(await room("delete shop")).toMatchObject({ exit: 0, answer: expect.stringContaining("Deleted room shop") });
    expect(node.world.rooms.all().length).toBe(0);
  });

  test("list shows a table, and talks when there is nothing", async () => {
    expect(await room("list")).toMatchObject({ exit: 0, answer: "", talk: expect.stringContaining("No rooms yet") });
    await room(`create ${SHOP}`);
    expect((await room("list")).answer).toBe(
      [
        "ROOM  ROUTE              INSIDE  PER MINUTE  MODE",
        "shop  shop.example.com/     500         100  fifo",
        "",
      ].join("\n"),
    );
    expect(JSON.parse((await room("list --json")).answer).rooms).toHaveLength(1);
  });

  test("get shows YAML or JSON", async () => {
    await room(`create ${SHOP}`);
    expect((await room("get shop")).answer).toContain("total_active_users: 500\n");
    expect(JSON.parse((await room("get shop --json")).answer)).toMatchObject({ name: "shop", total_active_users: 500 });
  });

  test("get of an unknown room fails in the node's words", async () => {
    expect(await room("get shpo")).toMatchObject({ exit: 1, talk: expect.stringContaining("Cannot find room shpo") });
  });

  test("preview --default prints the built-in page as a template, which preview takes", async () => {
    const { exit, answer } = await anteroom("room preview --default");
    expect([exit, answer.slice(0, 15)]).toEqual([0, "<!doctype html>"]);
    expect(answer).toContain("{{{anteroomScript}}}");
    expect((await room("preview page.html", { files: { "page.html": answer } })).exit).toBe(0);
    expect(await anteroom("room preview")).toMatchObject({ exit: 2, talk: expect.stringContaining("names no file") });
    expect((await anteroom("room preview page.html --default")).exit).toBe(2);
  });

  test("preview prints the page, and names the problem of a template that does not parse", async () => {
    const files = { "page.html": "<b>{{waitTime}}</b>", "bad.html": "\n{{#a}}" };
    expect((await room("preview page.html", { files })).answer).toBe("<b>4</b>\n");
    expect(await room("preview bad.html", { files })).toMatchObject({
      exit: 2,
      talk: expect.stringContaining("line 2"),
    });
  });
});

describe("the buttons", () => {
  beforeEach(async () => void (await room(`create ${SHOP}`)));

  test("hold says what could lift it, leaves the document as it is, and resume undoes it", async () => {
    const { answer, talk } = await room("hold shop");
    expect(answer).toContain("Room shop holds all new visitors");
    expect(talk).toContain("Only anteroom room resume shop or room open shop, on any node, lifts this");
    expect(talk).toContain(`Undo: anteroom room resume shop --admin ${node.address}\n`);
    expect(declared()).toMatchObject({ queueAll: false });
    expect((await room("get shop")).answer).toMatch(/queue_all: false[\s\S]*operator_order:\n +order: hold\n +since: /);
    expect((await room("list")).answer).toContain("held by an operator since 2026-09-11 11:45 UTC");
    expect((await room("export")).answer).not.toContain("operator_order");
    expect((await room("resume shop")).answer).toContain("keeps its limits");
    expect((await room("list")).answer).toContain("fifo");
  });

  test("open lets all in, whatever was before, and the undo brings that back", async () => {
    await room("hold shop");
    const { answer, talk } = await room("open shop");
    expect(answer).toContain("Room shop admits every visitor");
    expect(talk).toContain("Undo: anteroom room hold shop");
    expect((await room("list")).answer).toContain("opened by an operator since 2026-09-11 11:45 UTC");
  });

  test("hold --sold-out closes the room, and the undo of what comes after brings that back", async () => {
    const { answer, talk } = await room("hold shop --sold-out");
    expect(answer).toContain("Room shop is closed as sold out");
    expect(talk).toContain("Undo: anteroom room resume shop");
    expect((await room("list")).answer).toContain("closed as sold out since 2026-09-11 11:45 UTC");
    expect((await room("open shop")).talk).toContain("Undo: anteroom room hold shop --sold-out");
  });

  test.each([
    ["queue_all=true", "queue_all is true, and it holds all new visitors", "room update shop queue_all=false"],
    ["suspended=true", "it is suspended", "room update shop suspended=false"],
    ["queueing_method=reject", "queueing_method is reject", "room update shop queueing_method=fifo"],
  ])("resume lifts the order and nothing else: %s stays, and says so", async (field, text, repair) => {
    await room(`update shop ${field}`);
    await room("hold shop");
    const { answer } = await room("resume shop");
    expect(answer).toContain(text);
    expect(answer).toContain(repair);
  });

  test("pressed twice, they say so", async () => {
    await room("hold shop");
    expect((await room("hold shop")).talk).toContain("Nothing changed: this was its state already.\n");
  });
});

describe("without a node that answers", () => {
  test("the address and the way to start one are named", async () => {
    node.stop();
    const { exit, talk } = await room("list");
    expect(exit).toBe(1);
    expect(talk).toContain(`nothing answers at http://${node.address}`);
    expect(talk).toContain("anteroom serve");
  });

  test("a missing token file is named, with the ways to give a token", async () => {
    const { exit, talk } = await anteroom(`room list --admin ${node.address} --data /var/lib/anteroom`);
    expect(exit).toBe(1);
    expect(talk).toContain("there is no /var/lib/anteroom/admin.token");
    expect(talk).toMatch(/--data DIR.*--token.*ANTEROOM_TOKEN/);
  });

  test("a refused token is named as such, and never shown", async () => {
    const { exit, talk } = await anteroom(`room list --admin ${node.address} --token hunter2`);
    expect(exit).toBe(1);
    expect(talk).toContain("refuses the token");
    expect(talk).not.toContain("hunter2");
  });

  test.each([
    ["no JSON", () => new Response("<h1>Hi</h1>"), "not JSON"],
    ["JSON of its own", () => Response.json({ hello: "world" }), "not from an anteroom node"],
  ])("a stranger at the address that answers %s is not taken for a node", async (_, answer, text) => {
    const stranger = startStranger(answer);
    for (const line of ["room list", "room get a", "status"])
      expect(await stranger.run(line)).toMatchObject({ exit: 1, talk: expect.stringContaining(text) });
  });

  test("an address that is none is a wrong usage", async () => {
    expect((await anteroom(`room list --admin nowhere --token ${TOKEN}`)).exit).toBe(2);
  });
});

test("token and address come from the environment and from the data directory too", async () => {
  const environment = { ANTEROOM_ADMIN: node.address, ANTEROOM_DATA: "data" };
  const files = { "data/admin.token": `${TOKEN}\n` };
  expect((await anteroom("room list --json", { environment, files })).answer).toBe('{"rooms":[]}\n');
});
