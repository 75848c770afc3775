/**
 * Listening on an address, with a readable reason when that fails.
 */

import { type Address, addressText } from "../config/readers.ts";

/** A port or address on which the process cannot listen. */
export class ListenError extends Error {
  readonly code: string;
  constructor(message: string, code: string, cause: unknown) {
    super(message, { cause });
    this.name = "ListenError";
    this.code = code;
  }
}

/**
 * Listens on `address` with `start`; one without a host means every interface, by IPv6 and IPv4, or IPv4 alone where
 * there is no other. `what` is used in the reason. Throws `ListenError`.
 */
export function listening<Server>(address: Address, what: string, start: (hostname: string) => Server): Server {
  const [hostname = "", otherwise] = address.host === "" ? ["::", "0.0.0.0"] : [address.host];
  try {
    return start(hostname);
  } catch (cause) {
    const code = (cause as { code?: string }).code ?? "";
    const reason = LISTEN_REASONS[code];
    if (reason === undefined && otherwise !== undefined) return listening({ ...address, host: otherwise }, what, start);
    throw new ListenError(
      `Cannot listen for the ${what} on ${addressText(address)} as ${reason ?? String(cause)}`,
      code,
      cause,
    );
  }
}

const LISTEN_REASONS: Readonly<Record<string, string>> = {
  EADDRINUSE: "the port is taken",
  EACCES: "this user may not use it",
  EADDRNOTAVAIL: "this host has no such address",
  ENOENT: "its folder does not exist",
};
