/**
 * What is measured: each variant starts its own server, meets its visitors, and proves afterwards that the answers were
 * the ones meant.
 */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type GateServer, type RoomName, startGate } from "./gate-server.ts";
import { laneVariants } from "./lane.ts";
import { startHaproxyPage, startNginxProxy } from "./other-servers.ts";
import type { Program, Server } from "./programs.ts";
import { cookiesOf, NAVIGATION, POLL, visitAll } from "./visitors.ts";
import type { Load } from "./wrk.ts";

/** A server at work and the load to put on it. */
export interface Running {
  readonly server: Server;
  readonly load: Omit<Load, "seconds">;
  /** The outcome that all requests must have, and requests so far by outcome; for servers that count them. */
  readonly meant?: string;
  readonly outcomes?: () => Promise<ReadonlyMap<string, number>>;
}

export interface Variant {
  readonly name: string;
  /** What it needs besides wrk. */
  readonly needs: readonly Program[];
  /** Whether anteroom is what is measured. */
  readonly isGate: boolean;
  /** Starts it in the new folder `folder`; a minute lasts for `measureMs` more when it returns. */
  readonly start: (place: { readonly folder: string; readonly measureMs: number }) => Promise<Running>;
}

export interface Visitors {
  /** Different visitors who poll. */
  readonly waiting: number;
  /** Different visitors inside. */
  readonly inside: number;
}

/** As many wait as in a large sale; as many are inside as look at a page at the same time. */
export const VISITORS: Visitors = { waiting: 10_000, inside: 1_000 };

const MINUTE_MS = 60_000;

/** The variants for the gate that `command` starts, before the origin on `originPort`, in the order of measuring. */
export function variants(command: readonly string[], originPort: number, visitors = VISITORS): Variant[] {
  const gate = (folder: string): Promise<GateServer> => startGate(command, { folder, originPort });
  return [
    {
      name: "waiting poll",
      needs: [],
      isGate: true,
      start: async ({ folder }) => {
        const started = await gate(folder);
        const { cookies } = await lineUp(started, visitors.waiting);
        return running(started, { room: "full", meant: "polled", cookies, fields: POLL, folder });
      },
    },
    {
      name: "HAProxy, static page of the poll's size",
      needs: ["haproxy"],
      isGate: false,
      start: async ({ folder }) => {
        // It answers each poll with what the last of them got from the gate.
        const started = await gate(folder);
        const { cookies, body } = await lineUp(started, visitors.waiting);
        await started.server.stop();
        const fields = ["Cache-Control: no-store", "Retry-After: 600"];
        const page = { body, contentType: "application/json", fields };
        const { server, url } = await startHaproxyPage(join(folder, "page"), page);
        return { server, load: { url, cookies: cookieFile(folder, cookies), fields: POLL } };
      },
    },
    {
      name: "new visitor, queued",
      needs: [],
      isGate: true,
      start: async ({ folder }) => {
        const started = await gate(folder);
        await cookiesOf(started.url("full"), 1);
        return running(started, { room: "full", meant: "joined", cookies: [], fields: NAVIGATION, folder });
      },
    },
    {
      name: "new visitor, admitted",
      needs: [],
      isGate: true,
      start: async ({ folder }) => {
        const started = await gate(folder);
        await letOneIn(started);
        return running(started, { room: "open", meant: "admitted", cookies: [], fields: NAVIGATION, folder });
      },
    },
    {
      name: "visitor inside",
      needs: [],
      isGate: true,
      start: async ({ folder, measureMs }) => {
        const started = await gate(folder);
        await letOneIn(started);
        // wrk takes no new cookies: after the minute's edge each of its requests would be a check-in, of real visitors
        // one.
        await untilMinuteHas(measureMs);
        const cookies = await cookiesOf(started.url("open"), visitors.inside);
        return running(started, { room: "open", meant: "inside", cookies, fields: NAVIGATION, folder });
      },
    },
    {
      name: "nginx, plain proxy",
      needs: ["nginx"],
      isGate: false,
      start: async ({ folder }) => {
        const { server, url } = await startNginxProxy(folder, originPort);
        return { server, load: { url, cookies: undefined, fields: NAVIGATION } };
      },
    },
    ...laneVariants(originPort),
  ];
}

/**
 * Lets the first visitor in. On a busy machine a node that has only just started puts that one in line until its disk
 * has what it may admit, and others behind.
 */
async function letOneIn({ url, outcomes }: GateServer): Promise<void> {
  let own: string | undefined;
  while ((await outcomes("open")).get("admitted") === undefined)
    await visitAll({ url: url("open"), fields: NAVIGATION }, [own], ({ cookie = own }) => {
      own = cookie;
    });
}

/**
 * Fills the room and has `waiting` more visitors poll once: each must be told to wait. A visitor whose wait has
 * become longer gets a new cookie.
 */
async function lineUp(started: GateServer, waiting: number): Promise<{ cookies: string[]; body: string }> {
  const url = started.url("full");
  await cookiesOf(url, 1);
  const joined = await cookiesOf(url, waiting);
  const cookies: string[] = [];
  let lastBody = "";
  await visitAll({ url, fields: POLL }, joined, ({ asked = "", cookie = asked, body }) => {
    cookies.push(cookie);
    if (!body.startsWith('{"cfWaitingRoom":{"inWaitingRoom":true,')) {
      throw new Error(`Cannot measure polls as every one must be told to wait: current answer is ${body}`);
    }
    lastBody = body;
  });
  return { cookies, body: lastBody };
}

function running(
  { server, url, outcomes }: GateServer,
  plan: {
    readonly room: RoomName;
    readonly meant: string;
    readonly cookies: readonly string[];
    readonly fields: readonly string[];
    readonly folder: string;
  },
): Running {
  const { room, meant, cookies, fields, folder } = plan;
  return {
    server,
    load: { url: url(room), cookies: cookies.length === 0 ? undefined : cookieFile(folder, cookies), fields },
    meant,
    outcomes: () => outcomes(room),
  };
}

function cookieFile(folder: string, cookies: readonly string[]): string {
  const path = join(folder, "cookies");
  writeFileSync(path, `${cookies.join("\n")}\n`);
  return path;
}

async function untilMinuteHas(leftMs: number): Promise<void> {
  const nowLeftMs = MINUTE_MS - (Date.now() % MINUTE_MS);
  if (nowLeftMs < leftMs) await Bun.sleep(nowLeftMs + 1);
}
