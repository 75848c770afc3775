/** The part of the admin API about the keys of `Anteroom-Visitor`: what the programmers of a room's origin need. */

import type { Hono } from "hono";
import { VISITOR_ISSUER, type VisitorKeys } from "../cookie/visitor-keys.ts";
import type { LiveRoom } from "../rooms/live-room.ts";
import type { Rooms } from "../rooms/rooms.ts";
import { refusal } from "./api-answers.ts";
import { type AdminEnv, type AuditLog, actorOf } from "./audit.ts";
import { needs } from "./principal.ts";

/** All that verifies the header of a room. Whoever has it can write the header for that origin. */
export interface VisitorKeyDocument {
  readonly room: string;
  readonly is_on: boolean;
  readonly issuer: string;
  readonly audience: string;
  readonly algorithm: "HS256";
  /** The key with which gates sign, and the next one. */
  readonly keys: readonly { readonly kid: string; readonly key: string }[];
}

export interface VisitorKeyRoutes {
  readonly rooms: Rooms;
  readonly keys: VisitorKeys;
  readonly audit: AuditLog;
}

export function visitorKeyRoutes(app: Hono<AdminEnv>, { rooms, keys, audit }: VisitorKeyRoutes): void {
  app.get("/v1/rooms/:name/visitor-keys", needs("configure"), (c) => {
    const named = rooms.named(c.req.param("name"));
    if (!named.ok) return refusal(named.refusal);
    audit.note(actorOf(c), "keys of visitor header shown", { room: named.value.declared.name });
    return c.json({ visitor_keys: visitorKeys(named.value, keys) }, 200, { "cache-control": "no-store" });
  });
}

function visitorKeys({ id, declared }: LiveRoom, keys: VisitorKeys): VisitorKeyDocument {
  const { name, visitorHeader, visitorKeyGeneration: generation } = declared;
  return {
    ...{ room: name, is_on: visitorHeader, issuer: VISITOR_ISSUER, audience: name, algorithm: "HS256" },
    keys: [generation, generation + 1].map((each) => ({
      kid: String(each),
      key: keys.key({ room: id, generation: each }),
    })),
  };
}
