import { readdirSync } from "node:fs";
import { expect, test } from "vitest";
import { Anteroom, temporaryDirectory, until } from "./process.ts";
import { Visitor } from "./visitor.ts";

test.concurrent("a visitor who opens the page when the demo says so is in line, then in the shop, and is still there after a reload", async () => {
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
  await until(async () => (await isInside(visitor)) && (await stays(visitor)));
  const { code, stdout } = await demo.end("SIGINT");
  expect([code, stdout]).toEqual([0, expect.stringContaining("within the limit, counted by the shop")]);
});

test.concurrent.each([
  ["demo", ["--listen", "127.0.0.1:0"], "anteroom-demo-"],
  ["chaos", ["--nodes", "3"], "anteroom-chaos-"],
])("%s: Ctrl-C during the start leaves nothing behind", async (command, flags, prefix) => {
  const temporary = temporaryDirectory();
  const folders = () => readdirSync(temporary).filter((name) => name.startsWith(prefix));
  // On a busy machine the start may be over by the time that the folder is seen.
  for (let tries = 0, isCaught = false; !isCaught; tries++) {
    expect(tries).toBeLessThan(10);
    const run = new Anteroom([command, ...flags, "--json"], undefined, { temporary });
    await until(() => folders().length > 0);
    const { code, stdout, stderr } = await run.end("SIGINT");
    isCaught = stderr.includes("The run was ended before the nodes were one mesh");
    if (isCaught) expect([code, stdout]).toEqual([1, ""]);
    expect(folders()).toEqual([]);
  }
});

async function isInside(visitor: Visitor): Promise<boolean> {
  return (await page(visitor)).includes("The spring drop");
}

/**
 * Whether a page that stays open extends its session, and the visitor is still inside after a reload: with each minute
 * comes another cookie. On a busy machine a session of a minute may be over before the next request.
 */
async function stays(visitor: Visitor): Promise<boolean> {
  const cookies = new Set<string>();
  let status = 0;
  await until(async () => {
    ({ status } = await visitor.post("/stay"));
    return status !== 204 || cookies.add(visitor.cookie).size === 3;
  });
  return status === 204 && isInside(visitor);
}

async function page(visitor: Visitor): Promise<string> {
  return (await visitor.get("/", { accept: "text/html" })).text;
}
