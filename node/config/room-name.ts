/**
 * Names of rooms: `NAME`, or `NAMESPACE:NAME`. What stands before the colon is the room's namespace; tokens of a
 * namespace see its rooms alone.
 *
 * Names stand in URLs, labels of metrics, logs and snippets as they are. The name of a cookie is a token of RFC 9110,
 * which has no colon: there it is a dot, which no name has.
 */

export const ROOM_NAME = /^(?:[A-Za-z0-9_-]{1,32}:)?[A-Za-z0-9_-]{1,64}$/;

export const ROOM_NAME_REPAIR =
  "write 1 to 64 letters, digits, hyphens and underscores, after a namespace and a colon if it is to be in one: team:shop";

export const NAMESPACE = /^[A-Za-z0-9_-]{1,32}$/;

/** Whether a text can be a namespace. */
export function isNamespace(text: string): boolean {
  return NAMESPACE.test(text);
}

/** The namespace of a room by its name; undefined for a room in none. */
export function namespaceOf(name: string): string | undefined {
  const colon = name.indexOf(":");
  return colon === -1 ? undefined : name.slice(0, colon);
}

/** The name as a part of a cookie's name. */
export function nameInCookie(name: string): string {
  return name.replace(":", ".");
}
