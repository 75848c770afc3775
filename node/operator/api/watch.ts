/** The part of the admin API about notices: `GET /v1/events`, a stream of server-sent events. */

import { z } from "zod";
import { type Problem, problemAt } from "../../config/problem.ts";
import { hasScope, type Identify, isLimited, maySee, type Principal } from "../access/principal.ts";
import { failure, invalid } from "../calls/api-answers.ts";
import { operation } from "../calls/operation.ts";
import type { Serve } from "../calls/serve.ts";
import { isNoticeType, type NoticeDocument, typeList } from "../notices/notice.ts";
import { snapshotOf } from "../notices/snapshot.ts";
import { WATCHERS_MAX, type Watchers } from "../notices/watchers.ts";
import type { NodeStatus } from "../status/status.ts";

export interface WatchRoutes {
  readonly watchers: Watchers;
  readonly status: () => NodeStatus;
  readonly identify: Identify;
}

/** Names in one filter. */
const FILTERS_MAX = 100;

/** A watcher that finds no room is to come back, perhaps at another node. */
const BACK_SECONDS = 30;

const HEADERS = {
  "Content-Type": "text/event-stream; charset=utf-8",
  "Cache-Control": "no-store",
  // nginx passes it on at once then.
  "X-Accel-Buffering": "no",
};

const WATCH = operation({
  ...{ id: "watch", method: "GET", path: "/v1/events", topic: "notices", scope: "read" },
  summary: "streams what begins, ends and changes in the mesh: [watch](webhooks.md#watch)",
  description: "Server-sent events; Last-Event-ID resumes. Without it the first event is a snapshot.",
  query: z.object({
    room: z.string().optional().describe("names of rooms, with commas between; left out for all"),
    type: z.string().optional().describe("types of notices, with commas between; left out for all"),
  }),
  answer: { status: 200, description: "events, until the watcher leaves", type: "text/event-stream" },
  problems: ["not-found", "no-room"],
});

export const WATCH_OPERATIONS = [WATCH];

export function watchRoutes(serve: Serve, { watchers, status, identify }: WatchRoutes): void {
  serve(WATCH, ({ c, query }) => {
    const [rooms, types] = [namesIn(query.room), namesIn(query.type)];
    const problems = [...lengthProblems("room", rooms), ...lengthProblems("type", types), ...typeProblems(types)];
    if (problems.length > 0) return invalid(problems);
    const known = c.var.roomNames();
    const unknown = rooms.find((room) => !known.includes(room));
    if (unknown !== undefined)
      return failure("not-found", `Cannot find room ${unknown}: rooms here are ${known.join(", ") || "none"}`);
    // Nobody reads the body of an answer to HEAD.
    if (c.req.method === "HEAD") return new Response(null, { headers: HEADERS });
    /** Tokens expire, are deleted, and are changed while their holders watch. */
    let principal = c.var.principal;
    const shows = (room: string): boolean => maySee(principal, room) && (rooms.length === 0 || rooms.includes(room));
    const showsNodes = (): boolean => rooms.length === 0 && !isLimited(principal);
    const stream = watchers.open({
      lastEventId: c.req.header("Last-Event-ID") || undefined,
      mayWatch: () => {
        const now: Principal | Response = identify(c);
        if (now instanceof Response || !hasScope(now, "read")) return false;
        principal = now;
        return true;
      },
      wants: ({ type, room }: NoticeDocument) => {
        if (types.length > 0 && !types.includes(type)) return false;
        return room === null ? showsNodes() : shows(room);
      },
      snapshot: () => snapshotOf(status(), { shows, showsNodes: showsNodes() }),
    });
    if (stream !== undefined) return new Response(stream, { headers: HEADERS });
    const hint = `come back in ${BACK_SECONDS} s, or watch at another node`;
    const headers = { "Retry-After": String(BACK_SECONDS) };
    return failure("no-room", `Cannot take another watcher as there are ${WATCHERS_MAX} at most here`, {
      hint,
      headers,
    });
  });
}

function namesIn(text: string | undefined): readonly string[] {
  return text === undefined ? [] : [...new Set(text.split(","))];
}

function lengthProblems(path: string, { length }: readonly string[]): Problem[] {
  if (length <= FILTERS_MAX) return [];
  return [problemAt(path, length, { problem: "is too many names", repair: `write at most ${FILTERS_MAX}` })];
}

function typeProblems(types: readonly string[]): Problem[] {
  return types
    .filter((type) => !isNoticeType(type))
    .slice(0, FILTERS_MAX)
    .map((type) =>
      problemAt("type", type, { problem: "is not a type of notice", repair: `name one of ${typeList()}` }),
    );
}
