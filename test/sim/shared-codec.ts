/**
 * One codec for all nodes of a simulated world. A frame that many receive is the same bytes for all of them: it is
 * parsed once, and they share the result. No node changes received data, so no node can notice.
 */

import { type PeerCodec, peerCodec } from "../../node/peer/peer-codec.ts";

export function sharedCodec(): PeerCodec {
  const codec = peerCodec();
  const read = new WeakMap<Uint8Array, ReturnType<PeerCodec["decode"]>>();
  return {
    encode: (messages, wire) => codec.encode(messages, wire),
    decode: (frame) => {
      const before = read.get(frame);
      if (before !== undefined) return before;
      const decoded = codec.decode(frame);
      read.set(frame, decoded);
      return decoded;
    },
  };
}
