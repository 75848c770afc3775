/**
 * Which clock is wrong: each node measures how far the other clocks are from its own.
 *
 * Only differences between nodes count, because no node knows the true time. While all clocks lie within 4 s, none is
 * wrong. Otherwise the median of all, the own clock included, is what most agree on, and the clocks that are further
 * from it are wrong. The answer to a ping carries the other node's time; half of the round trip counts as the way
 * there. With two clocks there is no way to tell which is wrong, so both hold back: of two middle values the farther
 * one counts.
 */

import type { NodeId } from "../ids.ts";

/**
 * How far apart the clocks of two nodes may be, in ms: each 2 s off the true time. With the error of two measured round
 * trips of 1 s the grace of slots (minute.ts) covers this and no more.
 */
export const APART_MS_MAX = 4_000;

/**
 * When clocks are further apart: how far one may be off the median, in ms. Two such clocks differ by the same 4 s at
 * most.
 */
export const OFF_MS_MAX = APART_MS_MAX / 2;

/**
 * How far ahead of the median time may be, in ms, without ending a session too early: steps of half a second are
 * believed beside clocks that are 4 s apart (node/peer/node-time.ts), and slots have a grace of 5 s.
 */
const AHEAD_MS_MAX = APART_MS_MAX + 500;

/** How far a member's clock is ahead of the own one, in ms. */
export interface ClockOffset {
  readonly node: NodeId;
  readonly offsetMs: number;
}

/** How far the own clock is behind the median of all clocks, in ms; negative when it is ahead. */
export function msBehind(others: readonly ClockOffset[]): number {
  const sorted = sortedWithOwn(others);
  const upper = sorted[Math.floor(sorted.length / 2)] ?? 0;
  const lower = sorted[Math.ceil(sorted.length / 2) - 1] ?? 0;
  return Math.abs(upper) > Math.abs(lower) ? upper : lower;
}

/** Whether the own clock, moved on by `byMs` since `others` were measured, is wrong. */
export function isClockOff(others: readonly ClockOffset[], byMs = 0): boolean {
  return Math.abs(wrongMsBehind(others, byMs)) > OFF_MS_MAX;
}

/** Whether the own clock, moved on by `byMs`, is further ahead than the grace of slots covers. */
export function isClockAhead(others: readonly ClockOffset[], byMs: number): boolean {
  return wrongMsBehind(others, byMs) < -AHEAD_MS_MAX;
}

/** How far the own clock, moved on by `byMs`, is behind the median, in ms; 0 where none is wrong. */
function wrongMsBehind(others: readonly ClockOffset[], byMs: number): number {
  const moved = others.map(({ node, offsetMs }) => ({ node, offsetMs: offsetMs - byMs }));
  return areApart(moved) ? msBehind(moved) : 0;
}

/** Whether most of `count` clocks, the own one included, are known and near it. */
export function isClockConfirmed(others: readonly ClockOffset[], count: number): boolean {
  const near = others.filter(({ offsetMs }) => Math.abs(offsetMs) <= APART_MS_MAX);
  return 2 * (near.length + 1) > count && !isClockOff(others);
}

/**
 * How far the own clock is behind where most of `count` clocks lie, in ms: 0 if it is one of them, negative when it is
 * ahead. Undefined without such a place.
 */
export function msBehindMost(others: readonly ClockOffset[], count: number): number | undefined {
  const sorted = sortedWithOwn(others);
  const groups = sorted.map((first) => sorted.filter((each) => each >= first && each - first <= APART_MS_MAX));
  const most = groups.find((group) => 2 * group.length > count);
  return most?.includes(0) ? 0 : most?.[Math.floor(most.length / 2)];
}

/**
 * By how many ms a node that starts among `count` members moves its clock: to where most of all clocks lie. Without
 * such a place, to the earliest clock heard: by that one no stay ends too soon.
 */
export function msToStartBy(others: readonly ClockOffset[], count: number): number {
  return msBehindMost(others, count) ?? sortedWithOwn(others)[0] ?? 0;
}

function sortedWithOwn(others: readonly ClockOffset[]): number[] {
  return [0, ...others.map(({ offsetMs }) => offsetMs)].sort((one, other) => one - other);
}

/** Whether the own clock and those of `others` are further apart than clocks may be. */
function areApart(others: readonly ClockOffset[]): boolean {
  const offsets = others.map(({ offsetMs }) => offsetMs);
  return Math.max(0, ...offsets) - Math.min(0, ...offsets) > APART_MS_MAX;
}

/** What an operator must know about the clocks, one sentence for each that is wrong. */
export function clockProblems(self: NodeId, others: readonly ClockOffset[]): string[] {
  if (!areApart(others)) return [];
  const behindMs = msBehind(others);
  const all = [{ node: self, offsetMs: 0 }, ...others];
  return all.flatMap(({ node, offsetMs }) => {
    const offMs = node === self ? -behindMs : offsetMs - behindMs;
    if (Math.abs(offMs) <= OFF_MS_MAX) return [];
    const by = `${(Math.abs(offMs) / 1_000).toFixed(1)} s ${offMs < 0 ? "behind" : "ahead of"}`;
    return [
      `The clock of ${node} is ${by} the median of ${all.length} members, and clocks may be ${APART_MS_MAX / 1_000} s apart: it admits, adopts and gives nothing until its time is set`,
    ];
  });
}
