import { describe, expect, test } from "vitest";
import { problemText } from "../../../node/config/problem.ts";
import { patchRoom } from "../../../node/config/room-document.ts";
import { problemsOf, roomOf } from "./documents.ts";

const ROOM = { name: "shop", host: "shop.example.com", total_active_users: 1, new_users_per_minute: 1 };
const route = (host: string) => ({ host, path: "/" });

describe("cookie_domain", () => {
  test.each([
    ["the host's parent", "example.com", []],
    ["the host itself", "shop.example.com", [route("m.shop.example.com")]],
    ["in capitals", "EXAMPLE.com", [route("WWW.example.com")]],
    ["of a name under a private suffix", "me.github.io", undefined],
    ["left empty", "", [route("other.test")]],
  ])("may be %s", (_, cookie_domain, additional_routes) => {
    const host = cookie_domain === "me.github.io" ? "a.me.github.io" : ROOM.host;
    const room = roomOf({ ...ROOM, host, cookie_domain, ...(additional_routes && { additional_routes }) });
    expect(room.cookieDomain).toBe(cookie_domain.toLowerCase());
  });

  test.each([
    ["with a dot first", ".example.com", {}, "begins with a dot"],
    ["that is no domain", "exam ple.com", {}, "is not a domain"],
    ["with a port", "example.com:80", {}, "is not a domain"],
    ["that could end the attribute", "example.com; Secure", {}, "is not a domain"],
    ["that is an address", "10.0.0.1", { host: "10.0.0.1" }, "is an address"],
    ["that is a single label", "localhost", { host: "localhost" }, "anyone can register names"],
    ["that is a top-level domain", "com", {}, "anyone can register names"],
    ["that is a public suffix", "co.uk", { host: "shop.co.uk" }, "anyone can register names"],
    ["that is a private suffix", "github.io", { host: "a.github.io" }, "anyone can register names"],
    ["beside the host", "example.org", {}, "is no parent domain of shop.example.com"],
    ["that only ends like the host", "ple.com", {}, "is no parent domain of shop.example.com"],
    ["below the host", "a.shop.example.com", {}, "is no parent domain of shop.example.com"],
    ["that one route is not in", "example.com", { additional_routes: [route("www.other.com")] }, "of www.other.com"],
    ["for every host", "example.com", { host: "*" }, 'cannot hold for host "*"'],
    ["for a route of every host", "example.com", { additional_routes: [route("*")] }, 'cannot hold for host "*"'],
  ])("cannot be one %s", (_, cookie_domain, more, problem) => {
    const text = problemsOf({ ...ROOM, cookie_domain, ...more }, "rooms[0]")
      .map(problemText)
      .join("\n");
    expect(text).toMatch(/^rooms\[0\]\.cookie_domain = ".*": /);
    expect(text).toContain(problem);
  });

  test("is checked again when the hosts change", () => {
    const room = roomOf({ ...ROOM, cookie_domain: "example.com" });
    expect(patchRoom(room, { host: "shop.other.com" }).ok).toBe(false);
    expect(patchRoom(room, { host: "shop.other.com", cookie_domain: "" }).ok).toBe(true);
  });
});
