/** The rooms' configurations and the orders about them, as the mesh has them; the last writer determines each. */

import type { RoomId } from "../../mesh/core/ids.ts";
import type { RegisterKey } from "../../mesh/core/replica/register-keys.ts";
import type { Register } from "../../mesh/core/replica/registers.ts";

/** What is written: the mesh adds the stamps. */
export type RegisterWrites = ReadonlyMap<RegisterKey, Omit<Register, "stamp">>;

export interface RoomRegisters {
  /** All rooms' configurations. */
  all(): ReadonlyMap<RoomId, Register>;
  get(key: RegisterKey): Register | undefined;
  /** Changes rooms on all nodes, by one commit; one without a document is deleted. */
  set(values: RegisterWrites): ReadonlyMap<RegisterKey, Register>;
}
