/** The tokens of an admin API in a test: registers in memory, and a clock that the test moves. */

import type { NodeId } from "../../mesh/core/ids.ts";
import type { RegisterKey } from "../../mesh/core/replica/register-keys.ts";
import type { Register } from "../../mesh/core/replica/registers.ts";
import { Tokens } from "../../node/operator/tokens/tokens.ts";
import type { RoomRegisters } from "../../node/rooms/room-registers.ts";

export function memoryRegisters(): RoomRegisters & { readonly held: Map<RegisterKey, Register> } {
  const held = new Map<RegisterKey, Register>();
  let counter = 0;
  return {
    held,
    all: () => new Map(),
    get: (key) => held.get(key),
    set: (values) => {
      const node = "12D3KooWtest" as NodeId;
      for (const [key, value] of values) {
        counter += 1;
        held.set(key, { ...value, stamp: { wallMs: 0, counter, node } });
      }
      return new Map([...values.keys()].flatMap((key) => (held.has(key) ? [[key, held.get(key) as Register]] : [])));
    },
  };
}

export function tokenParts(clock: () => number = Date.now, registers: RoomRegisters = memoryRegisters()) {
  const tokens = new Tokens({ registers, roomMs: clock });
  return { clock, tokens: { tokens, roomMs: clock, knowsTokens: () => true } };
}
