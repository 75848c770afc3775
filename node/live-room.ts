/**
 * A room at work on this node: its configuration, its part of the mesh, and what is derived from both once and not per request.
 */

import type { RoomId } from "../mesh/core/ids.ts";
import { AddressLimit } from "./admission/address-limit.ts";
import type { Admission, Restored } from "./admission/admission.ts";
import { MeshRoom } from "./admission/mesh/mesh-room.ts";
import type { RoomMesh } from "./admission/mesh/room-mesh.ts";
import type { Room } from "./config/room.ts";
import { type Cidr, parseCidr } from "./gate/client.ts";
import { cookieNameOf } from "./gate/cookie-header.ts";
import type { OriginTarget } from "./gate/http/message.ts";
import { parseOrigin } from "./gate/http/origin-target.ts";
import { RoomCounts } from "./room-counts.ts";

export interface RoomPlace {
  readonly mesh: RoomMesh;
  /** Origin of rooms that name none. */
  readonly defaultOrigin: OriginTarget | undefined;
}

export class LiveRoom {
  readonly id: RoomId;
  readonly firstName: string;
  readonly createdMs: number;
  readonly mesh: MeshRoom;
  readonly counts = new RoomCounts();
  readonly addressLimit = new AddressLimit();
  readonly #place: RoomPlace;
  #room: Room;
  #modifiedMs: number;
  #bypass: readonly Cidr[] = [];
  #origin: OriginTarget | undefined;
  #cookieName = "";

  constructor(
    stored: { id: RoomId; firstName: string; room: Room; createdMs: number; modifiedMs: number },
    place: RoomPlace,
    now: { nowMs: number; restored: Restored | undefined },
  ) {
    this.id = stored.id;
    this.firstName = stored.firstName;
    this.createdMs = stored.createdMs;
    this.#modifiedMs = stored.modifiedMs;
    this.#place = place;
    this.#room = stored.room;
    this.mesh = new MeshRoom({ id: stored.id, room: stored.room, mesh: place.mesh, ...now });
    this.configure(stored.room, stored.modifiedMs);
  }

  get room(): Room {
    return this.#room;
  }

  get modifiedMs(): number {
    return this.#modifiedMs;
  }

  get admission(): Admission {
    return this.mesh.admission;
  }

  /** Addresses that pass without a session. */
  get bypass(): readonly Cidr[] {
    return this.#bypass;
  }

  get origin(): OriginTarget | undefined {
    return this.#origin;
  }

  get cookieName(): string {
    return this.#cookieName;
  }

  /** Puts a changed room in force; nobody inside or in line is touched. */
  configure(room: Room, modifiedMs: number): void {
    this.#room = room;
    this.#modifiedMs = modifiedMs;
    this.#bypass = room.bypassCidrs.map(parseCidr);
    this.#origin = room.origin === undefined ? this.#place.defaultOrigin : originTarget(room.origin);
    this.#cookieName = cookieNameOf(this.firstName, room);
    this.mesh.configure(room);
  }
}

/** A base URL that configuration has checked, parsed. */
export function originTarget(url: string): OriginTarget {
  const target = parseOrigin(url);
  if (typeof target === "string") throw new Error(`Cannot use the origin as ${target}`);
  return target;
}
