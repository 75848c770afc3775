/**
 * What the fast lane costs a proxy: the same requests of a visitor inside through HAProxy, as a plain proxy
 * and with the configuration that `anteroom snippet` prints. No gate runs: a request that went there would fail.
 */

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { haproxySnippet } from "../../cmd/snippet/haproxy.ts";
import { planOf, type SnippetPlan } from "../../cmd/snippet/plan.ts";
import type { RoomId } from "../../mesh/core/ids.ts";
import { LaneKeys, laneCookieName, laneHeader } from "../../node/cookie/lane-keys.ts";
import { type OtherServer, readyServer } from "./other-servers.ts";
import { freePort, installed, Server } from "./programs.ts";
import type { Variant } from "./variants.ts";
import { NAVIGATION } from "./visitors.ts";

const ROOM = "0123456789abcdef" as RoomId;
const PIN = "p".repeat(16);
const KEYS = new LaneKeys({ meshId: "0123456789abcdef", meshKey: new Uint8Array(32).fill(7) });
const scope = (generation: number) => ({ room: ROOM, pin: PIN, generation });

/** Longer than any run. */
const TOKEN_SECONDS = 86_400;

/** As long as a session's cookie. */
const SESSION = `__anteroom_shop=${"s".repeat(480)}`;

export function laneVariants(originPort: number): Variant[] {
  const variant = (
    name: string,
    needs: Variant["needs"],
    start: (folder: string, originPort: number) => Promise<OtherServer>,
  ): Variant => ({
    ...{ name, needs, isGate: false },
    start: async ({ folder }) => {
      mkdirSync(folder);
      const { server, url } = await start(folder, originPort);
      const cookies = join(folder, "cookies");
      writeFileSync(cookies, `${cookie()}\n`);
      return { server, load: { url, cookies, fields: NAVIGATION } };
    },
  });
  return [
    variant("lane: HAProxy, plain proxy", ["haproxy"], plainHaproxy),
    variant("lane: HAProxy with the fast lane", ["haproxy"], laneHaproxy),
  ];
}

/** What the browser of a visitor inside sends. */
function cookie(): string {
  const now = Math.floor(Date.now() / 1_000);
  const claims = { visitor: "4QK7-X2MD", madeSeconds: now, expiresSeconds: now + TOKEN_SECONDS };
  return `theme=dark; ${SESSION}; ${laneCookieName(ROOM)}=${KEYS.token(claims, scope(1))}`;
}

function plan(port: number, originPort: number): SnippetPlan {
  const keys = [1, 2].map((generation) => ({
    ...{ generation, header: laneHeader(generation) },
    key: KEYS.key(scope(generation)),
  }));
  const room = {
    ...{ id: ROOM, name: "shop", cookie: laneCookieName(ROOM), keys },
    ...{ origin: `http://127.0.0.1:${originPort}`, obstacle: undefined, isThrottled: false },
  };
  const routes = [{ read: "", written: "", room: ROOM }];
  const lane = {
    ...{ version: "bench", gate: `127.0.0.1:${freePort()}`, isTls: false, hasOriginSecret: false, origin: undefined },
    ...{ pin: PIN, generation: 1, snippet: KEYS.snippetText({ pin: PIN, generation: 1 }), rooms: [room] },
    hosts: [{ host: "*", isUniform: true, routes }],
  };
  const choice = { rooms: [], gates: [], origin: undefined, isPlain: false, tlsFiles: undefined };
  return planOf(lane, { ...choice, bind: `127.0.0.1:${port}` });
}

function plainHaproxy(folder: string, originPort: number): Promise<OtherServer> {
  const port = freePort();
  return haproxy(folder, port, [
    "defaults",
    "  mode http",
    "  timeout connect 5s",
    "  timeout client 60s",
    "  timeout server 60s",
    "frontend plain",
    `  bind 127.0.0.1:${port}`,
    "  http-request set-header X-Forwarded-For %[src]",
    "  http-request set-header X-Forwarded-Host %[req.hdr(host)]",
    "  http-request set-header X-Forwarded-Proto http",
    "  default_backend origin",
    "backend origin",
    `  server origin 127.0.0.1:${originPort}`,
  ]);
}

function laneHaproxy(folder: string, originPort: number): Promise<OtherServer> {
  const port = freePort();
  return haproxy(folder, port, [haproxySnippet(plan(port, originPort))]);
}

function haproxy(folder: string, port: number, lines: readonly string[]): Promise<OtherServer> {
  const path = join(folder, "haproxy.cfg");
  writeFileSync(path, `${["global", "  nbthread 1", ...lines].join("\n")}\n`);
  return readyServer(new Server([installed("haproxy") ?? "", "-db", "-f", path], "server"), port);
}
