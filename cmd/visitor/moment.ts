/**
 * A moment as an operator writes it: a time of day means the last one in UTC, as `anteroom visitor` shows times.
 *
 * Any other text is sent as it is: the node says what is wrong with it.
 */

const DAY_MS = 86_400_000;

/** `text` in ISO 8601 if it is a time of day, such as 10:02 or 10:02:30; `nowMs` in Unix ms. */
export function momentOf(text: string, nowMs: number): string {
  const today = new Date(nowMs).toISOString().slice(0, 10);
  const ms = /^\d{2}:\d{2}(:\d{2})?$/.test(text) ? Date.parse(`${today}T${text}Z`) : Number.NaN;
  return Number.isNaN(ms) ? text : new Date(ms > nowMs ? ms - DAY_MS : ms).toISOString();
}
