/**
 * A node's admin API in memory, as far as the commands use it: the contract they are written against.
 */

import { checkRooms } from "../../node/config/check-rooms.ts";
import type { Checked } from "../../node/config/problem.ts";
import type { Room } from "../../node/config/room.ts";
import { parseRoom, patchRoom, roomDocument } from "../../node/config/room-document.ts";
import { parseRooms } from "../../node/config/rooms-file.ts";
import { failure } from "../../node/operator/calls/api-answers.ts";
import type { MemberStatus, NodeStatus } from "../../node/operator/status/status.ts";
import type { OrderKind } from "../../node/rooms/room-order.ts";

export const TOKEN = "a-token-for-tests";

/** The node that answers, as a member. */
export const SELF: MemberStatus = {
  node: "12D3KooWJq3f2a91c0",
  locality: "default",
  state: "alive",
  self: true,
  round_trip_ms: null,
  clock_offset_ms: null,
  lease: "held",
  lease_seconds_left: null,
  voter: true,
};

export const STATUS: NodeStatus = {
  version: "0.1.0",
  node: SELF.node,
  locality: "default",
  mesh: "00112233aabbccdd",
  uptime_seconds: 7_990,
  minute_ms: 60_000,
  now_ms: 1_700_000_000_000,
  warnings: [],
  view: { number: 1, members: 1, voters: 1 },
  lease: "held",
  clock: { offset_ms: null, holds_back: false },
  wire: { speaks: 1, newest: 1 },
  rooms: [],
  members: [SELF],
};

/** What a node answers that has handed everything over. */
export const LEFT = { left: true, heir: "12D3KooWJq77aa91b2", message: "Left the mesh: node 77aa91b2 goes on." };

/** The one node that may be forgotten. */
export const GONE = "12D3KooWJqee5501c7";

/** One that is no member any more, and one that can be forgotten at the second try. */
export const PAST = "12D3KooWJqpast0001";
export const WAITING = "12D3KooWJqwaits001";

/** Starts it on a free port of loopback; asked to leave, it answers `leaving`. */
export function startFakeNode(leaving: object = LEFT) {
  const rooms = new Map<string, Room>();
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    routes: {
      "/v1/rooms": {
        GET: () => Response.json({ rooms: [...rooms.values()].map(documentOf) }),
        POST: async (request) => create(rooms, await request.json()),
      },
      "/v1/rooms/apply": {
        POST: async (request) => applyAll(rooms, await request.json(), request.url.endsWith("?dry_run=true")),
      },
      "/v1/rooms/:name": {
        GET: ({ params }) => withRoom(rooms, params.name, (room) => answer(room)),
        DELETE: ({ params }) =>
          withRoom(rooms, params.name, (room) => {
            rooms.delete(room.name);
            return answer(room);
          }),
        PATCH: async (request) => patch(rooms, request.params.name, await request.json()),
      },
      "/v1/rooms/:name/hold": {
        POST: async (request) => give(rooms, request.params.name, (await request.text()) === "" ? "hold" : "sold-out"),
      },
      "/v1/rooms/:name/open": { POST: ({ params }) => give(rooms, params.name, "open") },
      "/v1/rooms/:name/resume": { POST: ({ params }) => give(rooms, params.name, undefined) },
      "/v1/rooms/:name/rollout": {
        POST: async (request) => rollOut(rooms, request.params.name, await request.json()),
      },
      "/v1/status": () => Response.json(STATUS),
      "/v1/leave": { POST: () => Response.json(leaving) },
      "/v1/forget": { POST: async (request) => forget(await request.json()) },
      "/v1/preview": { POST: async (request) => preview(await request.json()) },
    },
  });
  const address = `127.0.0.1:${server.port}`;
  return { address, rooms, stop: () => server.stop(true) };
}

/** What a node without the right token answers. */
export function startLockedNode() {
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: () => failure("unauthorized", "no"),
  });
  return { address: `127.0.0.1:${server.port}`, stop: () => server.stop(true) };
}

/** Something else that listens there. */
export function startStranger(fetch: (request: Request) => Response = () => new Response("<h1>Hi</h1>")) {
  const server = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch });
  return { address: `127.0.0.1:${server.port}`, stop: () => server.stop(true) };
}

function preview(body: unknown): Response {
  return new Response(`<!--${(body as { custom_page_html: string }).custom_page_html}-->`);
}

/** Orders to forget, with their timeouts. */
export const forgets: unknown[] = [];

function forget(body: unknown): Response {
  const [node = ""] = (body as { nodes: readonly string[] }).nodes;
  forgets.push(body);
  const names = { [GONE]: "gate3" };
  if (node === "gate3" || GONE.endsWith(node))
    return Response.json({ nodes: [GONE], forgotten: [GONE], already: [], names });
  if (node === PAST) return Response.json({ nodes: [PAST], forgotten: [], already: [PAST] });
  if (node === WAITING && forgets.length > 1) return Response.json({ nodes: [node], forgotten: [node], already: [] });
  const reason = node === WAITING ? "others-silent" : "answers";
  return failure("refused", `Cannot forget node ${node} as it answers`, { reason, hint: "stop it first" });
}

function create(rooms: Map<string, Room>, document: unknown): Response {
  const room = parseRoom(document);
  if (!room.ok) return refuse(room);
  const clashes = checkRooms([...rooms.values(), room.value]);
  if (clashes.length > 0) return refuse({ ok: false, problems: clashes });
  rooms.set(room.value.name, room.value);
  return answer(room.value, 201);
}

function patch(rooms: Map<string, Room>, name: string, fields: unknown): Response {
  return withRoom(rooms, name, (room) => {
    const patched = patchRoom(room, fields);
    if (!patched.ok) return refuse(patched);
    rooms.delete(name);
    rooms.set(patched.value.name, patched.value);
    return answer(patched.value);
  });
}

/** What operators have ordered, by room. */
const orders = new WeakMap<Room, OrderKind>();

function give(rooms: Map<string, Room>, name: string, order: OrderKind | undefined): Response {
  return withRoom(rooms, name, (room) => {
    if (order === undefined) orders.delete(room);
    else orders.set(room, order);
    return answer(room);
  });
}

/** Takes every order; of what it says of itself only what the command reads. */
function rollOut(rooms: Map<string, Room>, name: string, order: unknown): Response {
  const { to, stop, now } = order as { to?: string; stop?: true; now?: true };
  return withRoom(rooms, name, (room) => {
    const started = { from: [{ url: "http://old.example", weight: 1 }], startedMs: 0, percent: 3.4, reason: "" };
    const state = stop ? "stopped" : to ? "running" : "reversed";
    const changed: Room = { ...room, rollout: now ? undefined : { ...started, state } };
    rooms.set(name, changed);
    return answer(changed);
  });
}

function applyAll(rooms: Map<string, Room>, body: unknown, isTrial: boolean): Response {
  const wanted = parseRooms(body);
  if (!wanted.ok) return refuse(wanted);
  const results = wanted.value.map((room) => {
    const old = rooms.get(room.name);
    if (!isTrial) rooms.set(room.name, room);
    if (old === undefined) return { name: room.name, outcome: "created" };
    const same = JSON.stringify(roomDocument(old)) === JSON.stringify(roomDocument(room));
    return { name: room.name, outcome: same ? "unchanged" : "updated" };
  });
  return Response.json({ results });
}

function withRoom(rooms: Map<string, Room>, name: string, use: (room: Room) => Response): Response {
  const room = rooms.get(name);
  if (room !== undefined) return use(room);
  return failure("not-found", `There is no room ${name}`);
}

function answer(room: Room, status = 200): Response {
  return Response.json({ room: documentOf(room) }, { status });
}

function documentOf(room: Room) {
  const order = orders.get(room);
  const since = "2026-01-01T12:00:00Z";
  return {
    ...{ id: "0123", created_on: "2026-01-01T00:00:00Z", modified_on: "2026-01-01T00:00:00Z", ...roomDocument(room) },
    operator_order: order === undefined ? null : { order, since, node: SELF.node },
  };
}

function refuse(checked: Checked<unknown>): Response {
  const problems = checked.ok ? [] : checked.problems;
  return failure("invalid", "Cannot accept the room", { problems });
}
