import { describe, expect, test } from "vitest";
import { templateComplaint } from "../../../node/config/template-check.ts";
import {
  hostComplaint,
  normalRange,
  originComplaint,
  pathComplaint,
  rangeComplaint,
} from "../../../node/config/text-checks.ts";

describe("a host", () => {
  test.each(["*", "shop.example.com", "localhost", "a_b.example", "10.0.0.1", "[::1]", "S.EU"])("may be %s", (host) =>
    expect(hostComplaint(host)).toBeUndefined(),
  );

  test.each([
    ["https://shop.example.com", "has a scheme"],
    ["shop.example.com/sale", "has a path"],
    ["shop.example.com:8080", "has a port"],
    ["*.example.com", "has a wildcard within a name"],
    ["bücher.example", "is not in ASCII"],
    ["shop..example", "is not a host name"],
    ["-shop.example", "is not a host name"],
    ["[::zz]", "is not a host name"],
    ["", "is not a host name"],
    ["a b", "is not a host name"],
    [`${"a".repeat(64)}.example`, "is not a host name"],
  ])("%s %s", (host, problem) => expect(hostComplaint(host)?.problem).toBe(problem));
});

describe("a path", () => {
  test.each(["/", "/tickets", "/tickets/", "/a.b/c-d", "/…/ü", "/100%"])("may be %s", (path) =>
    expect(pathComplaint(path)).toBeUndefined(),
  );

  test.each([
    ["", "does not start with /"],
    ["tickets", "does not start with /"],
    ["/a?b=c", "has a query or fragment"],
    ["/a#b", "has a query or fragment"],
    ["/a/*", "has a wildcard"],
    ["/caf%C3%A9", "is percent-encoded"],
    ["/a;b", "has path parameters"],
    ["/a b", "has white space or a backslash"],
    ["/a\\b", "has white space or a backslash"],
    ["/a//b", "is not normalised"],
    ["/a/../b", "is not normalised"],
    ["/a/.", "is not normalised"],
    ["/a./b", "has a part that ends in a dot"],
  ])("%s %s", (path, problem) => expect(pathComplaint(path)?.problem).toBe(problem));
});

describe("an origin", () => {
  test.each(["http://127.0.0.1:3000", "https://origin.example.com/base/", "http://[::1]:3000", "HTTP://a"])(
    "may be %s",
    (origin) => expect(originComplaint(origin)).toBeUndefined(),
  );

  test.each([
    ["localhost:3000", "does not start with http://, https:// or unix:", "write http://localhost:3000"],
    ["ftp://a", "does not start with http://, https:// or unix:", "write a base URL"],
    ["http://", "is not a URL", "write a base URL"],
    ["http://user:secret@a", "has a user name", "write a base URL"],
    ["http://a/?b", "has a query or fragment", "write a base URL"],
    ["http://a:0", "has a host, port or path to which no request can be sent", "write a base URL"],
    ["http://a/ü", "has a host, port or path to which no request can be sent", "write a base URL"],
  ])("%s %s", (origin, problem, repair) => {
    expect(originComplaint(origin)?.problem).toBe(problem);
    expect(originComplaint(origin)?.repair).toContain(repair);
  });
});

describe("an address range", () => {
  test.each([
    ["203.0.113.7", "203.0.113.7/32"],
    ["10.0.0.0/8", "10.0.0.0/8"],
    ["2001:DB8:0::/32", "2001:db8::/32"],
    ["::1", "::1/128"],
  ])("%s reads as %s", (text, normal) => {
    expect(rangeComplaint(text)).toBeUndefined();
    expect(normalRange(text)).toBe(normal);
  });

  test.each(["", "10.0.0.0/33", "1.2.3", "010.0.0.1", "::1/129", "10.0.0.0/8/8", "10.0.0.0/", "fe80::1%eth0", "a"])(
    "%j is refused",
    (text) => expect(rangeComplaint(text)?.problem).toBe("is not an address or range"),
  );
});

describe("a template that costs more than its length", () => {
  const SIZE = 256 * 1024;
  const sections = (depth: number) => "{{#a}}".repeat(depth) + "{{/a}}".repeat(depth);
  test.each([
    ["blanks in a tag", `{{a${" ".repeat(SIZE)}x}}`, "blanks in a row at line 1, column 4"],
    ["blanks after a tag that never ends", `{{{a}}${"\n".repeat(SIZE)}`, "blanks in a row"],
    ["blanks with delimiters of its own", `{{=<% %>=}}<%a${"\t".repeat(SIZE)}%>`, "blanks in a row"],
    ["deep sections", sections(SIZE / 12), "more than 50 deep"],
    ["one section too many", sections(51), "more than 50 deep"],
  ])("is refused: %s", (_, template, problem) => {
    expect(templateComplaint(template)?.problem).toContain(problem);
  });
});

describe("a template", () => {
  test("may use sections", () =>
    expect(templateComplaint("<p>{{#waitTimeKnown}}{{waitTime}}{{/waitTimeKnown}}")).toBeUndefined());

  test.each([
    ["<p>\n{{#open}}", 'unclosed section "open" at line 2, column 10'],
    ["a {{waitTime", "unclosed tag at line 1, column 13"],
    ["ab{{/never}}", 'unopened section "never" at line 1, column 3'],
  ])("%j does not parse", (template, problem) => expect(templateComplaint(template)?.problem).toContain(problem));

  test.each([
    ["Please wait", "holds no HTML"],
    ["{{#position}}{{position}}{{/position}} < 5", "holds no HTML"],
    ["<p>{{> page}}", "asks for another template, {{> page}}"],
    ["<p>{{#a}}{{#b}}{{>page}}{{/b}}{{/a}}", "asks for another template, {{> page}}"],
    ['<meta http-equiv="refresh" content="0"><p>', "reloads itself after 0 s, without end"],
    ["<META CONTENT='1; url=/' HTTP-EQUIV=Refresh><p>", "reloads itself after 1 s"],
    ["<meta http-equiv=refresh content=0.5><p>", "reloads itself after 0.5 s"],
  ])("%j loops, or shows nothing", (template, problem) =>
    expect(templateComplaint(template)?.problem).toContain(problem),
  );

  test.each([
    '<meta http-equiv="refresh" content="30"><p>{{position}}',
    '<meta name="viewport" content="0"><p>',
    "<!doctype html>",
    "{{#waitTimeKnown}} {{waitTime}} mins {{/waitTimeKnown}} {{^waitTimeKnown}} Queue all enabled {{/waitTimeKnown}}",
    "",
  ])("%j is one", (template) => expect(templateComplaint(template)).toBeUndefined());
});
