/** Cloudflare's routes for waiting rooms: list, create, get, put, patch, delete, status; and the list of an account. */

import type { Hono } from "hono";
import type { Checked } from "../../config/problem.ts";
import type { Room } from "../../config/room.ts";
import { parseRoom, patchRoom } from "../../config/room-document.ts";
import { namespaceOf } from "../../config/room-name.ts";
import { authorOf } from "../../operator/access/other-rooms.ts";
import { maySee, needs } from "../../operator/access/principal.ts";
import type { AdapterParts } from "../../operator/admin-api.ts";
import { type AdminEnv, actorOf } from "../../operator/logs/audit.ts";
import type { RoomState } from "../../operator/status/status.ts";
import { apiDocument } from "../../rooms/api-room.ts";
import type { LiveRoom } from "../../rooms/live-room.ts";
import { CODES, invalidBody, refusedFor, succeeded } from "./envelope.ts";
import { eventsWithIds } from "./event-routes.ts";
import { pageOf, pagingOf } from "./paging.ts";
import { clashesOf } from "./room-clashes.ts";
import { placeThere, readRoom, roomAnswer } from "./room-fields.ts";
import {
  type Asked,
  bodyOf,
  CHANGES,
  noSuchZone,
  problemsThere,
  ROOM_PATH,
  refusedChange,
  roomIn,
  roomsOf,
  seen,
  wordingFor,
  ZONE_PATH,
} from "./zone.ts";
import { doCrawlersBypass } from "./zone-settings.ts";

export function roomRoutes(app: Hono<AdminEnv>, parts: AdapterParts): void {
  const { rooms, audit } = parts;
  const list = (c: Asked, found: readonly LiveRoom[]): Response => {
    const paging = pagingOf(c.req.query());
    if (!paging.ok) return invalidBody(paging.problems);
    const { items, info } = pageOf(found, paging.value);
    return succeeded(
      items.map((live) => roomAnswer(live, namespaceOf(live.declared.name) ?? "")),
      info,
    );
  };

  app.get("/client/v4/accounts/:account/waiting_rooms", needs("read"), (c) => {
    // Which zones an account has is not known here: any account has those that the token may see.
    const bad = noSuchZone(c.req.param("account"), { ...c.var.principal, namespace: undefined });
    return bad ?? list(c, seen(rooms, c.var.principal));
  });
  app.get(ZONE_PATH, needs("read"), (c) => list(c, roomsOf(rooms, c.req.param("zone"), c.var.principal)));
  app.get(ROOM_PATH, needs("read"), (c) => {
    const live = roomIn(c, rooms);
    return live instanceof Response ? live : succeeded(roomAnswer(live, c.req.param("zone")));
  });
  app.get(`${ROOM_PATH}/status`, needs("read"), (c) => {
    const live = roomIn(c, rooms);
    return live instanceof Response ? live : succeeded(statusAnswer(live, parts));
  });
  app.delete(ROOM_PATH, needs("configure"), (c) => {
    const live = roomIn(c, rooms);
    if (live instanceof Response) return live;
    const removed = audit.tracked(actorOf(c), "room deleted", () => rooms.remove(live.declared.name));
    return removed.ok ? succeeded({ id: live.id }) : refusedChange(removed.refusal, wordingFor(c, placeThere));
  });
  app.post(ZONE_PATH, needs("configure"), (c) => change(c, parts, { live: undefined, kind: "whole" }));
  for (const [method, kind] of CHANGES)
    app.on(method, ROOM_PATH, needs("configure"), async (c) => {
      const live = roomIn(c, rooms);
      return live instanceof Response ? live : change(c, parts, { live, kind });
    });
}

/** Creates a room, or changes `live`. */
async function change(
  c: Asked,
  parts: AdapterParts,
  { live, kind }: { readonly live: LiveRoom | undefined; readonly kind: "whole" | "part" },
): Promise<Response> {
  const { rooms, audit } = parts;
  const zone = c.req.param("zone") ?? "";
  const read = await bodyOf(c);
  if (read instanceof Response) return read;
  const now = live && apiDocument(live);
  const bypass = doCrawlersBypass(rooms, zone);
  const { document, problems } = readRoom(read.body, { zone, now, kind, doCrawlersBypass: bypass });
  const wording = wordingFor(c, placeThere, problems);
  const parsed: Checked<Room> = live === undefined ? parseRoom(document) : patchRoom(live.declared, document);
  const found = [...(parsed.ok ? [] : parsed.problems), ...clashesOf(document, live, rooms)];
  if (problems.length + found.length > 0) return invalidBody(problemsThere(found, wording));
  const { name } = document;
  if (typeof name === "string" && !maySee(c.var.principal, name)) {
    const message = `Cannot name a room ${name.slice(zone.length + 1)} with this token, which is for other rooms of the zone`;
    return refusedFor(403, CODES.forbidden, message);
  }
  const author = authorOf(c.var.principal);
  const changed =
    live === undefined
      ? audit.tracked(actorOf(c), "room created", () => rooms.create(document, author))
      : audit.tracked(actorOf(c), "room updated", () => rooms.update(live.declared.name, document, { author }));
  return changed.ok ? succeeded(roomAnswer(changed.value, zone)) : refusedChange(changed.refusal, wording);
}

/** `held` and `rejecting` are `queueing` there: visitors come, and none gets in. */
const STATES: Readonly<Record<RoomState, string>> = {
  free: "not_queueing",
  passthrough: "not_queueing",
  queueing: "queueing",
  held: "queueing",
  rejecting: "queueing",
  prequeue: "event_prequeueing",
  suspended: "suspended",
};

function statusAnswer(live: LiveRoom, { rooms, status }: AdapterParts): object {
  const now = status().rooms.find(({ id }) => id === live.id);
  const event = eventsWithIds(live, rooms).find(({ event: { name } }) => name === live.event?.name);
  return {
    status: STATES[now?.state ?? "free"],
    event_id: event?.kept.id ?? "",
    estimated_queued_users: now?.waiting ?? 0,
    estimated_total_active_users: now?.inside ?? 0,
    max_estimated_time_minutes: Math.ceil((now?.wait_seconds ?? 0) / 60),
  };
}
