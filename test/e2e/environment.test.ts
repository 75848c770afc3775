/** What variables of the environment that are not anteroom's may do to a node, and what not. */

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, inject, test } from "vitest";
import { Anteroom, Origin, TestNode, temporaryDirectory, until } from "./process.ts";

const ROOM = { name: "shop", host: "*", total_active_users: 5, new_users_per_minute: 5 };

test("a proxy gets what goes to other hosts, and nothing for this one", async () => {
  const proxy = await Origin.start();
  const [origin, collector, receiver] = [await Origin.start(), await Origin.start(), await Origin.start()];
  const names = ["HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "ALL_PROXY"];
  const environment = { ...Object.fromEntries(names.map((name) => [name, proxy.url])), NO_PROXY: "direct.invalid" };
  const flags = ["--otlp-endpoint", collector.url, "--otlp-sample", "1"];
  const node = await TestNode.start({ origin: origin.url, rooms: [ROOM], flags, environment });
  expect(await (await fetch(node.gate)).text()).toBe("hello");
  await until(() => collector.requests.length > 0);
  const health = new Anteroom(["doctor", "--ready", "--admin", node.admin], undefined, { environment });
  expect(await health.finished).toMatchObject({ code: 0 });

  const tested = async (url: string): Promise<string> => {
    const made = await node.run(["webhook", "create", "name=one", `url=${url}`, "types=[]"]);
    const [id = ""] = /wh_\w+/.exec(made.stderr) ?? [made.stderr];
    return (await node.run(["webhook", "test", id])).stdout;
  };
  expect(await tested(`${receiver.url}/hook`)).toMatch(/^The receiver took the notice within \d+ ms\.\n$/);
  expect(await tested("http://direct.invalid/hook")).not.toContain("proxy");
  expect(proxy.requests).toEqual([]);
  expect(await tested("http://far.invalid/hook")).toMatch(
    new RegExp(`within \\d+ ms, by the proxy ${proxy.url}\\.\n$`),
  );
  expect(proxy.requests).toMatchObject([{ target: "http://far.invalid/hook" }]);
});

test("no variable makes the binary run something else", async () => {
  const folder = temporaryDirectory();
  const [code, mark] = [join(folder, "code.cjs"), join(folder, "mark")];
  writeFileSync(code, `require("node:fs").writeFileSync(${JSON.stringify(mark)}, "ran");`);
  for (const environment of [
    ...["NODE_OPTIONS", "BUN_OPTIONS"].flatMap((name) =>
      [`--require ${code}`, `-r ${code}`, `--preload ${code}`, `--preload=${code}`, `--import ${code}`].map(
        (value) => ({
          [name]: value,
        }),
      ),
    ),
    { NODE_OPTIONS: `--require ${code}`, BUN_OPTIONS: "--smol" },
    { BUN_INSPECT_PRELOAD: code, BUN_INSPECT: "127.0.0.1:0" },
    { BUN_BE_BUN: "1" },
  ]) {
    const { stdout } = await new Anteroom(["--version"], undefined, { environment }).finished;
    expect(stdout, JSON.stringify(environment)).toMatch(/^anteroom \d/);
    expect(existsSync(mark), JSON.stringify(environment)).toBe(false);
  }
});

test("the binary does not say in which folder it was built", () => {
  expect(readFileSync(inject("binary")).includes(resolve(import.meta.dirname, "../.."))).toBe(false);
});
