/**
 * What the gate's own code holds of a long transfer: counted where its bytes wait, so that neither the host's socket
 * buffers nor the garbage collector have a say.
 */

import { vi } from "vitest";
import { DEFAULT_HTTP_LIMITS } from "../../../node/http/limits.ts";
import { Outlet } from "../../../node/http/outlet.ts";
import { RequestReader } from "../../../node/http/request-reader.ts";
import { later } from "./peer.ts";

/** The runtime hands over so many bytes in one piece: they have come before anybody can be held back. */
const PIECE_BYTES_MAX = 512 * 1024;

/** The most that one queue of the gate may hold: its bound, and the piece that exceeds it. */
export const HELD_BYTES_MAX = DEFAULT_HTTP_LIMITS.backlogBytesMax + PIECE_BYTES_MAX;

/** The most bytes that have waited at once, from now to the end of the test, on one way in or out of a gate. */
export function held(): { readonly bytes: number } {
  const most = { bytes: 0 };
  const { bytes } = Outlet.prototype;
  const { push } = RequestReader.prototype;
  const spies = [
    vi.spyOn(Outlet.prototype, "bytes").mockImplementation(function (this: Outlet, piece) {
      bytes.call(this, piece);
      most.bytes = Math.max(most.bytes, this.backlog);
    }),
    vi.spyOn(RequestReader.prototype, "push").mockImplementation(function (this: RequestReader, piece) {
      push.call(this, piece);
      most.bytes = Math.max(most.bytes, this.pending);
    }),
  ];
  later(() => {
    for (const spy of spies) spy.mockRestore();
  });
  return most;
}
