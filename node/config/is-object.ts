/**
 * Whether a value read from a document is a mapping: it has fields and is not a list.
 */

/** True for `{…}`, empty or not; false for lists, null and everything else. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
