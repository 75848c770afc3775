import { spawnSync } from "node:child_process";
import { closeSync, constants, openSync, readSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Anteroom, endLater, freePort, Origin, serveArguments, temporaryDirectory, until } from "./process.ts";

const LOGS = ["--access-log", "--access-log-format", "combined"];

/** A node both of whose outputs go to `output`; its gate and its admin address. */
async function serve(output: number) {
  const origin = await Origin.start();
  const [listen, admin] = [`127.0.0.1:${freePort()}`, `127.0.0.1:${freePort()}`];
  const choice = { origin: origin.url, listen, admin, flags: LOGS };
  const args = serveArguments(choice, join(temporaryDirectory(), "data"), "");
  const process = new Anteroom(args, undefined, { outputs: output });
  await until(async () => !process.isRunning || (await isUp(admin)));
  return { process, gate: `http://${listen}`, admin };
}

function isUp(admin: string): Promise<boolean> {
  return fetch(`http://${admin}/readyz`).then(
    ({ ok }) => ok,
    () => false,
  );
}

/** Lines that were lost, of all streams and workers. */
async function dropped(admin: string): Promise<number> {
  const text = await (await fetch(`http://${admin}/metrics`)).text();
  const samples = text.match(/^anteroom_log_lines_dropped_total\{.*$/gm) ?? [];
  return samples.reduce((sum, sample) => sum + Number(sample.split(" ").at(-1)), 0);
}

test("a reader of both logs who goes away ends no node, and one who comes gets new lines", async () => {
  const pipe = join(temporaryDirectory(), "pipe");
  expect(spawnSync("mkfifo", [pipe]).status).toBe(0);
  const reading = constants.O_RDONLY | constants.O_NONBLOCK;
  const first = openSync(pipe, reading);
  const output = openSync(pipe, "w");
  const { process, gate, admin } = await serve(output);
  closeSync(output);
  closeSync(first);
  expect(await (await fetch(gate)).text()).toBe("hello");
  await until(async () => (await dropped(admin)) > 0);
  const second = openSync(pipe, reading);
  endLater(() => closeSync(second));
  let text = "";
  await until(async () => {
    expect(await (await fetch(`${gate}/again`)).text()).toBe("hello");
    text += readNow(second);
    return text.includes("GET /again") && text.includes("lines are written again");
  });
  expect(process.isRunning).toBe(true);
});

/** What is in a pipe now. */
function readNow(file: number): string {
  const bytes = Buffer.alloc(65_536);
  try {
    return bytes.toString("utf8", 0, readSync(file, bytes));
  } catch (error) {
    // Nothing is there yet.
    if ((error as NodeJS.ErrnoException).code === "EAGAIN") return "";
    throw error;
  }
}
