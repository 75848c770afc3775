import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { CONTESTED, type Routed, RouteTable } from "../../../node/rooms/match.ts";

const HOST = "site.example";

/** Ways of writing `/shop`, or something below it, that one origin or another reads so, and that some client sends. */
const DISGUISES = [
  ...["/shop", "/shop/", "/shop/item", "/shop?x=1", "/SHOP", "/ShOp/Item"],
  // Encoded, once or more often.
  ...["/%73hop", "/%73%68%6f%70", "/%53HOP", "/%2573hop", "/%252573hop", "/%%73hop"],
  // Slashes, and what is read as one.
  ...["//shop", "///shop//item", "/shop%2fitem", "/shop%2Fitem", "/shop%252fitem", "/shop\\item", "/shop%5citem"],
  ...["//site.example/shop", "//x/shop/item"],
  // Path parameters, queries and fragments.
  ...["/;/shop", "/shop;x=1", "/shop;x=1/item", "/shop;/item", "/shop%3bx=1", "/shop%3fx", "/shop%23x"],
  // Dots and blanks at an end.
  ...["/shop.", "/shop...", "/shop./item", "/shop%20", "/shop%20%20.%20", "/%20shop", "/shop%c2%a0", "/shop%2e"],
  ...[`/shop${"%20".repeat(2_000)}`, "/shop%20/item"],
  // What no encoding is, and letters that look like others.
  ...["/sh%E2%80%8Bop", "/sh%ffop", "/shop%", "/shop%4", "/%zzshop", "/%shop", "/shop%/x", "/shop%zz/x", "/shop%?x=1"],
  ...["/%EF%BD%93hop", "/%C5%BFhop"],
];

/** What no browser sends, and origins read in ways of their own. */
const REFUSED = [
  // Dot segments.
  ...["/./shop", "/%2e/shop", "/shop/.", "/x/../shop", "/x/%2e%2e/shop", "/x/%2E./shop", "/x/..%2fshop", "/shop/.."],
  ...["/x%2f..%2fshop", "/x%252f..%252fshop", "/x/y/../../shop", "/../shop", "/..;/shop", "/x/..;a=b/shop", "/..."],
  ...["/x/..%5cshop", "/x\\..\\shop", "/x%5cb/../shop/", "/x\\b/../shop/", "/x/..;%0a/shop", "/./shop//../x.txt"],
  ...["/x/..%20/shop", "/x/.%E2%80%8B./shop", "/.%ff./shop"],
  // Hosts and slashes.
  ...["/%5cshop", "/\\shop", "\\\\shop", "\\\\x/%73hop", "/\\x\\shop", "/%2fx/shop", "//x%2fy/shop"],
  ...["/x;y%2fz/shop", "/x%3by%5cz/shop"],
  // Control characters.
  ...["/shop%00", "/shop%00.png", "/shop%2500", "/shop%0a", "/shop;%0a", "/shop%09/item", "/shop%7f"],
  // Encodings of encodings, and overlong ones.
  ...["/%u0073hop", "/%25u0073hop", "/%?3/../shop", "/%4?/../shop", "/%/../shop", "/%%32%65%2e/shop", "/%.%./shop"],
  ...["/%2525252573hop", "/%c0%af/shop", "/x%c0%afshop", "/%e0%80%afshop", "/%f0%80%80%afshop", "/%c1%9cshop"],
];

/** Paths as browsers send them, none of them in the room. */
const OTHERS = [
  ...["/", "/shopping", "/shop-2", "/shop_", "/shop.html", "/shop.json/x", "/myshop", "/x/shop", "/x?/shop", "/sho"],
  ...["/?path=/shop", "/s/hop", "/x;/shop", "/x%2fshop", "/shop%70ing", "/sh%6fpping/..foo", "/x%3f/shop", "/a//b"],
  ...["/.well-known/security.txt", "/x/a%2Fb", "/wiki/Was%3F/shop", "/page-50%-off", "/50%", "/50%?a=b&c=/shop"],
  ...["/100%/shopping", "/a%b/50%%-c", "/caf%C3%A9/%E2%9C%93", "/%E5%95%86%E5%BA%97/%E4%B8%80%20%E4%BA%8C"],
  ...["/gr%FC%DFe", "/100%25", "/a+b/c%20d", "/x;jsessionid=1A2B", "/@!$&'()*+,=:~[]|^"],
];

describe("a room on a path", () => {
  const table = tableOf({ host: HOST, path: "/shop", value: "shop" });

  test.each(DISGUISES)("is found for %j", (target) => expect(table.find(HOST, target)).toBe("shop"));

  test.each(REFUSED)("is neither passed nor found by %j", (target) => expect(table.find(HOST, target)).toBe(CONTESTED));

  test.each(OTHERS)("is not found for %j", (target) => expect(table.find(HOST, target)).toBeUndefined());

  test("has the same requests whatever their query is", () => {
    const rest = fc.string({ unit: fc.constantFrom("?", "/", "shop", "a", "=", "%3f", "..") });
    fc.assert(
      fc.property(fc.constantFrom("/shop", "/shop/item", "/", "/x"), rest, (path, query) => {
        expect(table.find(HOST, `${path}?${query}`)).toBe(table.find(HOST, path));
      }),
    );
  });

  test("is found however its own path is written: in capitals, with a slash at the end", () => {
    for (const path of ["/SHOP", "/shop/", "/Shop/"]) {
      const written = tableOf({ host: HOST, path, value: "shop" });
      expect(DISGUISES.filter((target) => written.find(HOST, target) !== "shop")).toEqual([]);
      expect(OTHERS.filter((target) => written.find(HOST, target) !== undefined)).toEqual([]);
    }
  });

  test("may be written in any script, its requests in UTF-8", () => {
    const written = tableOf({ host: HOST, path: "/Läden", value: "shop" });
    expect(written.find(HOST, "/l%C3%A4den/x")).toBe("shop");
    expect(written.find(HOST, "/l\u00c3\u00a4den/x")).toBe("shop");
    expect(written.find(HOST, "/laden")).toBeUndefined();
  });
});

describe("of several rooms", () => {
  const table = tableOf(
    { host: "*", path: "/", value: "everything" },
    { host: HOST, path: "/", value: "site" },
    { host: HOST, path: "/shop", value: "shop" },
    { host: HOST, path: "/shop/vip", value: "vip" },
    { host: "*", path: "/shop/vip/lounge", value: "lounge" },
  );

  test.each([
    [HOST, "/", "site"],
    [HOST, "/shop", "shop"],
    [HOST, "/shop/vi", "shop"],
    [HOST, "/shop/vip/x", "vip"],
    [HOST, "/shop/vip/A%2fB", "vip"],
    [HOST, "/shop/a%2fb", "shop"],
    [HOST, "/shop/vip/x;y=1//z", "vip"],
    [HOST, "/shopping", "site"],
    ["other.example", "/shop", "everything"],
    ["other.example", "/shop/vip/lounge", "lounge"],
  ])("%s%s lies in %s: the longest path wins", (host, target, room) => {
    expect(table.find(host, target)).toBe(room);
  });

  test("a name matches before *, though the path of * is longer", () => {
    expect(table.find(HOST, "/shop/vip/lounge")).toBe("vip");
  });

  test.each([
    ...["/shop/../", "/x/../shop", "/shop/vip/../x", "/shop/vip/%2e%2e/x", "/shop/..;/shop/vip", "/shop%00/vip"],
    ...["//x/shop", "/shop/VIP", "/SHOP/vip", "/shop/vip%2fx", "/shop/v%69p", "/shop//vip", "/shop;x/vip"],
    ...["/shop/vip;x", "/shop/vip.", "/Shop"],
  ])("%s can be read as of two, and is found for neither", (target) =>
    expect(table.find(HOST, target)).toBe(CONTESTED),
  );

  test("two readings in one room are no contest", () => {
    const twice = tableOf({ host: HOST, path: "/a", value: "one" }, { host: HOST, path: "/a/b", value: "one" });
    expect(twice.find(HOST, "/a%2fb")).toBe("one");
  });

  test("a disguise never leads to the room around it", () => {
    for (const target of [...DISGUISES, ...REFUSED]) expect(["shop", CONTESTED]).toContain(table.find(HOST, target));
  });

  test("letters beyond ASCII, as browsers encode them, are no disguise", () => {
    const nested = tableOf(
      { host: HOST, path: "/", value: "site" },
      { host: HOST, path: "/Läden", value: "shop" },
      { host: HOST, path: "/c++[1]", value: "books" },
      { host: HOST, path: "/100%", value: "sale" },
    );
    expect(nested.find(HOST, "/L%C3%A4den/x")).toBe("shop");
    expect(nested.find(HOST, "/L%c3%a4den")).toBe("shop");
    expect(nested.find(HOST, "/c++[1]/x")).toBe("books");
    expect(nested.find(HOST, "/c++%5B1%5D/x")).toBe("books");
    expect(nested.find(HOST, "/c/x")).toBe("site");
    expect(nested.find(HOST, "/c++[1/x")).toBe("site");
    expect(nested.find(HOST, "/100%25/x")).toBe("sale");
    expect(nested.find(HOST, "/La%CC%88den")).toBe(CONTESTED);
  });
});

test("where one room has everything, no path is refused", () => {
  const everything = tableOf({ host: HOST, path: "/", value: "site" }, { host: HOST, path: "/x", value: "site" });
  for (const target of [...DISGUISES, ...REFUSED, ...OTHERS]) expect(everything.find(HOST, target)).toBe("site");
});

test("without rooms nothing is found", () => {
  expect(tableOf().find(HOST, "/shop")).toBeUndefined();
  expect(tableOf({ host: HOST, path: "/", value: "site" }).find("other.example", "/")).toBeUndefined();
});

test("law: percent-encoding any characters of a path, once or twice, changes nothing", () => {
  const table = tableOf({ host: HOST, path: "/shop", value: "shop" });
  const encodings = fc.array(fc.nat(2), { minLength: 10, maxLength: 10 });
  fc.assert(
    fc.property(encodings, (times) => {
      const path = [..."shop/item1"].map((character, at) => encoded(character, times[at] ?? 0)).join("");
      expect(table.find(HOST, `/${path}`)).toBe("shop");
    }),
  );
});

test("law: nothing that a client can send makes it throw", () => {
  const table = tableOf({ host: HOST, path: "/shop", value: "shop" }, { host: "*", path: "/", value: "all" });
  const units = fc.constantFrom(..."/\\.;%25eEfF0?#\0 shop".split(""), "\xe4", "%2f", "%00", "..");
  fc.assert(
    fc.property(fc.string({ unit: units, maxLength: 30 }), (text) => {
      expect(["shop", "all", CONTESTED]).toContain(table.find(HOST, `/${text}`));
    }),
  );
});

function tableOf(...routes: Routed<string>[]): RouteTable<string> {
  return new RouteTable(routes);
}

function encoded(character: string, times: number): string {
  const code = character.charCodeAt(0).toString(16);
  return times === 0 ? character : `%${"25".repeat(times - 1)}${code}`;
}
