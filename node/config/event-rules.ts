/**
 * What must hold between the fields of an event, and between the events of a room.
 *
 * It reads the document as it was written, as far as it can be read, so that one reading finds these problems beside
 * those of single fields.
 */

import { isoOf } from "../iso-time.ts";
import { isObject } from "./is-object.ts";
import { momentOf } from "./moment.ts";
import { type Problem, problemAt, sameValues } from "./problem.ts";

/** A span of an event as far as it can be read. */
interface Span {
  readonly index: number;
  readonly name: string;
  readonly fromMs: number;
  readonly endMs: number;
}

/** The problems of a list of events; `place` is the place of the list, such as `rooms[0].events`. */
export function eventProblems(list: unknown, place: string): Problem[] {
  if (!Array.isArray(list)) return [];
  const events = list.map((event: unknown, index) => ({ event: isObject(event) ? event : {}, index }));
  const problems = events.flatMap(({ event, index }) => problemsOfOne(event, `${place}[${index}]`));
  const names = events.map(({ event }) => event.name);
  const sameNames = sameValues(names, { placeOf: (index) => `${place}[${index}]`, field: "name", what: "name" });
  return [...problems, ...sameNames, ...overlaps(events, place)];
}

type Fields = Readonly<Record<string, unknown>>;
type Numbered = { readonly event: Fields; readonly index: number };

function problemsOfOne(event: Fields, place: string): Problem[] {
  const problems: Problem[] = [];
  const say = (field: string, problem: string, repair: string): void => {
    problems.push(problemAt(`${place}.${field}`, event[field], { problem, repair }));
  };
  const [start, end] = [momentOf(event.event_start_time), momentOf(event.event_end_time)];
  const prequeue = momentOf(event.prequeue_start_time);
  if (start !== undefined && end !== undefined && end <= start) {
    const problem = end < start ? "is before the event's start" : "is the event's start";
    say("event_end_time", problem, `write a moment after event_start_time, ${event.event_start_time}`);
  }
  if (start !== undefined && prequeue !== undefined && prequeue >= start) {
    const problem = "is not before the event's start";
    const repair = `write a moment before event_start_time, ${event.event_start_time}, or leave it out`;
    say("prequeue_start_time", problem, repair);
  }
  if (event.shuffle_at_event_start === true && (event.prequeue_start_time ?? null) === null) {
    const repair = "set prequeue_start_time, or leave shuffle_at_event_start out";
    say("shuffle_at_event_start", "shuffles nobody, as no visitors wait before the start", repair);
  }
  if (event.draw === true && event.shuffle_at_event_start !== true)
    say("draw", "draws nothing without shuffle_at_event_start", "set shuffle_at_event_start=true, or leave draw out");
  if (typeof event.draw_public_value === "string" && event.draw_public_value !== "" && event.draw !== true)
    say("draw_public_value", "goes into no draw", "set draw=true, or leave draw_public_value out");
  for (const [one, other] of LIMITS) {
    if ((event[one] ?? null) === null || (event[other] ?? null) !== null) continue;
    say(one, `is set without ${other}: an event sets both limits or none`, `set ${other} too, or leave ${one} out`);
  }
  return problems;
}

const LIMITS = [
  ["total_active_users", "new_users_per_minute"],
  ["new_users_per_minute", "total_active_users"],
] as const;

/** Suspended events are ignored, so they overlap nothing. */
function overlaps(events: readonly Numbered[], place: string): Problem[] {
  const spans = events.flatMap(spanOf).sort((one, other) => one.fromMs - other.fromMs || one.index - other.index);
  let last: Span | undefined;
  return spans.flatMap((span) => {
    const before = last;
    if (last === undefined || span.endMs > last.endMs) last = span;
    if (before === undefined || span.fromMs >= before.endMs) return [];
    const { event } = events[span.index] ?? {};
    const field = (event?.prequeue_start_time ?? null) === null ? "event_start_time" : "prequeue_start_time";
    const problem = `is before the end of event ${before.name} (${place}[${before.index}]): a room has one event at a time, its pre-queue included`;
    const repair = `move one of them, or suspend one: ${before.name} ends at ${isoOf(before.endMs)}`;
    return [problemAt(`${place}[${span.index}].${field}`, event?.[field], { problem, repair })];
  });
}

function spanOf({ event, index }: Numbered): Span[] {
  const [start, endMs] = [momentOf(event.event_start_time), momentOf(event.event_end_time)];
  if (start === undefined || endMs === undefined || endMs <= start || event.suspended === true) return [];
  const prequeue = momentOf(event.prequeue_start_time);
  const fromMs = prequeue !== undefined && prequeue < start ? prequeue : start;
  return [{ index, name: String(event.name), fromMs, endMs }];
}
