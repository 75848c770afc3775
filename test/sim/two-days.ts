/**
 * The source's picture of two days (WR-3): how many visitors came from 9 to 11 September 2023, so that a room with both
 * limits at 200 queues on the 11th from about 11:45 to about 12:30, and again from about 15:00.
 *
 * The source shows the visitors inside and in line, not the arrivals. A visitor stays for some 9.4 minutes here (4 on
 * average, and half a minute and 5 more until the session is over), so 200 inside are 21 new visitors a minute, and
 * more than that queue.
 */

/** 9 September, 16:00 UTC. */
export const TWO_DAYS_FROM_MS = Date.UTC(2023, 8, 9, 16);
export const TWO_DAYS_MINUTES = 48 * 60;

/** Time in UTC and new visitors a minute then; in between in a straight line. */
const CAME: readonly (readonly [day: number, hour: number, minute: number, perMinute: number])[] = [
  [9, 16, 0, 11],
  [9, 20, 0, 13],
  [10, 2, 0, 3],
  [10, 8, 0, 7],
  [10, 14, 0, 12],
  [10, 20, 0, 14],
  [11, 2, 0, 3],
  [11, 8, 0, 8],
  [11, 11, 0, 14],
  [11, 11, 38, 15],
  [11, 11, 42, 30],
  [11, 12, 8, 30],
  [11, 12, 12, 10],
  [11, 13, 0, 13],
  [11, 14, 53, 15],
  [11, 14, 57, 30],
  [11, 16, 0, 28],
];

const POINTS = CAME.map(([day, hour, minute, perMinute]) => ({
  at: (Date.UTC(2023, 8, day, hour, minute) - TWO_DAYS_FROM_MS) / 60_000,
  perMinute,
}));

/** New visitors per minute, `minute` minutes after the start; none before and after the two days. */
export function cameInTwoDays(minute: number): number {
  const next = POINTS.findIndex(({ at }) => at > minute);
  const [from, to] = [POINTS[next - 1], POINTS[next]];
  if (from === undefined || to === undefined) return 0;
  return from.perMinute + ((to.perMinute - from.perMinute) * (minute - from.at)) / (to.at - from.at);
}
