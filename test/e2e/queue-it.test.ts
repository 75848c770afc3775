/** Two real nodes as the queue of a real site with the published connector: the site counts who is inside. */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ConnectorSite, CUSTOMER, type Jar, SECRET } from "../node/adapters/queue-it/connector.ts";
import { Origin, TestNode, temporaryDirectory, until } from "./process.ts";

const QUEUE = "queue.shop.example";
const LIMIT = 2;
/** No session ends during a test, however slow the machine is. */
const MINUTE_MS = 60_000;
const SESSION_MINUTES = 30;

/** A site on a port of this machine: it answers pages with the connector's visitor, and follows nothing by itself. */
class Site {
  readonly origin: Origin;
  readonly connector: ConnectorSite;
  config = "";
  /** Visitors that the connector let in, by queue id: when last, in Unix ms. */
  readonly seen = new Map<string, number>();

  private constructor(origin: Origin, connector: ConnectorSite) {
    this.origin = origin;
    this.connector = connector;
  }

  static async start(secret = SECRET): Promise<Site> {
    const connector: ConnectorSite = new ConnectorSite(() => site.config, { secret, address: "127.0.0.1" });
    const origin: Origin = await Origin.start((request, response) => {
      const jar: Jar = new Map(
        (request.headers.cookie ?? "").split("; ").flatMap((pair) => {
          const at = pair.indexOf("=");
          return at < 0 ? [] : [[pair.slice(0, at), decodeURIComponent(pair.slice(at + 1))] as const];
        }),
      );
      const before = new Map(jar);
      void connector.visit(origin.url + (request.url ?? ""), jar).then(
        (answer) => {
          const set = [...jar].filter(([name, value]) => before.get(name) !== value);
          const cookies = set.map(([name, value]) => `${name}=${encodeURIComponent(value)}; Path=/`);
          if (cookies.length > 0) response.setHeader("Set-Cookie", cookies);
          if (answer.kind === "redirect") response.writeHead(302, { Location: answer.location }).end();
          else {
            site.seen.set(answer.queueId ?? "", Date.now());
            response.end(`page of ${answer.queueId}`);
          }
        },
        (error: unknown) => response.writeHead(500).end(String(error)),
      );
    });
    const site: Site = new Site(origin, connector);
    return site;
  }
}

/** A browser that finds the queue's domain at one of the gates. */
class Browser {
  readonly jars = new Map<string, Map<string, string>>();
  last = "";

  async open(
    url: string,
    gates: readonly TestNode[],
    turn = 0,
  ): Promise<{ status: number; body: string; url: string }> {
    let at = url;
    for (let hop = 0; hop < 10; hop++) {
      const { host, pathname, search } = new URL(at);
      const gate = gates[(turn + hop) % gates.length];
      const isQueue = host === QUEUE;
      const jar = this.jars.getOrInsertComputed(isQueue ? QUEUE : host, () => new Map());
      const answer = await fetch(isQueue && gate !== undefined ? gate.gate + pathname + search : at, {
        redirect: "manual",
        headers: {
          ...(isQueue && { Host: QUEUE }),
          Accept: "text/html",
          Cookie: [...jar].map(([name, value]) => `${name}=${value}`).join("; "),
        },
      });
      for (const set of answer.headers.getSetCookie()) {
        const [pair = ""] = set.split(";");
        jar.set(pair.slice(0, pair.indexOf("=")), pair.slice(pair.indexOf("=") + 1));
      }
      const location = answer.headers.get("location");
      if (location === null) return { status: answer.status, body: await answer.text(), url: at };
      this.last = at;
      at = new URL(location, at).href;
    }
    throw new Error(`Sent in circles, at last to ${at}`);
  }
}

async function world(secret = SECRET): Promise<{ nodes: TestNode[]; site: Site }> {
  const site = await Site.start(secret);
  const directory = temporaryDirectory();
  const [secretFile, keyFile] = [join(directory, "secret"), join(directory, "key")];
  writeFileSync(secretFile, `${SECRET}\n`, { mode: 0o600 });
  writeFileSync(keyFile, "the-api-key\n", { mode: 0o600 });
  const account = ["--queue-it-customer", CUSTOMER, "--queue-it-secret-file", secretFile];
  const flags = [...account, "--queue-it-api-key-file", keyFile];
  const room = {
    name: "tickets",
    host: QUEUE,
    path: "/tickets",
    total_active_users: LIMIT,
    new_users_per_minute: 100,
    session_duration: SESSION_MINUTES,
    refresh_interval_seconds: 1,
    cookie_attributes: { secure: "never" },
    queue_it: { event_id: "tickets", protects: [`${site.origin.url}/`] },
  };
  const founder = await TestNode.start({ rooms: [room], minuteMs: MINUTE_MS, flags });
  const second = await TestNode.start({ minuteMs: MINUTE_MS, flags: [...flags, ...(await founder.joining())] });
  const nodes = [founder, second];
  await until(async () =>
    (await Promise.all(nodes.map((node) => node.status()))).every(
      ({ view, rooms }) => view?.members === 2 && rooms.length === 1,
    ),
  );
  await until(async () => {
    const config = await fetch(`${second.gate}/status/integrationconfig/secure/${CUSTOMER}`, {
      headers: { Host: QUEUE, "api-key": "the-api-key" },
    });
    site.config = config.status === 200 ? await config.text() : "";
    return site.config !== "";
  });
  return { nodes, site };
}

test("visitors go from the site to either gate and back; the site never counts more than the limit", async () => {
  const { nodes, site } = await world();
  const url = `${site.origin.url}/show?id=7`;
  const browsers = Array.from({ length: 5 }, () => new Browser());
  const pages = await Promise.all(browsers.map((browser, index) => browser.open(url, nodes, index)));
  const inside = pages.flatMap(({ body }, index) => (body.startsWith("page of") ? [index] : []));
  expect(inside.length).toBeLessThanOrEqual(LIMIT);
  // A share may have to move to the gate where visitors are.
  await until(async () => {
    const waiting = browsers.filter((_, index) => !inside.includes(index));
    for (const [turn, browser] of waiting.entries()) {
      if (inside.length === LIMIT) return true;
      const { body } = await browser.open(url, nodes, turn);
      if (body.startsWith("page of")) inside.push(browsers.indexOf(browser));
    }
    return inside.length === LIMIT;
  });
  expect(site.seen.size).toBe(LIMIT);
  for (const [index, browser] of browsers.entries()) {
    const { status, body, url: end } = await browser.open(url, nodes, index);
    expect([status, body.startsWith("page of")]).toEqual([200, inside.includes(index)]);
    if (inside.includes(index)) expect(end).toBe(url);
  }
  // A visitor whose connector's cookie is gone goes round by the other gate, and is the same one.
  const [first = 0] = inside;
  browsers[first]?.jars.delete(new URL(url).host);
  expect((await browsers[first]?.open(url, nodes, first + 1))?.body).toMatch(/^page of/);
  expect(site.seen.size).toBe(LIMIT);
  // So also after a node was killed and came back.
  const [founder, second] = nodes;
  await founder?.process.end("SIGKILL");
  browsers[first]?.jars.delete(new URL(url).host);
  expect((await browsers[first]?.open(url, second === undefined ? [] : [second]))?.body).toMatch(/^page of/);
  expect(site.seen.size).toBe(LIMIT);
});
