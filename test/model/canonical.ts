/**
 * One text for one value, whatever the order in which its fields and entries came to be: what states are compared by.
 */

export function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) => {
    if (part instanceof Uint8Array) return { bytes: Buffer.from(part).toString("base64") };
    if (part instanceof Set) return [...part].sort();
    if (part instanceof Map) return [...part].map(([key, item]) => [canonical(key), item] as const).sort(byFirst);
    if (typeof part === "number" && !Number.isFinite(part)) return String(part);
    if (part === null || typeof part !== "object" || Array.isArray(part)) return part;
    return Object.fromEntries(Object.entries(part).sort(byFirst));
  });
}

function byFirst([one]: readonly [string, unknown], [other]: readonly [string, unknown]): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
