/**
 * A WebSocket after its 101: bytes both ways, with back-pressure, until one side closes.
 *
 * The gate does not read frames. When one side ends, what it sent before still reaches the other, and then both end: a
 * WebSocket says goodbye in frames, so a half-open one has nothing more to say.
 */

import type { OriginConnection, OriginUser } from "./origin-connection.ts";
import type { Outlet } from "./outlet.ts";

export interface TunnelClient {
  readonly outlet: Outlet;
  /** Pauses or resumes reading from the client. */
  hold(paused: boolean): void;
  /** Ends the client's side once what was written has been taken. */
  end(gently: boolean): void;
  tunnelEnded(): void;
}

export class Tunnel implements OriginUser {
  readonly #client: TunnelClient;
  readonly #origin: OriginConnection;
  readonly #stallMs: number;
  /** How long nothing was sent either way, in ticks of the sweep. */
  silentMs = 0;
  #clientEnded = false;

  constructor(client: TunnelClient, origin: OriginConnection, stallMs: number) {
    this.#client = client;
    this.#origin = origin;
    this.#stallMs = stallMs;
    origin.user = this;
  }

  fromClient(bytes: Buffer): void {
    this.silentMs = 0;
    const { outlet } = this.#origin;
    outlet.bytes(bytes);
    outlet.flush();
    this.#client.hold(outlet.blocked);
  }

  onData(bytes: Buffer): void {
    this.silentMs = 0;
    const { outlet } = this.#client;
    outlet.bytes(bytes);
    outlet.flush();
    this.#origin.hold(outlet.blocked);
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
    this.#origin.close();
    this.onGone();
  }

  abort(): void {
    this.#origin.abort();
    this.#client.tunnelEnded();
  }

  sweep(tickMs: number): void {
    this.silentMs += tickMs;
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
