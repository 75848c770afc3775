/** Forward authentication at real proxies, with the configurations that `anteroom snippet` prints. */

import { describe, expect } from "vitest";
import { atFront, type Front, type FrontKind, type HeadOrigin } from "./fronts.ts";
import { type TestNode, until } from "./process.ts";
import { exchange } from "./raw.ts";
import { Visitor } from "./visitor.ts";

/** No session ends during a test, and each minute brings a new cookie. */
const MINUTE_MS = 12_000;
const LIMITS = {
  total_active_users: 2,
  new_users_per_minute: 1_000,
  session_duration: 30,
  json_response_enabled: true,
};
const ROOMS = [
  { name: "shop", host: "*", path: "/", ...LIMITS },
  { name: "bound", host: "*", path: "/bound", ...LIMITS, enabled_origin_commands: ["revoke"] },
];

const KINDS: readonly FrontKind[] = ["nginx", "caddy"];

/** The proxies side by side, the tests at each of them one after the other: they share its room. */
describe.concurrent.each(KINDS)("%s", (kind) => {
  let origin: HeadOrigin;
  let node: TestNode;
  let front: Front;
  const { here: anyhow, named } = atFront(
    kind,
    {
      fields: ["Anteroom-Command: none", "Set-Cookie: own=1"],
      flags: ["--room", "shop"],
      rooms: ROOMS,
      minuteMs: MINUTE_MS,
    },
    (scene) => {
      ({ origin, node, front } = scene);
    },
  );

  const here = (name: string, run: () => Promise<void>): void => anyhow(name, { concurrent: false }, run);
  const cases = { sent: 0 };

  /** Sends a request as its bytes; the answer, and what the origin got. */
  async function send(line: string, fields: readonly string[], body = "") {
    cases.sent += 1;
    const name = `auth-${cases.sent}`;
    const lines = [`${line} HTTP/1.1`, "Host: shop.example", `X-Case: ${name}`, "Connection: close", ...fields];
    const text = await exchange(front.port, `${lines.join("\r\n")}\r\n\r\n${body}`);
    const [head] = origin.casesOf(name);
    return { text, status: Number(/^HTTP\/1\.\d (\d{3})/.exec(text)?.[1] ?? 0), head };
  }

  const cookiesIn = (text: string): string[] =>
    [...text.matchAll(/^set-cookie: (__anteroom_[^;\r]*)/gim)].map(([, pair]) => pair ?? "");

  here(
    named("lets visitors inside pass to the origin, with the target as it came and without what is anteroom's"),
    async () => {
      const first = await send("GET /a", ["Accept: text/html"]);
      const [session = ""] = cookiesIn(first.text);
      expect([first.status, first.head?.isByLane, session !== ""]).toEqual([200, false, true]);
      const forged = ["X-Original-URL: /bound", "Anteroom-Set-Cookie-2: x=1"];
      const next = await send("GET /a?b=%20c&d", [`Cookie: a=1; ${session}; b=2`, ...forged]);
      const cookies = next.head?.fields.filter(([name]) => name === "cookie").map(([, value]) => value);
      expect([next.status, next.head?.isByLane, next.head?.target, cookies]).toEqual([
        ...[200, true, "/a?b=%20c&d", ["a=1; b=2"]],
      ]);
      expect(["own=1", "nteroom-Command", "x=1;"].map((part) => next.text.includes(part))).toEqual([
        true,
        false,
        false,
      ]);
      const posted = await send("POST /buy", [`Cookie: ${session}`, "Content-Length: 5"], "order");
      expect([posted.status, posted.head?.method, posted.head?.isByLane]).toEqual([200, "POST", true]);
    },
  );

  here(named("extends a session: a new cookie comes with the origin's answer"), async () => {
    const first = await send("GET /a", ["Accept: text/html"]);
    let [session = ""] = cookiesIn(first.text);
    let renewed = 0;
    await until(async () => {
      const next = await send("GET /b", [`Cookie: ${session}`]);
      expect([next.status, next.head !== undefined]).toEqual([200, true]);
      const [fresh] = cookiesIn(next.text);
      if (fresh !== undefined) renewed += 1;
      session = fresh ?? session;
      return renewed >= 2;
    });
  });

  here(named("shows the waiting page with the room's status, answers its polls, and lets the visitor in"), async () => {
    const come = async (visitor: Visitor) => ({ visitor, position: (await visitor.get("/")).position });
    let last = await come(new Visitor(front.url, "first"));
    // The room is full of those before.
    for (let count = 0; last.position === undefined; count++)
      last = await come(new Visitor(front.url, `more-${count}`));
    const { visitor: waits, position } = last;
    expect(position).toBe(1);
    const page = await waits.get("/deep/path?q=1", { accept: "text/html" });
    expect([page.status, page.text.includes("<html")]).toEqual([200, true]);
    const poll = await waits.get("/deep/path?q=1", { "anteroom-poll": "1" });
    expect([poll.status, poll.position]).toEqual([200, 1]);
    const posted = await send(
      "POST /buy",
      ["Accept: text/html", `Cookie: ${waits.cookie}`, "Content-Length: 5"],
      "order",
    );
    expect([posted.head, posted.text.includes("<html")]).toEqual([undefined, true]);
    // The gate answers: the room has no draw.
    expect((await waits.get("/.anteroom/draw")).status).toBe(404);
    const larger = `total_active_users=${LIMITS.total_active_users + 1}`;
    expect((await node.run(["room", "update", "shop", larger])).code).toBe(0);
    await until(async () => (await waits.get("/", { "anteroom-poll": "1" })).text.includes('"inWaitingRoom":false'));
    expect((await waits.get("/in")).text).toContain('"byLane":true');
  });

  here(named("sends rooms in which the gate has a say through it, and refuses questions from outside"), async () => {
    const first = await send("GET /bound/a", ["Accept: text/html"]);
    const cookies = cookiesIn(first.text).join("; ");
    const next = await send("GET /bound/a", [`Cookie: ${cookies}`]);
    expect([next.status, next.head?.isByLane]).toEqual([200, false]);
    for (const path of [
      "/.anteroom/auth",
      "/.anteroom/auth/nginx",
      "/.anteroom/auth/caddy?x",
      "/x/../.anteroom/auth/envoy/",
    ])
      expect((await send(`GET ${path}`, ["X-Original-URI: /", "X-Forwarded-Uri: /"])).status, path).not.toBe(200);
  });
});
