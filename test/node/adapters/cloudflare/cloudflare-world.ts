/**
 * A gate and its admin API in memory, with Cloudflare's SDK in front of the routes in Cloudflare's form.
 *
 * Every answer is recorded, and compared with the schema by `schemaFaults`.
 */

import { appendFileSync } from "node:fs";
import Cloudflare, { APIError } from "cloudflare";
import { Hono } from "hono";
import { inEnvelope } from "../../../../node/adapters/cloudflare/in-envelope.ts";
import { cloudflareRoutes } from "../../../../node/adapters/cloudflare/routes.ts";
import { identified, type Principal } from "../../../../node/operator/access/principal.ts";
import type { adminApi } from "../../../../node/operator/admin-api.ts";
import { type AdminEnv, AuditLog } from "../../../../node/operator/logs/audit.ts";
import type { NodeStatus } from "../../../../node/operator/status/status.ts";
import { GateWorld, type WorldOptions } from "../../gate/gate-world.ts";
import { adminWorld, TOKEN } from "../../operator/admin-world.ts";
import { faultsOfAnswer } from "./answer-schema.ts";

export const ZONE = "023e105f4ecef8ad9ca31a8372d0c353";
export const OTHER = "other_zone-2";
export const ORIGIN = "http://admin.test:8081";
export const BASE = `${ORIGIN}/client/v4`;

/** What a room needs there. */
export const SHOP = {
  zone_id: ZONE,
  name: "shop",
  host: "shop.example",
  total_active_users: 2,
  new_users_per_minute: 10,
};

export interface Recorded {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly body: unknown;
}

const SILENT = { error: () => {}, warn: () => {}, info: () => {}, debug: () => {} };

/** A file to which all answers are added, to be compared with a published schema by a person. */
const { ANSWERS } = process.env;

export class CloudflareWorld {
  readonly world: GateWorld;
  readonly app: ReturnType<typeof adminApi>;
  readonly client: Cloudflare;
  readonly recorded: Recorded[] = [];
  readonly #status: () => NodeStatus;

  constructor(options: WorldOptions = {}) {
    const world = new GateWorld({ rooms: [], ...options });
    this.world = world;
    const { app, status } = adminWorld(world);
    this.app = app;
    this.#status = status;
    this.client = this.clientWith({ apiToken: TOKEN });
  }

  /** Cloudflare's SDK with other credentials, or at another app. */
  clientWith(options: ConstructorParameters<typeof Cloudflare>[0], app = this.app): Cloudflare {
    const fetch = (url: string | URL | Request, init?: RequestInit) => this.fetch(String(url), init, app);
    return new Cloudflare({ baseURL: BASE, maxRetries: 0, fetch, ...options });
  }

  /** A request without the SDK. */
  async raw(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Recorded> {
    const init = {
      method,
      headers: {
        Authorization: `Bearer ${TOKEN}`,
        ...(body !== undefined && { "Content-Type": "application/json" }),
        ...headers,
      },
      ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
    };
    const response = await this.fetch(path.startsWith("/") ? `${BASE}${path}` : path, init);
    return { method, path, status: response.status, body: await response.json() };
  }

  /** The SDK in the hands of `principal`. */
  clientOf(principal: Principal): Cloudflare {
    const { rooms } = this.world;
    const app = new Hono<AdminEnv>();
    const names = () => rooms.all().map(({ room }) => room.name);
    app.use(
      "/client/v4/*",
      inEnvelope,
      identified(() => principal, names),
    );
    cloudflareRoutes(app, { rooms, audit: new AuditLog(rooms, SILENT), status: this.#status });
    return this.clientWith({ apiToken: "any" }, app);
  }

  async fetch(url: string, init?: RequestInit, app = this.app): Promise<Response> {
    const response = await app.request(url, init);
    const path = url.slice(BASE.length);
    if (url.startsWith(BASE)) {
      const recorded = {
        method: init?.method ?? "GET",
        path,
        status: response.status,
        body: await response.clone().json(),
      };
      this.recorded.push(recorded);
      if (ANSWERS) appendFileSync(ANSWERS, `${JSON.stringify(recorded)}\n`);
    }
    return response;
  }

  /** Every answer so far that is not as the schema says. */
  schemaFaults(): readonly string[] {
    return this.recorded.flatMap(faultsOfAnswer);
  }

  /** All rooms as their documents say, to see that nothing was changed. */
  snapshot(): string {
    const rooms = this.world.rooms.all().map(({ id, declared, modifiedMs }) => ({ id, declared, modifiedMs }));
    return JSON.stringify([rooms, this.world.peer.replica.registersDigest]);
  }
}

/** What the SDK returns; its types allow null everywhere. */
export function present<Value>(value: Value | null | undefined): Value {
  if (value === null || value === undefined) throw new Error("Nothing, where an answer was due");
  return value;
}

export function idOf({ id }: { readonly id?: string | undefined }): string {
  return present(id);
}

export interface Failure {
  readonly status: number;
  readonly errors: readonly {
    readonly code: number;
    readonly message: string;
    readonly source?: { readonly pointer: string };
  }[];
}

/** The error that a call of the SDK ends with. */
export async function failure(call: PromiseLike<unknown>): Promise<Failure> {
  try {
    await call;
  } catch (error) {
    if (error instanceof APIError && error.status !== undefined)
      return { status: error.status, errors: error.errors as unknown as Failure["errors"] };
    throw error;
  }
  throw new Error("Succeeded, where a failure was due");
}
