import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { compileExpression, type Truth } from "../../../node/rules/expression.ts";
import { Facts, type RuleRequest } from "../../../node/rules/facts.ts";
import { ExpressionFault } from "../../../node/rules/syntax.ts";

const HEADERS = [
  "User-Agent",
  "Mozilla/5.0 (X11)",
  "Cookie",
  "a=1; staff=yes; a=2",
  "X-Key",
  "k",
  "Referer",
  "https://b/",
];

function asking(change: Partial<RuleRequest["request"] & { address: string; secure: boolean }> = {}): RuleRequest {
  const { address = "10.1.2.3", secure = true, ...request } = change;
  return {
    request: { method: "GET", target: "/api/v1/list?q=a%20b", host: "shop.example.com", headers: HEADERS, ...request },
    client: { address, secure },
  };
}

function truth(expression: string, from = asking()): Truth {
  return compileExpression(expression).is(new Facts(from));
}

describe("an expression", () => {
  test.each([
    ['http.host eq "shop.example.com"', true],
    ['http.host ne "shop.example.com"', false],
    ['http.host != "other.example.com"', true],
    ['http.host contains "example"', true],
    ['http.host in {"a.example.com" "shop.example.com"}', true],
    ['http.request.method in {"GET" "HEAD"}', true],
    ['http.request.uri.path eq "/api/v1/list"', true],
    ['http.request.uri.path starts_with "/api/"', true],
    ['starts_with(http.request.uri.path, "/api/")', true],
    ['http.request.uri.path ends_with "/list"', true],
    ['http.request.uri.path matches "^/api/v[0-9]+/"', true],
    ['http.request.uri.path ~ r"^/api/v\\d+/list$"', true],
    ['http.request.uri.query eq "q=a%20b"', true],
    ['http.request.full_uri eq "https://shop.example.com/api/v1/list?q=a%20b"', true],
    ['http.request.full_uri wildcard "https://*.example.com/API/*/list*"', true],
    ['http.host strict wildcard "*.example.com"', true],
    ['http.host strict wildcard "*.Example.com"', false],
    ['http.host wildcard "*.Example.com"', true],
    ['http.user_agent wildcard r"*\\*"', false],
    ['http.request.uri.path wildcard "/api/*/list"', true],
    ['http.request.uri.path.extension eq ""', true],
    ['lower(http.user_agent) contains "mozilla"', true],
    ['upper(http.request.method) eq "GET"', true],
    ['starts_with(lower(http.user_agent), "mozilla/")', true],
    ['http.referer eq "https://b/"', true],
    ['http.request.cookies["staff"] eq "yes"', true],
    ['http.request.cookies["a"][0] eq "1"', true],
    ['http.request.cookies["none"] eq ""', true],
    ['http.request.headers["x-key"] eq "k"', true],
    ['http.request.headers["X-KEY"][0] in {"k"}', true],
    ["ip.src eq 10.1.2.3", true],
    ["ip.src in {192.0.2.0/24 10.0.0.0/8 2001:db8::/32}", true],
    ["ip.src in {2001:db8::/32 ::1}", false],
    ["ssl", true],
    ["not ssl", false],
    ['http.host eq "say \\"hi\\" \\\\"', false],
    // `not` binds tighter than `and`, that tighter than `xor`, and that tighter than `or`.
    ["not ssl and ssl", false],
    ["not (ssl and not ssl)", true],
    ["ssl or ssl and not ssl", true],
    ["ssl xor ssl and not ssl", true],
    ["ssl or ssl xor ssl", true],
    ["ssl && !ssl || ssl ^^ !ssl", true],
    ["(((ssl)))", true],
    ['\n  ssl\n  and not (http.host eq "b")\n', true],
  ])("%s: %s", (expression, wanted) => expect(truth(expression)).toBe(wanted));

  test.each([
    ["", 1, "the expression ends here"],
    ["ssl and", 8, "the expression ends here"],
    ["(ssl", 5, "the expression ends here"],
    ["ssl; ssl", 4, '";" has no meaning'],
    ['http.host eq "shop', 14, "a text has no closing quote"],
    ["http.host eq shop", 14, '"shop" is not expected here'],
    ['http.hots eq "a"', 1, "http.hots is no field; there are http.host,"],
    ["http.host", 1, "http.host is compared with nothing"],
    ['ssl eq "yes"', 1, "ssl is no text"],
    ['ssl and http.host["a"] eq "b"', 19, "http.host has no entries"],
    ['http.request.headers eq "b"', 1, 'needs the name of an entry: http.request.headers["name"]'],
    ["http.host eq 10.0.0.1", 14, "10.0.0.1 is no text: write it in double quotes"],
    ['ip.src eq "10.0.0.1"', 11, "10.0.0.1 is no address or range: write one such as 10.0.0.0/8, without quotes"],
    ["ip.src contains 10.0.0.1", 8, "ip.src can be compared by eq, ne and in only"],
    ["http.host in {}", 15, '"}" is not expected here'],
    ['http.host matches "("', 19, "not a regular expression of RE2"],
    ['http.host matches "(?=a)"', 19, "not a regular expression of RE2"],
    [`http.host matches "${"a".repeat(257)}"`, 19, "longer than 256 characters"],
    [
      'http.host matches "[a-z]{0,500}[0-9]"',
      19,
      "more than 600 steps in all, those on paths counted three times: 1003",
    ],
    ['http.request.uri.path matches "[a-z]{0,100}[0-9]"', 31, "three times: 609"],
    [
      `ssl or ${Array(3)
        .fill(`http.host ~ "${"a".repeat(250)}"`)
        .join(" or ")}`,
      556,
      "more than 600 steps",
    ],
    [`${"(".repeat(33)}ssl${")".repeat(33)}`, 33, "more than 32 levels lie within each other"],
    [`${"not ".repeat(33)}ssl`, 129, "more than 32 levels lie within each other"],
    ['trim(http.host) eq "a"', 1, "trim() is no function"],
    ["starts_with(http.host) ", 1, "starts_with() takes a field and a text"],
    ['starts_with(http.host, "a") eq "b"', 1, "starts_with() is no text"],
    ['lower(http.host, "a") eq "b"', 18, "lower() takes one field"],
    ["starts_with(http.host, 10.0.0.1)", 24, "is no text"],
    ['constructor eq "a"', 1, "constructor is no field"],
    ['__proto__ eq "a"', 1, "__proto__ is no field"],
  ])("%s: a fault at column %i", (expression, column, problem) => {
    const fault = (() => {
      try {
        compileExpression(expression);
      } catch (error) {
        return error;
      }
      return undefined;
    })();
    expect(fault).toBeInstanceOf(ExpressionFault);
    expect(fault).toMatchObject({ column, message: expect.stringContaining(problem) });
  });

  test("may have a regular expression as large as it can be written without a counted repetition", () => {
    const names = `(?i)(${"googlebot|".repeat(24)}bingbot)`;
    for (const pattern of [names, "[^a-z]".repeat(42), "a".repeat(256)])
      expect(() => compileExpression(`http.host matches "${pattern}"`)).not.toThrow();
  });

  test("may have as many parts side by side as fit, each with its own not", () => {
    const parts = Array.from({ length: 40 }, (_, at) => `not (not http.host eq "${at}.example")`);
    expect(() => compileExpression(parts.join(" or "))).not.toThrow();
    expect(() => compileExpression(Array(40).fill("not ssl").join(" and "))).not.toThrow();
    expect(() => compileExpression(`(${parts.slice(0, 33).join(" and ")}) xor not ssl`)).not.toThrow();
  });

  test("of any text compiles or is a fault with a column within it", () => {
    const words = fc.constantFrom(
      ...["ssl", "not", "and", "or", "(", ")", "{", "}", "[", "]", ",", "in", "eq", '"', '"a"', "10.0.0.0/8", "::1"],
      ...["http.host", "http.request.headers", "starts_with", "lower", "matches", "r", "1", "~", "é", "\0"],
    );
    const texts = fc.oneof(
      fc.string(),
      fc.array(words).map((all) => all.join(" ")),
    );
    fc.assert(
      fc.property(texts, (text) => {
        try {
          compileExpression(text);
        } catch (error) {
          if (!(error instanceof ExpressionFault)) throw error;
          expect(error.column).toBeGreaterThanOrEqual(1);
          expect(error.column).toBeLessThanOrEqual(text.length + 1);
        }
      }),
      { numRuns: 2_000 },
    );
  });
});

describe("a path that servers may read in different ways", () => {
  test.each([
    ...["/assets/../shop", "/assets/..%2fshop", "/assets/%2e%2e/shop", "/assets//shop", "/assets/./a", "/assets;a/b"],
    ...["/assets/a%5c..%5cshop", "/assets/a\\b", "/assets/%00", "/assets/a%", "/assets/%u0061", "/assets/%ff"],
    ...["/assets/%253d", "/assets/a.", "/assets/a%3bb", "/assets/%c0%ae%c0%ae/shop", "/assets/a%0ab"],
  ])("%s: nobody can say", (target) => {
    expect(truth('http.request.uri.path starts_with "/assets/"', asking({ target }))).toBe("unsure");
    expect(truth('not http.request.uri.path starts_with "/shop"', asking({ target }))).toBe("unsure");
  });

  test("is decoded where there is one way to read it", () => {
    const target = "/assets/caf%C3%A9%20a";
    expect(truth('http.request.uri.path eq "/assets/café a"', asking({ target }))).toBe(true);
  });

  test("does not matter where something else decides", () => {
    const from = asking({ target: "/a//b" });
    const path = 'http.request.uri.path eq "/a"';
    expect(truth(`ssl or ${path}`, from)).toBe(true);
    expect(truth(`not ssl and ${path}`, from)).toBe(false);
    expect(truth(`ssl and ${path}`, from)).toBe("unsure");
    expect(truth(`ssl xor ${path}`, from)).toBe("unsure");
  });
});

describe("a path that loose servers take for another one", () => {
  const path = "http.request.uri.path";
  const SAME = [
    ...["/api/buy/", "/api/Buy", "/API/BUY", "/api/buy%20", "/api/buy%20/", "/api/buy%c2%a0", "/Api/Buy//?a"],
    ...["/api/buy%e2%80%8b", "/api/b%c2%aduy", "/api/b%ef%bd%95y", "/api/buy/?q=1"],
  ];

  test.each(SAME)("%s is unsure, by each comparison, and so is that it is not", (target) => {
    for (const is of [
      ...[`${path} eq "/api/buy"`, `${path} eq "/api/buy/x" or ${path} eq "/API/buy"`, `${path} in {"/a" "/api/buy"}`],
      ...[
        `${path} ends_with "i/buy"`,
        `ends_with(${path}, "/buy")`,
        `${path} strict wildcard "/api*/buy"`,
        `${path} matches "^/api/buy$"`,
        `${path} ~ "buy$"`,
      ],
    ]) {
      const truths = [truth(is, asking({ target })), truth(`not (${is})`, asking({ target }))];
      expect([is, truths]).toEqual([is, ["unsure", "unsure"]]);
    }
    expect(truth(`${path} ne "/api/buy"`, asking({ target }))).toBe("unsure");
  });

  test.each([
    ["/Shop", `${path} starts_with "/shop"`],
    ["/api%20/buy", `${path} eq "/api/buy"`],
    ["/shop", `${path} starts_with "/shop/"`],
    ["/a/Buy/b", `${path} contains "/buy/"`],
    ["/a/buy", `${path} contains "/buy/"`],
    ["/api/buy", `${path} eq "/api/buy/"`],
    ["/api/buy", `upper(${path}) eq "/API/BUY/"`],
    ["/api/buy/", `lower(${path}) eq "/api/buy"`],
    ["/SHOP/vip", `${path} matches "^/shop/[a-z]+$"`],
    ["/api/Buy?b=1", 'http.request.uri eq "/api/buy?b=1"'],
    ["/api/buy/?b=1", 'http.request.uri eq "/api/buy?b=1"'],
    ["/api/buy/", `${path} wildcard "/API/*uy"`],
    ["/api/Buy?b=1", 'http.request.full_uri eq "https://shop.example.com/api/buy?b=1"'],
    ["/api/%62uy", 'http.request.uri contains "buy"'],
    ["/a?x=%62uy", 'http.request.uri.query contains "buy"'],
  ])("%s: %s", (target, is) => {
    expect(truth(is, asking({ target }))).toBe("unsure");
    expect(truth(`not ${is}`, asking({ target }))).toBe("unsure");
  });

  test.each([
    ["/api/buy", `${path} eq "/api/buy"`, true],
    ["/api/buy/", `${path} eq "/api/buy/"`, true],
    ["/", `${path} eq "/"`, true],
    ["/apis", `${path} starts_with "/api/"`, false],
    ["/api/buyer", `${path} eq "/api/buy"`, false],
    ["/Assets/App.JS", `${path} ends_with ".css"`, false],
    ["/a%20b", 'http.request.uri eq "/a%20b"', true],
    ["/caf%c3%a9", 'http.request.uri eq "/caf%c3%a9"', true],
    ["/a?q=%5B1%5D", 'http.request.uri.query eq "q=%5B1%5D"', true],
  ])("but %s is sure: %s", (target, is, wanted) => {
    expect(truth(is, asking({ target }))).toBe(wanted);
    expect(truth(`not ${is}`, asking({ target }))).toBe(!wanted);
  });
});

test("text that is longer than is searched is not searched", () => {
  const target = (length: number) => `/${"a".repeat(length - 1)}`;
  const pattern = 'http.request.uri.path matches "^/(a+)+$"';
  expect(truth(pattern, asking({ target: target(512) }))).toBe(true);
  expect(truth(pattern, asking({ target: target(513) }))).toBe("unsure");
});

describe("an extension", () => {
  const extension = 'http.request.uri.path.extension eq "css"';

  test.each([
    ["/main.css", true],
    ["/main.CSS?v=1", true],
    ["/a.css/main.js", false],
    ["/css", false],
    ["/main.css/", "unsure"],
    ["/main.css%20", "unsure"],
    ["/main.css%2fx", "unsure"],
  ])("of %s", (target, is) => expect(truth(extension, asking({ target }))).toBe(is));
});

describe("an argument", () => {
  const argument = 'http.request.uri.args["id"] eq "7"';

  test.each([
    ["/?id=7", true],
    ["/?x=1&id=7&y", true],
    ["/?id=8", false],
    ["/?ids=7", false],
    ["/", false],
    ["/?id=7&id=8", "unsure"],
    ["/?id=7&i%64=8", "unsure"],
    ["/?id=7&id[]=8", "unsure"],
    ["/?id=7;id=8", "unsure"],
    ["/?id=%37", "unsure"],
  ])("of %s", (target, is) => expect(truth(argument, asking({ target }))).toBe(is));
});

test("a wildcard fits as a regular expression with .* would", () => {
  const text = fc.string({ unit: fc.constantFrom("a", "b", "*", "/"), maxLength: 8 });
  fc.assert(
    fc.property(text, text, (pattern, host) => {
      const search = new RegExp(`^${pattern.replaceAll("/", "\\/").replaceAll("*", ".*")}$`);
      expect(truth(`http.host strict wildcard "${pattern}"`, asking({ host }))).toBe(search.test(host));
    }),
  );
});
