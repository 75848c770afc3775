/**
 * What packs the messages between nodes.
 */

import { Codec } from "../../mesh/core/wire/codec.ts";
import { WIRES } from "../../mesh/core/wire/wire-range.ts";
import { MESSAGE_SHAPES } from "./message-kinds.ts";

/** Packs messages and unpacks them. */
export type PeerCodec = Pick<Codec<typeof MESSAGE_SHAPES>, "encode" | "decode">;

export function peerCodec(understands = WIRES): PeerCodec {
  return new Codec(MESSAGE_SHAPES, understands);
}
