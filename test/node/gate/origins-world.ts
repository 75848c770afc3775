/** A gate in front of real origins on loopback: what goes where, over real sockets. */

import { expect } from "vitest";
import type { ListenOptions } from "../../../node/http/listener.ts";
import { ask } from "../http/peer.ts";
import { answering, gate, type RawOrigin, type TestGate } from "../http/wire.ts";
import { GateWorld, SHOP } from "./gate-world.ts";

export const OPEN_SHOP = { ...SHOP, total_active_users: 100_000, new_users_per_minute: 100_000, session_duration: 5 };

export function url({ port }: { port: number }): string {
  return `http://127.0.0.1:${port}`;
}

/** An origin that answers everything with its name. */
export function named(name: string, status = "200 OK"): RawOrigin {
  return answering(`HTTP/1.1 ${status}\r\nContent-Length: ${name.length}\r\n\r\n${name}`);
}

/** A port at which nothing listens. */
export function nobody(): string {
  const origin = named("nobody");
  origin.stop();
  return url(origin);
}

export class OriginsWorld extends GateWorld {
  readonly served: TestGate;

  constructor(room: object, options: Partial<ListenOptions> = {}) {
    super({ rooms: [{ ...OPEN_SHOP, ...room }] });
    this.served = gate((exchange) => this.gate.handle(exchange), options);
  }

  /** What a visitor gets: status, body, and the cookie to come back with. */
  async get(cookie = "", fields = ""): Promise<{ status: number; body: string; cookie: string; text: string }> {
    const sent = cookie === "" ? "" : `Cookie: ${cookie}\r\n`;
    const text = await ask(
      this.served.port,
      `GET / HTTP/1.1\r\nHost: shop.example\r\nAccept: text/html\r\nConnection: close\r\n${sent}${fields}\r\n`,
    );
    return {
      status: Number(text.slice(9, 12)),
      body: text.slice(text.indexOf("\r\n\r\n") + 4),
      cookie: /set-cookie: ([^;]+)/i.exec(text)?.[1] ?? cookie,
      text,
    };
  }

  /** The bodies of `count` new visitors, counted. */
  async newcomers(count: number): Promise<Record<string, number>> {
    const found: Record<string, number> = {};
    for (let at = 0; at < count; at += 50) {
      const answers = await Promise.all(Array.from({ length: Math.min(50, count - at) }, () => this.get()));
      for (const { body } of answers) found[body] = (found[body] ?? 0) + 1;
    }
    return found;
  }

  /** Everything that the observer heard of the origin from now on, in order. */
  observer(): string[] {
    const heard: string[] = [];
    const observer = {
      sent: () => heard.push("sent"),
      answered: (isAccepted: boolean, tookMs: number) => {
        expect(tookMs).toBeGreaterThanOrEqual(0);
        heard.push(isAccepted ? "accepted" : "refused");
      },
      failed: () => heard.push("failed"),
      withdrawn: () => heard.push("withdrawn"),
      reachable: () => undefined,
    };
    Object.assign(this.room(), { observer });
    return heard;
  }
}
