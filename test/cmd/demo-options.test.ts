import { describe, expect, test } from "vitest";
import { readDemoOptions } from "../../cmd/demo-options.ts";

describe("the demo's options", () => {
  test("mean one gate by default", () => {
    expect(read({})).toMatchObject({ nodes: 1, localities: ["default"], kill: false, limit: 60, listenGiven: false });
  });

  test("kill one of more than two nodes", () => {
    expect(read({ nodes: "5", localities: "sjc, lon,del" })).toMatchObject({
      nodes: 5,
      localities: ["sjc", "lon", "del"],
      kill: true,
    });
    expect(read({ nodes: "2" })).toMatchObject({ kill: false });
  });

  test.each([
    ["nodes", "0", "is below 1"],
    ["nodes", "21", "is above 20"],
    ["minutes", "0", "is not a number above 0, up to 60"],
    ["limit", "many", "is not a whole number"],
    ["localities", "a,the west", 'has an entry "the west" that is not a name'],
    ["localities", "a,b", "has more names than there are nodes: 1"],
  ])("--%s %j %s", (flag, text, problem) => {
    expect(read({ [flag]: text })).toMatchObject([{ path: `--${flag}`, problem }]);
  });
});

function read(given: Readonly<Record<string, string>>) {
  const flags = new Map(Object.entries(given).map(([flag, text]) => [flag, [text]]));
  const options = readDemoOptions({ flags });
  return options.ok ? options.value : options.problems;
}
