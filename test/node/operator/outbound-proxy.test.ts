import { describe, expect, test } from "vitest";
import { proxyRule } from "../../../node/operator/outbound-proxy.ts";

const PROXY = "http://proxy.test:3128";

describe("which proxy a URL is reached by", () => {
  test.each([
    ["http://hooks.test/a", { HTTP_PROXY: PROXY }, PROXY],
    ["http://hooks.test/a", { http_proxy: PROXY, HTTP_PROXY: "http://other.test" }, PROXY],
    ["http://hooks.test/a", { HTTP_PROXY: "proxy.test:3128" }, PROXY],
    ["https://hooks.test/a", { HTTP_PROXY: PROXY }, false],
    ["https://hooks.test/a", { HTTPS_PROXY: PROXY }, PROXY],
    ["https://hooks.test/a", { ALL_PROXY: PROXY }, PROXY],
    ["https://hooks.test/a", {}, false],
  ] as const)("%s with %j: %s", (url, environment, proxy) => {
    expect(proxyRule(environment)(url)).toBe(proxy);
  });

  test.each(["127.0.0.1", "127.9.9.9:4318", "localhost", "a.localhost", "[::1]:4318", "[::ffff:127.0.0.1]", "0.0.0.0"])(
    "this host (%s) is never reached by one",
    (host) => {
      expect(proxyRule({ ALL_PROXY: PROXY, HTTP_PROXY: PROXY })(`http://${host}/v1/traces`)).toBe(false);
    },
  );

  test.each([
    ["hooks.test", "hooks.test", true],
    ["hooks.test", "a.hooks.test", true],
    [".hooks.test", "a.hooks.test", true],
    ["*.hooks.test", "a.hooks.test", true],
    ["hooks.test", "myhooks.test", false],
    ["x.test, hooks.test", "hooks.test", true],
    ["hooks.test:80", "hooks.test", true],
    ["hooks.test:81", "hooks.test", false],
    ["*", "hooks.test", true],
    ["10.0.0.0/8", "10.1.2.3", true],
    ["10.0.0.0/8", "11.1.2.3", false],
    ["10.1.2.3:81", "10.1.2.3:81", true],
    ["fd00::/8", "[fd00::1]", true],
    ["fd00::1", "[fd00::1]", true],
    ["[fd00::1]:81", "[fd00::1]:81", true],
    ["10.0.0.0/99", "10.1.2.3", false],
    ["", "hooks.test", false],
  ])("NO_PROXY=%s and %s: direct is %s", (NO_PROXY, host, isDirect) => {
    expect(proxyRule({ HTTP_PROXY: PROXY, NO_PROXY })(`http://${host}/`)).toBe(isDirect ? false : PROXY);
  });
});
