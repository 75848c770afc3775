/**
 * Whether each visitor stands in one line: the lines of a room together are as long as the visitors who wait are many.
 *
 * Looked at once a second where nothing fails. Answers are on their way meanwhile, so it is wrong only if that lasts.
 * In a world with faults lines also hold the places of those who left, and of those whose line was taken over: there,
 * nobody may be in two lines once all is healed, and those who left have been silent for long enough.
 */

import type { RoomId } from "../../mesh/core/ids.ts";
import type { MeshRoom } from "../../node/admission/mesh/mesh-room.ts";
import type { SimNode } from "./sim-node.ts";
import type { SimRoom } from "./sim-room.ts";
import type { World } from "./world.ts";

/** Looks in a row at which the numbers differ: an answer takes less than 100 ms over an ocean. */
const WRONG_LOOKS = 3;

/** More than ever wait in a world with faults. */
const KEYS_MAX = 100_000;

export class LineWatch {
  readonly #nodes: readonly SimNode[];
  readonly #rooms: readonly Pick<SimRoom, "id" | "lines">[];
  #wrong = 0;

  constructor(nodes: readonly SimNode[], rooms: readonly Pick<SimRoom, "id" | "lines">[]) {
    this.#nodes = nodes;
    this.#rooms = rooms;
  }

  look(): string | undefined {
    for (const { id, lines } of this.#rooms) {
      let waiting = 0;
      for (const line of lines.values()) waiting += line.size;
      const inLines = countersOf(id, this.#nodes).reduce((sum, { admission }) => sum + admission.waiting, 0);
      this.#wrong = inLines === waiting ? 0 : this.#wrong + 1;
      if (this.#wrong >= WRONG_LOOKS) return `one line: ${inLines} places in all lines, ${waiting} visitors wait`;
    }
    return undefined;
  }
}

/**
 * Queue keys that are heard in several lines, and in more of them than visitors wait with that key. Two visitors of
 * lanes may have one key, each in a line of its own: a lane's places lie between those of others, wherever these are.
 */
export function inTwoLines({ nodes, rooms }: Pick<World, "nodes" | "rooms">): readonly number[] {
  return rooms.flatMap(({ id, lines }) => {
    const heard = Map.groupBy(
      countersOf(id, nodes).flatMap(({ admission }) => admission.heardKeys(KEYS_MAX)),
      (key) => key,
    );
    const waiting = [...lines.values()].flatMap((line) => [...line]);
    const bearers = (key: number): number =>
      waiting.filter(({ cookie }) => cookie?.kind === "waiting" && cookie.key === key).length;
    return [...heard].flatMap(([key, { length }]) => (length > 1 && length > bearers(key) ? key : []));
  });
}

/** A room at the nodes that keep its lines. */
function countersOf(id: RoomId, nodes: readonly SimNode[]): readonly MeshRoom[] {
  return nodes.flatMap(({ peer, identity }) => {
    const room = peer?.rooms.get(id);
    return room?.counters()[0] === identity ? room : [];
  });
}
