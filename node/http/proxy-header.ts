/**
 * The PROXY protocol, versions 1 and 2: the header with which a TCP balancer begins a connection, and which names the
 * client. Source: https://www.haproxy.org/download/3.0/doc/proxy-protocol.txt
 */

import { plainAddress } from "./client.ts";

/** A whole header. */
export interface ProxyHeader {
  /** Its length in bytes; what follows is the client's. */
  readonly length: number;
  /** The client's address; undefined when the balancer speaks for itself (a health check) or knows none. */
  readonly address: string | undefined;
}

/** The longest line of version 1 (§2.1). */
const LINE_BYTES_MAX = 107;
/** The longest header of version 2: addresses take 36 bytes at most, the rest are extensions that are not used here. */
const BINARY_BYTES_MAX = 4_096;
const SIGNATURE = Buffer.from("\r\n\r\n\0\r\nQUIT\n", "latin1");
const FIXED_BYTES = 16;
const [IPV4, IPV6] = [0x10, 0x20];
const [LOCAL, PROXY] = [0x20, 0x21];

/** The header at the start of `bytes`; "more" while it is not whole, "none" when the bytes begin in another way. */
export function readProxyHeader(bytes: Buffer): ProxyHeader | "more" | "none" {
  const begin = bytes.subarray(0, SIGNATURE.length);
  if (begin.equals(SIGNATURE.subarray(0, begin.length))) return readBinary(bytes);
  const word = bytes.toString("latin1", 0, 6);
  return "PROXY ".startsWith(word) ? readLine(bytes) : "none";
}

function readLine(bytes: Buffer): ProxyHeader | "more" | "none" {
  const line = bytes.toString("latin1", 0, LINE_BYTES_MAX);
  const end = line.indexOf("\r\n");
  if (end < 0) return bytes.length < LINE_BYTES_MAX ? "more" : "none";
  const length = end + 2;
  const [, protocol, source, , sourcePort, ...rest] = line.slice(0, end).split(" ");
  if (protocol === "UNKNOWN") return { length, address: undefined };
  const family = protocol === "TCP4" ? /^[\d.]+$/ : protocol === "TCP6" ? /:/ : undefined;
  const address = plainAddress(source ?? "");
  const isWhole = rest.length === 1 && /^\d{1,5}$/.test(sourcePort ?? "") && family?.test(source ?? "") === true;
  return isWhole && address !== undefined ? { length, address } : "none";
}

function readBinary(bytes: Buffer): ProxyHeader | "more" | "none" {
  if (bytes.length < FIXED_BYTES) return "more";
  const [command, family] = [bytes.readUInt8(12), bytes.readUInt8(13) & 0xf0];
  const length = FIXED_BYTES + bytes.readUInt16BE(14);
  if ((command !== LOCAL && command !== PROXY) || length > BINARY_BYTES_MAX) return "none";
  if (bytes.length < length) return "more";
  const addressBytes = command === LOCAL ? 0 : family === IPV4 ? 4 : family === IPV6 ? 16 : 0;
  if (addressBytes === 0) return { length, address: undefined };
  // Source and destination, and their ports of two bytes each.
  if (length < FIXED_BYTES + 2 * addressBytes + 4) return "none";
  const source = bytes.subarray(FIXED_BYTES, FIXED_BYTES + addressBytes);
  return { length, address: plainAddress(addressText(source)) };
}

function addressText(bytes: Buffer): string {
  if (bytes.length === 4) return bytes.join(".");
  return (bytes.toString("hex").match(/.{4}/g) ?? []).join(":");
}
