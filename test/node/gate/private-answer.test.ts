import { describe, expect, test } from "vitest";
import { privateAnswer } from "../../../node/gate/origin-headers.ts";
import { originAnswers } from "./fake-exchange.ts";
import { GateWorld, SHOP } from "./gate-world.ts";

describe("an answer that carries a cookie of ours", () => {
  test.each([
    ["says nothing of caches", [], "private"],
    ["is for everybody", ["Cache-Control", "public, s-maxage=60, max-age=30"], "private, max-age=30"],
    ["says so in two fields", ["cache-control", "Public", "Cache-Control", "max-age=1"], "private, max-age=1"],
    [
      "keeps one field from shared caches",
      ["Cache-Control", 'private="set-cookie, x", max-age=5'],
      "private, max-age=5",
    ],
    ["must not be stored", ["Cache-Control", "no-store, public"], "private, no-store"],
    [
      "has a directive with a comma",
      ["Cache-Control", 'no-cache="a, public", public'],
      'private, no-cache="a, public"',
    ],
    ["makes proxies ask", ["Cache-Control", "public, proxy-revalidate, immutable"], "private, immutable"],
  ])("that %s is for the visitor's browser alone", (_, headers, expected) => {
    expect(privateAnswer(headers)).toEqual(["Cache-Control", expected]);
  });

  test("says nothing to shared caches alone", () => {
    const fields = ["CDN-Cache-Control", "Cloudflare-CDN-Cache-Control", "Surrogate-Control", "X-Accel-Expires"];
    const headers = fields.flatMap((name) => [name, "max-age=60"]);
    expect(privateAnswer([...headers, "X-Kept", "y"])).toEqual(["X-Kept", "y", "Cache-Control", "private"]);
  });

  test("is that of a visitor who comes in; the next ones are as the origin said", async () => {
    const world = new GateWorld({ rooms: [SHOP] });
    const headers = ["Cache-Control", "public, s-maxage=60"];
    const first = originAnswers(await world.forwarded(), headers);
    expect(first.slice(-2)).toEqual(["Cache-Control", "private"]);
    const cookie = first[first.indexOf("Set-Cookie") + 1]?.split(";")[0] ?? "";
    expect(originAnswers(await world.forwarded({ headers: { Cookie: cookie } }), headers)).toEqual(headers);
  });
});
