import { readdirSync } from "node:fs";
import { expect, test } from "vitest";
import { Anteroom, temporaryDirectory, until } from "./process.ts";
import { Visitor } from "./visitor.ts";

/** They run for as long as they are told to: side by side. */
const sideBySide = test.concurrent;

sideBySide("the demo of a mesh kills a node half way, and the shop counts no visitor too many", async () => {
  const short = ["--minutes", "0.3", "--minute-ms", "4000", "--limit", "10", "--per-minute", "5", "--rate", "5"];
  const nodes = ["--nodes", "3", "--localities", "sjc,lon", "--listen", "127.0.0.1:0"];
  const { code, stdout, stderr } = await new Anteroom(["demo", ...short, ...nodes, "--json"]).finished;
  const summary = JSON.parse(stdout);
  expect([code, summary]).toEqual([0, expect.objectContaining({ never_over: true, nodes: 3, failed: 0 })]);
  expect(stderr).toContain("3 nodes in sjc, lon");
  expect(stderr).toContain("kill -9: node ");
  expect(summary.killed).toContain("node ");
  expect(summary.straight_in + summary.waited).toBeGreaterThan(0);
});

sideBySide(
  "a visitor who opens the page when the demo says so is in line, then in the shop, and is still there after a reload",
  async () => {
    // It goes on for as long as this takes, and Ctrl-C ends it.
    const few = ["--minutes", "10", "--minute-ms", "6000", "--limit", "20", "--per-minute", "8", "--rate", "4"];
    const demo = new Anteroom(["demo", ...few, "--listen", "127.0.0.1:0"]);
    const invitation = /Now open (\S+) in a browser: \d+ visitors are in line before you/;
    await until(() => invitation.test(demo.answer));
    expect(demo.answer).toContain("The demo ends by itself, after 10 min at most");
    const gate = invitation.exec(demo.answer)?.[1] ?? "";
    const visitor = new Visitor(gate, "guest");
    // A gate whose timers are late asks new visitors to come back.
    await until(async () => (await page(visitor)).includes("You are in line"));
    await until(async () => (await page(visitor)).includes("The spring drop"));
    // A page that stays open extends its session: with each minute comes another cookie.
    const cookies = new Set<string>();
    await until(async () => {
      const { status, text } = await visitor.post("/stay");
      expect([status, text]).toEqual([204, ""]);
      return cookies.add(visitor.cookie).size === 3;
    });
    expect(await page(visitor)).toContain("The spring drop");
    const { code, stdout } = await demo.end("SIGINT");
    expect([code, stdout]).toEqual([0, expect.stringContaining("within the limit, counted by the shop")]);
  },
);

sideBySide.each([
  ["demo", ["--listen", "127.0.0.1:0"], "anteroom-demo-"],
  ["chaos", ["--nodes", "3"], "anteroom-chaos-"],
])("%s: Ctrl-C during the start leaves nothing behind", async (command, flags, prefix) => {
  const temporary = temporaryDirectory();
  const folders = () => readdirSync(temporary).filter((name) => name.startsWith(prefix));
  const run = new Anteroom([command, ...flags, "--json"], undefined, { temporary });
  await until(() => folders().length > 0);
  const { code, stdout, stderr } = await run.end("SIGINT");
  expect(stderr).toContain("The run was ended before the nodes were one mesh");
  expect([code, stdout, folders()]).toEqual([1, "", []]);
});

async function page(visitor: Visitor): Promise<string> {
  return (await visitor.get("/", { accept: "text/html" })).text;
}
