/** What the gate needs of tracing: which requests are traced, and two moments of the origin's part. */

import type { Client } from "../http/client.ts";
import type { Exchange, RequestTrace } from "../http/message.ts";

export interface Tracing {
  /** The trace of a request; undefined if it is not recorded. */
  begin(exchange: Exchange, client: Client): RequestTrace | undefined;
}
