/**
 * Whether a value read from a document is a mapping: what has fields, and no list.
 */

/** True for `{…}`, empty or not; false for lists, null and all that is not a mapping. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
