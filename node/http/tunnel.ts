/**
 * A WebSocket after its 101: bytes both ways, with back-pressure, until one side closes.
 *
 * Of frames the gate reads only where those of the origin end: so it can end a WebSocket itself, by a close frame
 * between two of them. When one side ends, what it sent before still reaches the other, and then both end: a
 * WebSocket says goodbye in frames, so a half-open one has nothing more to say.
 */

import type { ConnectionParts } from "./connection-owner.ts";
import type { OriginConnection, OriginUser } from "./upstream.ts";
import { type Closing, closeFrame, WebSocketFrames } from "./websocket-frames.ts";

/** For how many sweeps the end of the origin's frame is waited for; after that the client gets no close frame. */
const FRAME_SWEEPS_MAX = 3;

export class Tunnel implements OriginUser {
  readonly #client: ConnectionParts;
  readonly #origin: OriginConnection;
  readonly #stallMs: number;
  /** How long nothing was sent either way, in ticks of the sweep. */
  silentMs = 0;
  fromClientBytes = 0;
  readonly #frames = new WebSocketFrames();
  #closing: Closing | undefined;
  #closingSweeps = 0;
  #clientEnded = false;

  constructor(client: ConnectionParts, origin: OriginConnection, stallMs: number) {
    this.#client = client;
    this.#origin = origin;
    this.#stallMs = stallMs;
    origin.user = this;
  }

  fromClient(bytes: Buffer): void {
    this.silentMs = 0;
    this.fromClientBytes += bytes.length;
    if (this.#closing !== undefined) return;
    const { outlet } = this.#origin;
    outlet.bytes(bytes);
    outlet.flush();
    this.#client.hold(outlet.blocked);
  }

  onData(bytes: Buffer): void {
    this.silentMs = 0;
    const { outlet } = this.#client;
    if (this.#closing !== undefined) {
      outlet.bytes(bytes.subarray(0, this.#frames.readFrame(bytes, 0)));
      this.#closeBetweenFrames(this.#closing);
      return;
    }
    this.#frames.read(bytes);
    outlet.bytes(bytes);
    outlet.flush();
    this.#origin.hold(outlet.blocked);
  }

  /** Ends both sides: the client hears why, the origin that its client is gone. */
  close(closing: Closing): void {
    this.#closing ??= closing;
    this.#closeBetweenFrames(closing);
  }

  #closeBetweenFrames(closing: Closing): void {
    if (!this.#frames.isBetween) return;
    if (!this.#frames.isClosed) this.#client.outlet.bytes(closeFrame(closing));
    this.#end();
  }

  #end(): void {
    this.#origin.close();
    this.onGone();
  }

  onDrain(): void {
    if (this.#clientEnded) this.clientEnded();
    else this.#client.hold(this.#origin.outlet.blocked);
  }

  /** The client takes bytes again. */
  clientReady(): void {
    this.#origin.hold(this.#client.outlet.blocked);
  }

  /** The client has ended in good order: the origin gets what is left, then both end. */
  clientEnded(): void {
    this.#clientEnded = true;
    if (this.#origin.outlet.backlog > 0) return;
    this.#end();
  }

  abort(): void {
    this.#origin.abort();
    this.#client.tunnelEnded();
  }

  sweep(tickMs: number): void {
    this.silentMs += tickMs;
    if (this.#closing !== undefined && ++this.#closingSweeps > FRAME_SWEEPS_MAX) {
      this.#end();
      return;
    }
    if (!this.#origin.outlet.stalls(tickMs, this.#stallMs)) return;
    this.abort();
    this.#client.end(false);
  }

  onGone(): void {
    this.#client.tunnelEnded();
    this.#client.end(true);
  }

  onOpen(): void {}
  onRefused(): void {}
}
