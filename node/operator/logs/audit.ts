/**
 * The audit log: who changed what, from where, with the old and the new value. A line of the node's log for each order
 * of the admin API that changed something, with the field `audit`.
 *
 * The actor is the token by its name. A change of rooms is found by comparing them before and after
 * it, in one turn of the event loop: no line has a change of somebody else.
 */

import type { Context } from "hono";
import type { RoomId } from "../../../mesh/core/ids.ts";
import type { Room } from "../../config/room.ts";
import type { Fields, Log } from "../../log.ts";
import { changesBetween } from "../../rooms/field-changes.ts";
import type { Rooms } from "../../rooms/rooms.ts";
import type { PrincipalEnv } from "../access/principal.ts";

/** Whose order it is. */
export interface Actor {
  /** The name of the token. */
  readonly actor: string;
  /** The address from which it came. */
  readonly from: string;
}

/**
 * What comes with a request of the admin API: who sends it, from which address, and the Host by which it came to the
 * process of a host with workers.
 */
export type AdminEnv = PrincipalEnv & {
  readonly Bindings: { readonly from?: string; readonly host?: string };
};

/** Whose request it is; before it is known who sends it, nobody's. */
export function actorOf(c: Context<AdminEnv>): Actor {
  // A request that came by no socket has no environment.
  const env: AdminEnv["Bindings"] | undefined = c.env;
  const principal: AdminEnv["Variables"]["principal"] | undefined = c.var.principal;
  return { actor: principal?.name ?? "nobody", from: env?.from ?? "unknown" };
}

/** Changed fields in one line: an order about all rooms of a mesh may change thousands. */
const CHANGES_MAX = 200;

interface Before {
  readonly name: string;
  readonly room: Room;
  readonly order: string;
}

export class AuditLog {
  readonly #rooms: Rooms;
  readonly #log: Log;

  constructor(rooms: Rooms, log: Log) {
    this.#rooms = rooms;
    this.#log = log;
  }

  /** Logs an order that changes no room. */
  note(by: Actor, action: string, fields: Fields = {}): void {
    this.#log.info({ audit: action, ...by, ...fields }, action);
  }

  /** Carries out an order about rooms, and logs what it changed; nothing if it was refused. */
  tracked<Result extends { readonly ok: boolean }>(by: Actor, action: string, act: () => Result): Result {
    const before = this.#look();
    const result = act();
    if (result.ok) this.#tell(by, action, before);
    return result;
  }

  /** The same for an order that takes its time. */
  async trackedLater<Result extends { readonly ok: boolean }>(by: Actor, action: string, act: () => Promise<Result>) {
    const before = this.#look();
    const result = await act();
    if (result.ok) this.#tell(by, action, before);
    return result;
  }

  #look(): ReadonlyMap<RoomId, Before> {
    return new Map(
      this.#rooms.all().map(({ id, declared, order }) => {
        return [id, { name: declared.name, room: declared, order: order?.kind ?? "none" }];
      }),
    );
  }

  #tell(by: Actor, action: string, before: ReadonlyMap<RoomId, Before>): void {
    const after = this.#look();
    const changes = [...new Set([...before.keys(), ...after.keys()])].flatMap((id) => {
      const [old, now] = [before.get(id), after.get(id)];
      const room = (old ?? now)?.name;
      const isOrdered = old !== undefined && now !== undefined && old.order !== now.order;
      const order = isOrdered ? [{ room, field: "operator_order", from: old.order, to: now.order }] : [];
      return [...changesBetween(old?.room, now?.room).map((change) => ({ room, ...change })), ...order];
    });
    const rooms = [...new Set(changes.map(({ room }) => room))];
    const shown = changes.slice(0, CHANGES_MAX);
    const more = changes.length > shown.length ? { more_changes: changes.length - shown.length } : {};
    this.note(by, action, { ...(rooms.length === 1 ? { room: rooms[0] } : { rooms }), changes: shown, ...more });
  }
}
