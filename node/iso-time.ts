/** A moment as ISO 8601 text in UTC, with ms: in documents, answers and signed statements. */
export function isoOf(ms: number): string {
  return new Date(ms).toISOString();
}
