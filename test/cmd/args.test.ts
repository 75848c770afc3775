import { describe, expect, test } from "vitest";
import { parseArguments } from "../../cmd/args.ts";
import type { Option } from "../../cmd/command.ts";

const OPTIONS: readonly Option[] = [
  { flag: "listen", placeholder: "ADDR", help: "" },
  { flag: "proxy", placeholder: "CIDR", help: "", repeatable: true },
  { flag: "json", help: "" },
];

describe("arguments", () => {
  test.each([
    ["--listen :80", { listen: [":80"] }, []],
    ["--listen=:80 a", { listen: [":80"] }, ["a"]],
    ["--listen=a=b", { listen: ["a=b"] }, []],
    ["--listen -5 -", { listen: ["-5"] }, ["-"]],
    ["--json x", { json: ["true"] }, ["x"]],
    ["--json=false", { json: ["false"] }, []],
    ["--proxy a --proxy b", { proxy: ["a", "b"] }, []],
    ["-listen :80 -55", { listen: [":80"] }, ["-55"]],
    ["a -- --json -b", {}, ["a", "--json", "-b"]],
  ])("%s", (line, flags, positionals) => {
    const parsed = parse(line);
    expect(Object.fromEntries(parsed.flags)).toEqual(flags);
    expect(parsed.positionals).toEqual(positionals);
    expect(parsed.problems).toEqual([]);
  });

  test.each([
    ["--lisen :80", "--lisen", "is not a known flag", "did you mean --listen?"],
    ["--port=80", "--port", "is not a known flag", "anteroom x --help lists the flags"],
    ["-l", "-l", "is not a known flag", "anteroom x --help lists the flags"],
    ["--listen", "--listen", "has no value", "write --listen ADDR"],
    ["--listen --json", "--listen", "has no value", "write --listen ADDR"],
    ["--listen --", "--listen", "has no value", "write --listen ADDR"],
    ["--listen a --listen b", "--listen", "is given twice, first as a", "give it once"],
    ["--json=yes", "--json", "is a switch", "write --json or --json=false"],
  ])("%s: one problem", (line, path, problem, repair) => {
    expect(parse(line).problems).toMatchObject([{ path, problem, repair }]);
    expect(parse(line).positionals).toEqual([]);
  });
});

function parse(line: string) {
  return parseArguments(line.split(" "), OPTIONS, "anteroom x");
}
