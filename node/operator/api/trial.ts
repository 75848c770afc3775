/**
 * The part of the admin API that says what would happen to a request: `POST /v1/trial`. Nothing is sent, counted or
 * admitted; the answer is what the gate's own rooms and rules say. A crawler is proven here by lists of addresses alone:
 * no DNS server is asked, and no signature verified.
 */

import { z } from "zod";
import type { Shape } from "../../config/document-fields.ts";
import { UNKNOWN_PEER } from "../../http/client.ts";
import { CONTESTED } from "../../rooms/match.ts";
import { type Rooms, UNREADABLE } from "../../rooms/rooms.ts";
import { crawlerAt } from "../../rules/crawler-lists.ts";
import { type Lookups, NO_LOOKUPS } from "../../rules/lookups.ts";
import { RULE_ACTIONS } from "../../rules/rules.ts";
import { maySee, type Principal } from "../access/principal.ts";
import { operation } from "../calls/operation.ts";
import type { Serve } from "../calls/serve.ts";
import { named } from "./common-shapes.ts";

const BYTES_MAX = 64 * 1024;
const URL_MAX = 16_384;
const FIELDS_MAX = 100;

const WRITE_URL = "write the whole address, such as https://shop.example.com/cart?item=1";

const TRIED = z.strictObject({
  url: z
    .string()
    .max(URL_MAX)
    .refine((url) => /^https?:\/\//i.test(url) && URL.canParse(url), "is not an http or https address")
    .describe("the whole address"),
  method: z
    .string()
    .regex(/^[A-Z]{1,20}$/, "is not a method")
    .default("GET")
    .describe("such as GET or POST"),
  headers: z
    .record(z.string(), z.string())
    .refine((fields) => Object.keys(fields).length <= FIELDS_MAX, `has more than ${FIELDS_MAX} fields`)
    .default({})
    .describe("header fields by name"),
  address: z
    .union([z.ipv4(), z.ipv6()], "is not an address")
    .optional()
    .describe("the client's address; left out, rules about it do not apply"),
});

const TRIAL_ANSWER = named(
  "TrialAnswer",
  z.object({
    room: z.string().nullable().describe("the room that takes it; null for none that you see"),
    result: z
      .enum(["no-room", "refused", "suspended", "bypasses", "visitor"])
      .describe("visitor: it takes a slot, or waits in line; bypasses: it needs none"),
    rule: z
      .object({
        expression: z.string().describe("as the room has it"),
        action: z.enum(RULE_ACTIONS).describe("what it says"),
        description: z.string().describe("for people"),
      })
      .nullable()
      .describe("the rule that decides; null for none"),
    words: z.string().describe("the same as a sentence"),
  }),
);
export type Trial = Shape<typeof TRIAL_ANSWER>;

const TRIAL = operation({
  id: "tryRequest",
  method: "POST",
  path: "/v1/trial",
  topic: "rooms",
  scope: "read",
  summary: "says which room and which rule take a request, and what would happen; nothing is sent",
  body: {
    schema: named("TriedRequest", TRIED),
    bytesMax: BYTES_MAX,
    repairs: {
      url: WRITE_URL,
      method: "write it in capitals, such as GET",
      headers: 'write {"User-Agent": "…"}',
      address: "write an IPv4 or IPv6 address, such as 203.0.113.7",
    },
    read: "here",
    example: { url: "https://shop.example.com/cart", headers: { "User-Agent": "Mozilla/5.0" } },
  },
  answer: {
    description: "what would happen",
    schema: TRIAL_ANSWER,
  },
});

export const TRIAL_OPERATIONS = [TRIAL];

interface TrialRoutes {
  readonly rooms: Rooms;
  readonly lookups?: () => Lookups;
}

export function trialRoutes(serve: Serve, parts: TrialRoutes): void {
  serve(TRIAL, ({ c, body }) => c.json(trialOf(parts, c.var.principal, body)));
}

function trialOf(
  { rooms, lookups = () => NO_LOOKUPS }: TrialRoutes,
  principal: Principal,
  { url, method, headers, address = UNKNOWN_PEER }: z.output<typeof TRIED>,
): Trial {
  const { hostname, pathname, search, protocol } = new URL(url);
  const target = `${pathname}${search}`;
  const found = rooms.find(hostname, target);
  if (found === CONTESTED)
    return nowhere("refused", "It is refused: its path lies in one room or another, depending on the server.");
  if (found === UNREADABLE) return nowhere("refused", "It is refused: this release cannot read its room.");
  if (found === undefined || !maySee(principal, found.room.name))
    return nowhere("no-room", "No room that you see takes it.");
  const { room } = found;
  const { name } = room;
  const becomes = (result: Trial["result"], words: string, rule: Trial["rule"] = null): Trial => {
    return { room: name, result, rule, words };
  };
  if (room.suspended) return becomes("suspended", `It passes: room ${name} is suspended, and its limits do not apply.`);
  // A header comes as bytes, and the gate reads them as latin1.
  const fields = Object.entries(headers).flatMap(([field, value]) => [field, Buffer.from(value).toString("latin1")]);
  const request = { method, target, host: hostname, headers: fields };
  const client = { address, secure: protocol === "https:" };
  const crawler = crawlerAt(address, lookups().crawlers);
  const reason = found.reason({ request, client, crawler: () => crawler, lookups });
  if (reason === "address") return becomes("bypasses", `It bypasses room ${name} by the client's address.`);
  if (reason === undefined && crawler !== undefined && room.crawlers !== "wait")
    return becomes("bypasses", `It bypasses room ${name} as a crawler of ${crawler}.`);
  if (reason === undefined) return becomes("visitor", `It is a visitor of room ${name}, as no rule is about it.`);
  const { expression, action, description } = reason.rule;
  const rule = { expression, action, description };
  const visits = `It is a visitor of room ${name}`;
  if (reason.isUnsure) {
    const words = `${visits}, as servers may read it in different ways, and a rule cannot be sure of it.`;
    return becomes("visitor", words, rule);
  }
  if (action === "bypass_waiting_room") return becomes("bypasses", `It bypasses room ${name} by a rule.`, rule);
  if (action === "block") return becomes("refused", `It is refused by a rule of room ${name}.`, rule);
  const proof = action === "challenge" ? ", and if new is asked for a proof of work" : "";
  return becomes("visitor", `${visits} by a rule${proof}.`, rule);
}

function nowhere(result: Trial["result"], words: string): Trial {
  return { room: null, result, rule: null, words };
}
