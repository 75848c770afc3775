import { describe, expect, test } from "vitest";
import { placed } from "../../../node/config/yaml-places.ts";

const FILE = `# rooms of the shop
rooms:
  - name: shop
    host: a.example
    page:
      message: Hello
    additional_routes:
      - host: b.example
        path: /x
  - &base
    name: tickets
    events:
      - name: sale
  - host: c.example
  - *base
`;

function lineAndRoom(path: string, text = FILE) {
  const [problem] = placed([{ path, problem: "is wrong", repair: "mend it" }], text);
  return [problem?.line, problem?.room];
}

describe("a problem of a rooms file", () => {
  test.each([
    ["rooms[0].host", 4, "shop"],
    ["rooms[0].page.message", 6, "shop"],
    ["rooms[0].page.mesage", 5, "shop"],
    ["rooms[0].additional_routes[0].path", 9, "shop"],
    ["rooms[0].total_active_users", 3, "shop"],
    ["rooms[0].custom_page_file: page.html", 3, "shop"],
    ["rooms[1].events[0].name", 13, "tickets"],
    ["rooms[2].host", 14, undefined],
    ["rooms[3].name", 15, undefined],
    ["room tickets.name", 11, "tickets"],
    ["room shop", 3, "shop"],
    ["rooms", 2, undefined],
    ["room gone", undefined, undefined],
    ["", undefined, undefined],
    ["line 13, column 5", 13, "tickets"],
  ])("at %s is in line %s, room %s", (path, line, room) => {
    expect(lineAndRoom(path)).toEqual([line, room]);
  });

  test("has its line in JSON, too, and in a file with one room", () => {
    expect(lineAndRoom("rooms[0].path", '{"rooms": [\n{"name": "a",\n"path": 7}]}')).toEqual([3, "a"]);
    expect(lineAndRoom("path", "name: a\nhost: b\npath: 7\n")).toEqual([3, "a"]);
    expect(lineAndRoom("origin", "name: a\nhost: b\n")).toEqual([1, "a"]);
  });

  test("is found by the name of a room in a namespace", () => {
    const text = "rooms:\n- name: a:shop\n  path: /a\n- name: b:shop\n  path: /b\n";
    expect(lineAndRoom("room b:shop.path", text)).toEqual([5, "b:shop"]);
  });

  test("has none where the parser gives up", () => {
    expect(lineAndRoom("rooms[0].host", "a: *gone")).toEqual([1, undefined]);
    expect(lineAndRoom("rooms[0].host", "[".repeat(200_000))[1]).toBeUndefined();
  });

  test("has the line of its room where a merge key brings the value", () => {
    const text = "x-common: &common\n  queue_max: 0\nrooms:\n  - <<: *common\n    name: a\n    host: b\n";
    expect(lineAndRoom("rooms[0].queue_max", text)).toEqual([4, "a"]);
    expect(lineAndRoom("rooms[0].host", text)).toEqual([6, "a"]);
  });

  test("comes in the order of the file's lines, whatever was checked first", () => {
    const paths = ["rooms[1].host", "rooms[0].page.message", "", "rooms[0].host"];
    const problems = paths.map((path) => ({ path, problem: "is wrong", repair: "mend it" }));
    expect(placed(problems, FILE).map(({ line }) => line)).toEqual([undefined, 4, 6, 11]);
  });
});
