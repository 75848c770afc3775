import { describe, expect, test } from "vitest";
import { parseOrigin } from "../../../node/http/origin-target.ts";

describe("an origin's URL", () => {
  test.each([
    [
      "http://shop.internal",
      { hostname: "shop.internal", port: 80, tls: false, basePath: "", authority: "shop.internal" },
    ],
    ["https://shop.internal/", { hostname: "shop.internal", port: 443, tls: true, basePath: "" }],
    [
      "HTTPS://Shop.Internal:8443/a/b/",
      { hostname: "shop.internal", port: 8443, basePath: "/a/b", authority: "shop.internal:8443" },
    ],
    ["http://[::1]:9000", { hostname: "::1", port: 9000, authority: "[::1]:9000" }],
    ["http://127.0.0.1:9000/x%20y", { hostname: "127.0.0.1", port: 9000, basePath: "/x%20y" }],
  ])("%s is read", (url, expected) => expect(parseOrigin(url)).toMatchObject(expected));

  test.each([
    ["shop.internal", "must be a URL that starts with http:// or https://"],
    ["ftp://shop.internal", "must be a URL that starts with http:// or https://"],
    ["http://", "must name a host"],
    ["http://me:secret@shop.internal", "must hold no user name or password"],
    ["http://shop.internal?x=1", "must have no query"],
    ["http://shop.internal/#top", "must have no query and no fragment"],
    ["http://shop.internal:0", "port must be 1 to 65535"],
    ["http://shop.internal:70000", "must name a host with an optional port"],
    ["http://shop internal", "must name a host"],
    ["http://shop.internal/a b", "path must be visible ASCII"],
  ])("%s is refused with what must hold", (url, text) => {
    const result = parseOrigin(url);
    expect(result).toContain(text);
    expect(result).not.toContain("secret");
  });
});
