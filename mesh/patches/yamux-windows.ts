/**
 * Makes yamux acknowledge read bytes when half of the window is used up, as its specification proposes.
 *
 * @libp2p/yamux 8 does so after every frame that it has read: with the short frames of a mesh every second packet is
 * such an update. Without them, an idle node uses a fifth less CPU.
 *
 * Upstream: no issue of js-libp2p is known; github.com/libp2p/rust-yamux/issues/100 has the reasons for half of the
 * window. Needless once test/mesh/patches/yamux-windows.test.ts says so.
 */

import { StreamState, YamuxStream } from "@libp2p/yamux/stream";

const sendWindowUpdate = YamuxStream.prototype.sendWindowUpdate;

/** Private in the library's types. If a later version names them otherwise, it acknowledges as often as before. */
interface Windows {
  readonly recvWindow: number;
  readonly recvWindowCapacity: number;
}

let isFrugal = false;

/** Changes the library's streams, once for the process. */
export function tellWindowsSeldom(): void {
  if (isFrugal) return;
  isFrugal = true;
  YamuxStream.prototype.sendWindowUpdate = function (this: YamuxStream): void {
    const { recvWindow, recvWindowCapacity } = this as unknown as Windows;
    if (this.state === StreamState.Established && recvWindowCapacity > recvWindow / 2) return;
    sendWindowUpdate.call(this);
  };
}
