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
    ...["shop.internal", "ftp://shop.internal", "http://", "http://me:secret@shop.internal"],
    ...["http://shop.internal?x=1", "http://shop.internal/#top", "http://shop.internal:0"],
    ...["http://shop.internal:70000", "http://shop internal", "http://shop.internal/a b"],
  ])("%s is none", (url) => expect(parseOrigin(url)).toBeUndefined());
});
