/**
 * The origin of a run: it counts requests, and states in each answer when it gave it.
 *
 * It does not know the gates. The time of an answer travels to the visitor through the gate, so that a stay begins when
 * the origin was reached, and not when the answer arrived.
 */

export const ANSWERED_AT = "x-origin-answered-at";

export interface Origin {
  /** Base URL, without a slash at the end. */
  readonly url: string;
  /** Requests so far. */
  readonly requests: number;
  stop(): Promise<void>;
}

export function startOrigin(): Origin {
  let requests = 0;
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    development: false,
    fetch: () => {
      requests += 1;
      return new Response("You are inside.\n", { headers: { [ANSWERED_AT]: String(Date.now()) } });
    },
  });
  return {
    url: `http://127.0.0.1:${server.port}`,
    get requests() {
      return requests;
    },
    stop: () => server.stop(true),
  };
}
