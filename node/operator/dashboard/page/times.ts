/** Times in the words of the reader's browser, and in its inputs. */

const DAY = { weekday: "short", hour: "2-digit", minute: "2-digit", second: "2-digit" } as const;
const WHOLE = { dateStyle: "medium", timeStyle: "short" } as const;

const clock = new Intl.DateTimeFormat([], { hour: "2-digit", minute: "2-digit", second: "2-digit" });
const day = new Intl.DateTimeFormat([], DAY);
const whole = new Intl.DateTimeFormat([], WHOLE);

export function clockText(ms: number): string {
  return clock.format(ms);
}

export function dayText(ms: number): string {
  return day.format(ms);
}

/** A date with its year, from a text of the API, which may have none. */
export function dateText(time: string | null | undefined): string {
  return time ? whole.format(Date.parse(time)) : "";
}

/** For `datetime-local`, which has no time zone: the browser's own. */
export function localTime(time: string): string {
  const ms = Date.parse(time);
  if (Number.isNaN(ms)) return "";
  const minutes = new Date(ms).getTimezoneOffset();
  return new Date(ms - minutes * 60_000).toISOString().slice(0, "2026-11-27T10:00:00".length);
}

/** The moment that such an input means. */
export function isoTime(local: string): string {
  return new Date(local).toISOString();
}

/** The browser's time zone, for the words beside an input. */
export const TIME_ZONE = day.resolvedOptions().timeZone;
