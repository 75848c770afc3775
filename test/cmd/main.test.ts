import { describe, expect, test } from "vitest";
import { COMMANDS } from "../../cmd/commands.ts";
import manifest from "../../package.json" with { type: "json" };
import lock from "../../package-lock.json" with { type: "json" };
import { anteroom } from "./fake-io.ts";

describe("help", () => {
  test.each(COMMANDS.flatMap(({ name, notes = [] }) => notes.map((note) => [name, note])))(
    "%s: a paragraph ends with its sentence: %s",
    (_name, note) => expect(note.at(-1)).toBe("."),
  );

  test.each(["--help", "-h", "help"])("%s lists all commands", async (line) => {
    const { exit, answer, talk } = await anteroom(line);
    expect({ exit, talk }).toEqual({ exit: 0, talk: "" });
    for (const { name, summary } of COMMANDS) expect(answer).toContain(`  ${name.padEnd(14)}  ${summary}`);
  });

  test.each(COMMANDS.map(({ name }) => name))(
    "of %s shows usage, flags with defaults, and an example",
    async (name) => {
      const { exit, answer } = await anteroom(`${name} --help`);
      expect(exit).toBe(0);
      expect(answer).toContain(`Usage: anteroom ${name}`);
      expect(answer).toMatch(/Examples?:\n {2}anteroom /);
      expect(answer).toEqual((await anteroom(`help ${name}`)).answer);
    },
  );

  test("fits into 80 columns, apart from examples", async () => {
    for (const line of ["--help", "room --help", ...COMMANDS.map(({ name }) => `${name} --help`)]) {
      const [text = ""] = (await anteroom(line)).answer.split(/Examples?:/);
      for (const each of text.split("\n")) expect(each.length).toBeLessThanOrEqual(80);
    }
  });

  test("wins over any other problem", async () => {
    expect((await anteroom("room get --nonsense --help")).exit).toBe(0);
  });

  test("of a group lists its commands", async () => {
    expect((await anteroom("room --help")).answer).toContain("room hold");
    expect((await anteroom("room --help")).answer).not.toContain("serve");
  });
});

describe("wrong usage", () => {
  test.each([
    ["", "Usage: anteroom COMMAND"],
    ["room", "Usage: anteroom room COMMAND"],
    ["sevre", "did you mean serve?"],
    ["room hodl shop", "did you mean hold?"],
    ["frobnicate", `known are ${[...new Set(COMMANDS.map(({ name }) => name.split(" ")[0]))].join(", ")}`],
    ["--verbose", "--verbose is not a command"],
    ["room get", "NAME: is missing"],
    ["room update shop", "field=value…: is missing"],
    ["room get a b", "b: is an argument too many"],
    ["leave --json", "--json: is not a known flag"],
  ])("%j is talked about, exit 2", async (line, text) => {
    const { exit, answer, talk } = await anteroom(line);
    expect({ exit, answer }).toEqual({ exit: 2, answer: "" });
    expect(talk).toContain(text);
  });

  test("all of it is reported at once", async () => {
    const { talk } = await anteroom("room get --jsno --admin --token=x extra more");
    expect(talk).toContain("3 problems: cannot run anteroom room get");
    for (const text of ["did you mean --json?", "--admin: has no value", "more: is an argument too many"]) {
      expect(talk).toContain(text);
    }
  });
});

test("--licenses shows anteroom's own, and one for each package that is needed to run", async () => {
  const { answer, exit } = await anteroom("--licenses");
  expect(exit).toBe(0);
  expect(answer).toMatch(/^anteroom\n\nMIT License/);
  const named = new Set(Array.from(answer.matchAll(/^(\S+) \d\S* \(\S.*\)$/gm), ([, name]) => name));
  expect([...named]).toEqual(expect.arrayContaining(Object.keys(manifest.dependencies)));
  const packages: ReadonlyMap<string, { readonly version?: string; readonly dev?: boolean }> = new Map(
    Object.entries(lock.packages),
  );
  const forTests = Object.keys(manifest.devDependencies).filter((name) => packages.get(`node_modules/${name}`)?.dev);
  expect(forTests.filter((name) => named.has(name))).toEqual([]);
});

test("--version shows the version", async () => {
  expect((await anteroom("--version")).answer).toMatch(/^anteroom \d+\.\d+\.\d+ \(Bun .*\)\n$/);
});
