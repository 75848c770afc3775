/** The part of the admin API about the keys of `Anteroom-Visitor`: what the programmers of a room's origin need. */

import { z } from "zod";
import { VISITOR_ISSUER, type VisitorKeys } from "../../keys/visitor-keys.ts";
import type { LiveRoom } from "../../rooms/live-room.ts";
import { refusalFor } from "../access/other-rooms.ts";
import { operation } from "../calls/operation.ts";
import type { Serve } from "../calls/serve.ts";
import { actorOf } from "../logs/audit.ts";
import { named } from "./common-shapes.ts";
import type { RoomRoutes } from "./rooms.ts";

const VISITOR_KEYS = z.object({
  room: z.string().describe("the room's name"),
  is_on: z.boolean().describe("whether the gates send the header"),
  issuer: z.string().describe("the claim iss"),
  audience: z.string().describe("the claim aud"),
  algorithm: z.literal("HS256").describe("of the signature"),
  keys: z
    .array(
      z.object({
        kid: z.string().describe("names the key in the head of the token"),
        key: z.string().describe("secret: a reader of it can write the header for that origin"),
      }),
    )
    .describe("the key with which gates sign, and the next one"),
});

/** All that verifies the header of a room. */
export type VisitorKeyDocument = z.output<typeof VISITOR_KEYS>;

const READ = operation({
  id: "getVisitorKeys",
  method: "GET",
  path: "/v1/rooms/{name}/visitor-keys",
  topic: "rooms",
  scope: "configure",
  summary: "returns what verifies the [header of visitors](origins.md) of a room, with its keys",
  answer: {
    description: "the keys",
    schema: named("VisitorKeysAnswer", z.object({ visitor_keys: VISITOR_KEYS.describe("what verifies the header") })),
  },
  problems: ["not-found", "conflict"],
});

export const VISITOR_KEY_OPERATIONS = [READ];

type VisitorKeyRoutes = RoomRoutes & { readonly keys: VisitorKeys };

export function visitorKeyRoutes(serve: Serve, { rooms, keys, audit }: VisitorKeyRoutes): void {
  serve(READ, ({ c, params }) => {
    const named = rooms.named(params.name);
    if (!named.ok) return refusalFor(c, named.refusal);
    audit.note(actorOf(c), "keys of visitor header shown", { room: named.value.declared.name });
    return c.json({ visitor_keys: visitorKeys(named.value, keys) }, 200, { "cache-control": "no-store" });
  });
}

function visitorKeys({ id, declared }: LiveRoom, keys: VisitorKeys): VisitorKeyDocument {
  const { name, visitorHeader, visitorKeyGeneration: generation } = declared;
  return {
    room: name,
    is_on: visitorHeader,
    issuer: VISITOR_ISSUER,
    audience: name,
    algorithm: "HS256",
    keys: [generation, generation + 1].map((each) => ({
      kid: String(each),
      key: keys.key({ room: id, generation: each }),
    })),
  };
}
