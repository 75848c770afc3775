/**
 * The words of whatever was thrown: an error's message, or the thing itself as text.
 */

export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
