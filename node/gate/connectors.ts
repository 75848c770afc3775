/** What the gate asks of an adapter for connectors: programs in front of a site whose visitors wait at the gate. */

import type { Minute } from "../../mesh/core/ids.ts";
import type { Client } from "../http/client.ts";
import type { Exchange } from "../http/message.ts";
import type { LiveRoom } from "../rooms/live-room.ts";
import type { GateContext } from "./gate-context.ts";
import type { Refusals } from "./refusals.ts";
import type { RequestKind } from "./request-kind.ts";
import type { VisitorCookies } from "./visitor-cookies.ts";

/** A request of a visitor, and what was known when it came. */
export interface ConnectorVisit {
  readonly exchange: Exchange;
  readonly live: LiveRoom;
  readonly kind: RequestKind;
  readonly nowMs: number;
}

type Cookies = readonly (string | undefined)[];

export interface Connectors {
  /** Requests of connectors themselves begin with this, at any host. */
  readonly ownPath: string;
  /**
   * Answers requests that a connector makes, or sends its visitor with, and that are not for a place in line; returns
   * whether it has. `found`: the room of the address.
   */
  answers(
    by: { readonly exchange: Exchange; readonly client: Client; readonly nowMs: number },
    found: LiveRoom | undefined,
  ): boolean;
  /** Sends a visitor back to the site with a token for as long as the session's slot is held at least. */
  letIn(visit: ConnectorVisit, session: { readonly id: string; readonly lastGood: Minute }, cookies: Cookies): void;
  /** Sends a visitor back who passes without a session, because the operator says so. */
  pass(visit: ConnectorVisit, cookies: Cookies): void;
}

/** Of the gate, what an adapter answers with. */
export interface ConnectorParts extends Pick<GateContext, "rooms" | "minuteMs"> {
  readonly refusals: Refusals;
  readonly cookies: VisitorCookies;
}
