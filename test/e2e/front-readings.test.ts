/**
 * What real proxies with the printed snippets pass to the origin, by themselves or, if they are plain, by way of a gate:
 * a request that the gate passes on in the same form, with the same fields or more, if a stranger sends it.
 *
 * A proxy may repair a request first, such as a target that is a URL: then the repaired one is what counts.
 */

import { describe, expect } from "vitest";
import { FRONT_REQUESTS, HOST, SOCKETS } from "./front-requests.ts";
import { atFront, type FrontKind, type Head, type Scene, unspoilt } from "./fronts.ts";
import { exchange } from "./raw.ts";

const LIMITS = { total_active_users: 100_000, new_users_per_minute: 100_000, new_places_per_address_per_minute: 0 };
const ROOMS = [
  { name: "shop", host: HOST, path: "/", ...LIMITS },
  { name: "others", host: "*", path: "/", ...LIMITS },
];
const KINDS: readonly FrontKind[] = ["haproxy", "nginx", "caddy"];

const MINUTE_MS = 60_000;

/** An address that no gate trusts. */
const STRANGER = "127.0.0.2";

/** Of the requests, about half are plain enough for each of the proxies to pass them on. */
const PASSED_LEAST = 150;

const FRONTS = KINDS.flatMap((kind) => [
  { kind, isPlain: false, name: kind },
  { kind, isPlain: true, name: `${kind} --plain` },
]);

describe.each(FRONTS)("$name", ({ kind, isPlain }) => {
  let scene: Scene;
  /** The cookies of a visitor inside. */
  let cookies: string;
  const flags = isPlain ? ["--plain"] : [];
  const { here, named } = atFront(kind, { fields: [], flags, rooms: ROOMS, minuteMs: MINUTE_MS }, (begun) => {
    scene = begun;
  });

  /** A token of the lane is good for the rest of a minute only. */
  async function come(): Promise<void> {
    const visit = `GET /shop/a HTTP/1.1\r\nHost: ${HOST}\r\nAccept: text/html\r\nConnection: close\r\n\r\n`;
    const text = await exchange(scene.front.port, visit);
    cookies = [...text.matchAll(/^set-cookie: (__anteroom_[^;\r]*)/gim)].map(([, pair]) => pair).join("; ");
  }

  /** What of a request reaches the origin. */
  async function reached(port: number, bytes: string): Promise<readonly Head[]> {
    const before = scene.origin.heads.length;
    const isEnough = (text: string): boolean => text.includes("\r\n\r\n");
    await exchange(port, bytes.replaceAll("COOKIE", cookies), { from: STRANGER, isEnough });
    return scene.origin.heads.slice(before);
  }

  const byProxy = async (bytes: string): Promise<readonly Head[]> =>
    (await reached(scene.front.port, bytes)).filter(({ isByLane }) => isByLane !== isPlain);

  here(named("passes on nothing that the gate refuses or reads in another way"), async () => {
    const wrong: string[] = [];
    let passed = 0;
    for (const bytes of FRONT_REQUESTS) {
      await come();
      for (const head of await byProxy(bytes)) {
        passed += 1;
        // Of a request that a gate has passed on, some marks are the gate's: it is also compared as it came.
        const found: string[][] = [];
        for (const sent of isPlain ? [asRequest(head), bytes] : [asRequest(head)]) {
          const [again] = await reached(scene.node.gatePort, sent);
          found.push(
            again === undefined ? [`the gate refuses ${head.method} ${head.target}`] : differences(head, again),
          );
        }
        const [what = [], ...others] = found;
        const both = what.filter((each) => others.every((other) => other.includes(each)));
        if (both.length > 0) wrong.push(`${JSON.stringify(bytes.slice(0, 200))}: ${both}`);
      }
    }
    expect(wrong).toEqual([]);
    expect(passed).toBeGreaterThan(PASSED_LEAST);
  });

  here(named("changes to no other protocol than WebSocket"), async () => {
    const upgrades = (bytes: string) =>
      unspoilt(
        async () => {
          await come();
          return (await byProxy(bytes)).map(({ fields }) => fields.filter(([name]) => name === "upgrade").join());
        },
        (fromMs, toMs) => Math.floor(fromMs / MINUTE_MS) !== Math.floor(toMs / MINUTE_MS),
      );
    expect(await upgrades(SOCKETS.good)).toEqual(["upgrade,websocket"]);
    for (const bytes of SOCKETS.others) expect(await upgrades(bytes), bytes).toEqual([""]);
  });
});

/** What the origin got, as a visitor's request. */
function asRequest({ method, target, fields }: Head): string {
  const passed = fields.filter(([name]) => !OF_HOP.test(name) && !["cookie", "cdn-loop"].includes(name));
  const own = fields.filter(([name]) => name === "cookie").map(([, value]) => value);
  const lines = [`${method} ${target} HTTP/1.1`, ...passed.map(([name, value]) => `${name}: ${value}`)];
  return `${[...lines, `Cookie: ${[...own, "COOKIE"].join("; ")}`, "Connection: close"].join("\r\n")}\r\n\r\n`;
}

/** Fields of one connection, and the length of a body. */
const OF_HOP = /^(?:connection|upgrade|te|content-length|transfer-encoding|expect)$/;
/** Fields that each proxy writes itself. */
const WRITTEN = /^(?:x-forwarded-(?:for|host|proto)|forwarded|cdn-loop|via)$/;

/** What a proxy passes on that the gate does not. */
function differences(lane: Head, gate: Head): string[] {
  const text = ({ fields }: Head): string[] =>
    fields.filter(([name]) => !OF_HOP.test(name) && !WRITTEN.test(name)).map((field) => field.join(": "));
  const kept = new Set(text(gate));
  return [
    ...(lane.method === gate.method ? [] : [`method ${lane.method}, not ${gate.method}`]),
    ...(lane.target === gate.target ? [] : [`target ${lane.target}, not ${gate.target}`]),
    ...text(lane).filter((field) => !kept.has(field)),
    ...["x-forwarded-for", "x-forwarded-host", "x-forwarded-proto"].flatMap((name) => {
      const values = lane.fields.filter(([each]) => each === name);
      if (values.length === 0 && !gate.fields.some(([each]) => each === name)) return [];
      return values.length === 1 && values[0]?.[1] !== "6.6.6.6" ? [] : [`${name} as the visitor says`];
    }),
    ...lane.fields
      .filter(([name, value]) => name === "connection" && !/^(?:close|keep-alive|upgrade)?$/i.test(value))
      .map(String),
  ];
}
