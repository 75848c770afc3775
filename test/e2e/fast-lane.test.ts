/**
 * The fast lane at real proxies, with the snippets that `anteroom snippet` prints: who passes the gate by, and who does
 * not. What of a request reaches the origin is in `front-readings.test.ts`.
 */

import { createHmac } from "node:crypto";
import fc from "fast-check";
import { describe, expect } from "vitest";
import type { LaneDocument } from "../../node/operator/api/lane.ts";
import { CONTESTED, RouteTable } from "../../node/rooms/match.ts";
import { hostilePaths, KNOWN_BYPASSES } from "../node/gate/hostile-paths.ts";
import { atFront, type Front, type HeadOrigin, unspoilt } from "./fronts.ts";
import { type TestNode, until } from "./process.ts";
import { exchange } from "./raw.ts";

/** Paths per proxy; ANTEROOM_PATHS for more. */
const PATHS = Number(process.env.ANTEROOM_PATHS ?? 150);
const HOST = "shop.example";
const MINUTE_MS = 60_000;

/** A token is on its way for less than this where a second counts. */
const TOKEN_SLACK_MS = 3_000;

// The hostile requests are visits too.
const LIMITS = {
  ...{ total_active_users: 100_000, new_users_per_minute: 100_000, session_duration: 1 },
  new_places_per_address_per_minute: 0,
};
const ROOMS = [
  { name: "others", host: "*", path: "/", ...LIMITS },
  { name: "main", host: HOST, path: "/", ...LIMITS },
  { name: "shop", host: HOST, path: "/shop", ...LIMITS },
  { name: "vip", host: HOST, path: "/shop/vip", ...LIMITS },
  { name: "bound", host: "bound.example", path: "/", ...LIMITS, enabled_origin_commands: ["revoke"] },
];
const TABLE = new RouteTable(ROOMS.map(({ host, path, name }) => ({ host, path, value: name })));

describe("haproxy", () => {
  let origin: HeadOrigin;
  let node: TestNode;
  let front: Front;
  let cases = 0;
  const { here, named } = atFront(
    "haproxy",
    {
      fields: ["Anteroom-Command: revoke", "Set-Cookie: own=1"],
      rooms: ROOMS,
      minuteMs: MINUTE_MS,
    },
    (scene) => {
      ({ origin, node, front } = scene);
    },
  );

  async function lane(): Promise<LaneDocument> {
    const headers = { authorization: `Bearer ${node.token}` };
    const answer = (await (await fetch(`http://${node.admin}/v1/lane`, { headers })).json()) as { lane: LaneDocument };
    return answer.lane;
  }

  interface TokenParts {
    readonly key?: number;
    readonly seconds?: number;
    /** By how many seconds the clock of its gate is ahead of the proxy's. */
    readonly aheadSeconds?: number;
    readonly header?: string;
    readonly secret?: string;
    readonly aud?: string;
  }

  /** A token as a gate makes it, or as somebody else does; with the name of its cookie. */
  async function cookieFor(name: string, parts: TokenParts = {}, document?: LaneDocument): Promise<string> {
    const room = (document ?? (await lane())).rooms.find((each) => each.name === name);
    const key = room?.keys[parts.key ?? 0];
    if (room === undefined || key === undefined) throw new Error(`No room ${name}`);
    const now = Math.floor(Date.now() / 1_000) + (parts.aheadSeconds ?? 0);
    const claims = { aud: parts.aud ?? room.id, sub: "4QK7-X2MD", iat: now, exp: now + (parts.seconds ?? 600) };
    const signed = `${parts.header ?? key.header}.${Buffer.from(JSON.stringify(claims)).toString("base64url")}`;
    const signature = createHmac("sha256", parts.secret ?? key.key)
      .update(signed)
      .digest("base64url");
    return `${room.cookie}=${signed}.${signature}`;
  }

  interface Sent {
    readonly status: number;
    readonly text: string;
    /** Whether it reached the origin without a gate. */
    readonly isByLane: boolean;
    readonly fields: (name: string) => readonly string[];
  }

  /** Sends a request as its bytes; its fields in order. */
  async function send(target: string, fields: readonly string[], { host = HOST } = {}): Promise<Sent> {
    cases += 1;
    const name = `case-${cases}`;
    const lines = [`GET ${target} HTTP/1.1`, `Host: ${host}`, `X-Case: ${name}`, "Connection: close", ...fields];
    const text = await exchange(front.port, `${lines.join("\r\n")}\r\n\r\n`);
    const [head] = origin.casesOf(name);
    return {
      status: Number(/^HTTP\/1\.\d (\d{3})/.exec(text)?.[1] ?? 0),
      text,
      isByLane: head?.isByLane ?? false,
      fields: (field) => head?.fields.filter(([each]) => each === field).map(([, value]) => value) ?? [],
    };
  }

  here(named("takes nobody by with a token that is over, forged, of another room, mesh or algorithm"), async () => {
    const none = Buffer.from(JSON.stringify({ alg: "none", typ: "JWT", kid: "1" })).toString("base64url");
    const other = Buffer.from(JSON.stringify({ alg: "HS512", typ: "JWT", kid: "1" })).toString("base64url");
    const good = await cookieFor("shop");
    const [name = "", token = ""] = good.split("=");
    const [header = "", payload = "", signature = ""] = token.split(".");
    const vip = (await cookieFor("vip")).split("=")[1] ?? "";
    const flipped = `${signature.startsWith("A") ? "B" : "A"}${signature.slice(1)}`;
    const bad: readonly string[] = [
      await cookieFor("shop", { seconds: -1 }),
      await cookieFor("shop", { seconds: -3_600 }),
      await cookieFor("shop", { secret: "" }),
      await cookieFor("shop", { secret: "x".repeat(43) }),
      await cookieFor("shop", { header: none }),
      await cookieFor("shop", { header: other }),
      `${name}=${none}.${payload}.`,
      `${name}=${header}.${payload}.`,
      `${name}=${header}.${payload}`,
      `${name}=${header}..${signature}`,
      `${name}=${header}.${payload}.${flipped}`,
      `${name}=${header}.${payload}.${signature}.`,
      `${name}=${header}.${payload}.${signature}.${signature}`,
      `${name}=${header}.${payload.slice(0, -1)}.${signature}`,
      `${name}=${vip}`,
      `${name}=`,
      `${name}="${token}"`,
      await cookieFor("main"),
      await cookieFor("vip"),
      await cookieFor("bound"),
    ];
    for (const cookie of bad) expect((await send("/shop/a", [`Cookie: ${cookie}`])).isByLane, cookie).toBe(false);
    expect((await send("/shop/a", [`Cookie: ${good}`])).isByLane).toBe(true);
    expect((await send("/shop/a", [`Cookie: ${await cookieFor("shop", { key: 1 })}`])).isByLane).toBe(true);
    const bound = await send("/", [`Cookie: ${await cookieFor("bound")}`], { host: "bound.example" });
    expect(bound.isByLane, "a room whose origin may end sessions").toBe(false);
  });

  here(
    named("takes tokens by their end on its own clock, 10 s slow or fast: for no longer, and nobody is lost"),
    async () => {
      for (const [aheadSeconds, seconds, isByLane] of [
        // The proxy is slow: a fresh token is of its future, and one that is over is good for 10 s more.
        [10, 60, true],
        [10, -5, true],
        [10, -12, false],
        // The proxy is fast: a token is over 10 s early.
        [-10, 60, true],
        [-10, 15, true],
        [-10, 8, false],
      ] as const) {
        const sent = await unspoilt(
          async () => send("/shop/a", [`Cookie: ${await cookieFor("shop", { aheadSeconds, seconds })}`]),
          (fromMs, toMs) => toMs - fromMs > TOKEN_SLACK_MS,
        );
        expect([sent.status, sent.isByLane], `${aheadSeconds} s ahead, ${seconds} s left`).toEqual([200, isByLane]);
      }
    },
  );

  here(named("takes no path to a room by the token of another one, however it is written"), async () => {
    const document = await lane();
    const cookies = await Promise.all(
      ROOMS.map(async ({ name }) => [name, await cookieFor(name, {}, document)] as const),
    );
    const plain = ["/", "/shop", "/shop/", "/shop/a", "/shop/A", "/About", "/shop/vip", "/shop/vip/x?y", "/shopping"];
    const odd = [
      "//shop",
      "/%73hop",
      "/x/../shop",
      "/./shop",
      "/SHOP",
      "/x/..;/shop",
      "/x/%2e%2e/shop",
      "/x\\..\\shop",
    ];
    const more = ["/shop%2fvip", "/shop/VIP", "/shop//vip", "/shop/./vip", "/shop;x/vip", "/shop/vip.", "/shop/vip%20"];
    const paths = [...plain, ...odd, ...more, ...KNOWN_BYPASSES, ...fc.sample(hostilePaths, PATHS)];
    const hosts = [
      HOST,
      HOST.toUpperCase(),
      `${HOST}:80`,
      `${HOST}.`,
      "other.example",
      "BOUND.example",
      "bound.example.",
    ];
    const wrong: string[] = [];
    let taken = 0;
    const queue = [...new Set(paths)]
      .map((path) => path.replace(/[#\s\p{Cc}].*/su, ""))
      .flatMap((path, index) => [HOST, hosts[index % hosts.length] ?? HOST].map((host) => ({ path, host })));
    const worker = async (): Promise<void> => {
      for (let one = queue.pop(); one !== undefined; one = queue.pop()) {
        const { path, host } = one;
        const found = TABLE.find(host.toLowerCase().replace(/:80$/, "").replace(/\.$/, ""), path);
        for (const [name, cookie] of cookies) {
          const { isByLane } = await send(path, [`Cookie: ${cookie}`], { host });
          if (isByLane && found === name) taken += 1;
          if (isByLane && found !== name)
            wrong.push(`${host}${path}: ${name}, not ${found === CONTESTED ? "contested" : found}`);
        }
      }
    };
    await Promise.all(Array.from({ length: 8 }, worker));
    expect(wrong).toEqual([]);
    expect(taken).toBeGreaterThanOrEqual(plain.length);
  });

  here(named("has a browser's session: in by the gate, on by the lane, once a minute at the gate"), async () => {
    const session = async () => {
      const first = await send("/shop/", ["Accept: text/html"]);
      const set = [...first.text.matchAll(/^set-cookie: (__anteroom_[^;]*)/gim)].map(([, pair]) => pair);
      const next = [];
      for (let count = 0; count < 5; count++) next.push(await send("/shop/x", [`Cookie: ${set.join("; ")}`]));
      return { set, next, again: await send("/shop/x", [`Cookie: ${set[0]}`]) };
    };
    const minuteOf = (ms: number) => Math.floor(ms / MINUTE_MS);
    const { set, next, again } = await unspoilt(session, (fromMs, toMs) => minuteOf(fromMs) !== minuteOf(toMs));
    expect(set).toHaveLength(2);
    for (const { isByLane, fields, text } of next)
      expect([isByLane, fields("cookie"), text.includes("nteroom-Command")]).toEqual([true, [], false]);
    expect([again.isByLane, again.text.includes(set[1] ?? "")]).toEqual([false, true]);
  });

  here(
    named("is old after a room was made: no token counts, the status says so, and a new snippet repairs it"),
    async () => {
      const cookie = await cookieFor("shop");
      const made = { name: "late", host: HOST, path: "/shop/late", ...LIMITS };
      await node.run(["room", "create", ...Object.entries(made).map(([field, value]) => `${field}=${value}`)]);
      const session = await send("/shop/", ["Accept: text/html"]);
      expect(session.text).not.toContain("__anteroom_lane_");
      // A gate makes no token for the old rooms any more, and those for the new ones mean nothing to the old snippet.
      expect((await send("/shop/a", [`Cookie: ${await cookieFor("shop")}`])).isByLane).toBe(false);
      expect(JSON.stringify((await node.status()).warnings)).toContain("old snippet");
      await front.renew();
      expect((await send("/shop/a", [`Cookie: ${cookie}`])).isByLane).toBe(false);
      expect((await send("/shop/late/a", [`Cookie: ${await cookieFor("shop")}`])).isByLane).toBe(false);
      expect((await send("/shop/a", [`Cookie: ${await cookieFor("shop")}`])).isByLane).toBe(true);
    },
  );

  here(named("keeps the lane while the key is rotated, and closes it to keys that leaked"), async () => {
    const before = await cookieFor("shop");
    await node.run(["key", "--rotate"]);
    const after = await cookieFor("shop");
    for (const cookie of [before, after]) expect((await send("/shop/a", [`Cookie: ${cookie}`])).isByLane).toBe(true);
    await front.renew();
    expect((await send("/shop/a", [`Cookie: ${before}`])).isByLane).toBe(false);
    expect((await send("/shop/a", [`Cookie: ${after}`])).isByLane).toBe(true);
    await node.run(["key", "--leaked"]);
    expect((await send("/shop/a", [`Cookie: ${await cookieFor("shop")}`])).isByLane).toBe(false);
    await front.renew();
    await until(async () => (await send("/shop/a", [`Cookie: ${await cookieFor("shop")}`])).isByLane);
    expect((await send("/shop/a", [`Cookie: ${after}`])).isByLane).toBe(false);
  });
});
