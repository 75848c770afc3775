import { describe, expect, test } from "vitest";
import { EVENTS_MAX } from "../../../node/config/event-schema.ts";
import { problemText } from "../../../node/config/problem.ts";
import { parseStoredRoom, roomDocument } from "../../../node/config/room-document.ts";
import { problemsOf, roomOf } from "./documents.ts";

const ROOM = { name: "shop", host: "*", total_active_users: 500, new_users_per_minute: 100 };
const SALE = {
  name: "sale",
  event_start_time: "2026-11-27T10:00:00Z",
  event_end_time: "2026-11-27T12:00:00Z",
};

function problems(...events: readonly unknown[]): string[] {
  return problemsOf({ ...ROOM, events }).map((problem) => problemText(problem).split("\n")[0] ?? "");
}

describe("an event in a room's document", () => {
  test("with only name, start and end inherits everything, and keeps its document", () => {
    const room = roomOf({ ...ROOM, events: [SALE] });
    expect(room.events).toMatchObject([
      { name: "sale", startMs: Date.UTC(2026, 10, 27, 10), endMs: Date.UTC(2026, 10, 27, 12), suspended: false },
    ]);
    const { events = [] } = roomDocument(room);
    expect(events).toEqual([
      {
        ...SALE,
        event_start_time: "2026-11-27T10:00:00.000Z",
        event_end_time: "2026-11-27T12:00:00.000Z",
        suspended: false,
        shuffle_at_event_start: false,
      },
    ]);
    expect(parseStoredRoom(JSON.stringify(roomDocument(room)), "")).toEqual({ ok: true, value: room });
  });

  test("keeps every field that it sets, and times of any zone", () => {
    const event = {
      name: "sale",
      description: "the big one",
      suspended: true,
      event_start_time: "2026-11-27T11:00:00+01:00",
      event_end_time: "2026-11-27T12:00:00.000Z",
      prequeue_start_time: "2026-11-27T04:30:00-05:00",
      shuffle_at_event_start: true,
      total_active_users: 5_000,
      new_users_per_minute: 1_000,
      session_duration: 10,
      disable_session_renewal: false,
      queueing_method: "random",
      custom_page_html: "<h1>{{position}}</h1>",
      ramp: "500/min/50/5",
    };
    const room = roomOf({ ...ROOM, events: [event] });
    expect(roomDocument(room).events).toEqual([
      {
        ...event,
        event_start_time: "2026-11-27T10:00:00.000Z",
        prequeue_start_time: "2026-11-27T09:30:00.000Z",
      },
    ]);
    expect(parseStoredRoom(JSON.stringify(roomDocument(room)), "")).toEqual({ ok: true, value: room });
  });

  test("takes null for what it inherits, and ignores what Cloudflare adds", () => {
    const names = ["prequeue_start_time", "total_active_users", "new_users_per_minute", "custom_page_html", "ramp"];
    const inherited = Object.fromEntries(names.map((name) => [name, null]));
    const added = { id: "25756b2dfe6e378a06b033b670413757", created_on: "2014", modified_on: "2014" };
    expect(problems({ ...SALE, ...inherited, ...added })).toEqual([]);
  });

  test("is asked for both limits or none, an end after the start, and a pre-queue before it, all at once", () => {
    const event = {
      ...SALE,
      event_end_time: "2026-11-27T09:00:00Z",
      prequeue_start_time: "2026-11-27T10:00:00Z",
      total_active_users: 500,
      session_duration: 31,
      queueing_method: "lottery",
    };
    expect(problems(event)).toEqual([
      "events[0].session_duration = 31: is above 30",
      'events[0].queueing_method = "lottery": is not fifo, random, passthrough or reject',
      'events[0].event_end_time = "2026-11-27T09:00:00Z": is before the event\'s start',
      'events[0].prequeue_start_time = "2026-11-27T10:00:00Z": is not before the event\'s start',
      "events[0].total_active_users = 500: is set without new_users_per_minute: an event sets both limits or none",
    ]);
  });

  test.each([
    ["one limit without the other", { new_users_per_minute: 5 }, "new_users_per_minute"],
    ["a shuffle of nobody", { shuffle_at_event_start: true }, "shuffle_at_event_start"],
    ["an end that is the start", { event_end_time: SALE.event_start_time }, "event_end_time"],
    ["a time without a zone", { event_start_time: "2026-11-27T10:00:00" }, "event_start_time"],
    ["a day that does not exist", { event_start_time: "2026-02-30T10:00:00Z" }, "event_start_time"],
    ["a name with a blank", { name: "big sale" }, "name"],
    ["an unknown field", { total_users: 5 }, "total_users"],
  ])("with %s has one problem, at its place, with a repair", (_what, change, field) => {
    const [problem, ...others] = problemsOf({ ...ROOM, events: [{ ...SALE, ...change }] });
    expect([problem?.path, others]).toEqual([`events[0].${field}`, []]);
    expect(problem?.repair).toMatch(/^(write|set|close|remove|did|leave)/);
  });

  test("overlaps no other one of its room, pre-queues included; suspended ones don't count", () => {
    const next = { name: "second", event_start_time: "2026-11-27T12:00:00Z", event_end_time: "2026-11-27T13:00:00Z" };
    expect(problems(SALE, next)).toEqual([]);
    expect(problems(next, SALE)).toEqual([]);
    const early = { ...next, prequeue_start_time: "2026-11-27T11:59:59Z" };
    expect(problems(SALE, early)).toEqual([
      expect.stringContaining(
        'events[1].prequeue_start_time = "2026-11-27T11:59:59Z": is before the end of event sale (events[0])',
      ),
    ]);
    expect(problems(SALE, { ...early, suspended: true })).toEqual([]);
    const within = { ...next, event_start_time: "2026-11-27T10:30:00Z", event_end_time: "2026-11-27T10:40:00Z" };
    const after = { ...next, name: "third", event_start_time: "2026-11-27T11:00:00Z" };
    expect(problems(SALE, within, after)).toHaveLength(2);
  });

  test("has a name of its own in its room", () => {
    const again = { ...SALE, event_start_time: "2026-11-28T10:00:00Z", event_end_time: "2026-11-28T12:00:00Z" };
    expect(problems(SALE, again)).toEqual(['events[1].name = "sale": is the name of events[0] too']);
  });

  test("is one of up to a thousand", () => {
    const many = (count: number) =>
      Array.from({ length: count }, (_, index) => {
        const startMs = Date.UTC(2026, 10, 27) + index * 3_600_000;
        const [start, end] = [startMs, startMs + 1_800_000].map((ms) => new Date(ms).toISOString());
        return { name: `e${index}`, event_start_time: start, event_end_time: end };
      });
    expect(problems(...many(EVENTS_MAX))).toEqual([]);
    expect(problems(...many(EVENTS_MAX + 1))).toEqual([expect.stringContaining("has more than 1000 entries")]);
  });
});
