/**
 * The hello, and the refusal of one, as bytes: JSON, so that nodes of different wire versions can still say why they
 * refuse each other.
 *
 * A refusal carries the hello of the refusing node, so that the other side can word the reason itself. Everything is
 * checked: the sender has proved nothing but the mesh key.
 */

import type { NodeId } from "./core/ids.ts";
import type { Hello } from "./core/wire/hello.ts";
import { isNodeName } from "./core/wire/shapes.ts";
import { isWithin, WIRES, type WireRange } from "./core/wire/wire-range.ts";

/** A hello with all its addresses has some 500 bytes. */
const HELLO_BYTES_MAX = 8 * 1024;
/** Longest text in a hello: a DNS name with its multiaddr around it. */
const TEXT_MAX = 300;
/** Enough for all interfaces of a host. */
const ADDRESSES_MAX = 16;

export interface Refusal {
  readonly reason: string;
  /** From the refusing node; undefined if it cannot be read. */
  readonly hello: Hello | undefined;
  /**
   * When the latest process of the refused node's identity started, if the refusing node knows of another one; see
   * `Hello`.
   */
  readonly newest: number | undefined;
}

export function writeHello(hello: Hello): Uint8Array {
  return toBytes({ ...hello, addresses: hello.addresses.slice(0, ADDRESSES_MAX) });
}

export function writeRefusal(reason: string, hello: Hello, newest?: number): Uint8Array {
  return toBytes({ ...hello, addresses: [], reason, newest });
}

/**
 * The hello in `bytes`; undefined if there is none. Of a node whose wire version is not understood only `wire`,
 * `understands`, `version` and `node` are required.
 */
export function readHello(bytes: Uint8Array): Hello | undefined {
  const { wire, understands, mesh, minuteMs, leaseMs, node, incarnation, locality, name, version, addresses } =
    fieldsOf(bytes);
  if (!isCount(wire) || !isText(version) || !isText(node)) return undefined;
  if (!isRange(understands)) return undefined;
  const known = {
    mesh: isText(mesh) ? mesh : undefined,
    minuteMs: isCount(minuteMs) ? minuteMs : undefined,
    leaseMs: isCount(leaseMs) ? leaseMs : undefined,
    incarnation: isCount(incarnation) ? incarnation : undefined,
    locality: isText(locality) ? locality : undefined,
    addresses: isAddresses(addresses) ? addresses : undefined,
  };
  if (isWithin(wire, WIRES) && Object.values(known).includes(undefined)) return undefined;
  return {
    wire,
    understands,
    version,
    node: node as NodeId,
    mesh: known.mesh ?? "",
    minuteMs: known.minuteMs ?? 0,
    leaseMs: known.leaseMs ?? 0,
    incarnation: known.incarnation ?? 0,
    locality: known.locality ?? "",
    ...(typeof name === "string" && isNodeName(name) && { name }),
    addresses: known.addresses ?? [],
  };
}

export function readRefusal(bytes: Uint8Array): Refusal {
  const { reason, newest } = fieldsOf(bytes);
  return {
    reason: isText(reason) ? reason : "",
    hello: readHello(bytes),
    newest: isCount(newest) ? newest : undefined,
  };
}

function toBytes(fields: object): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(fields));
}

/** The fields of the object in `bytes`; none if there is no object. */
function fieldsOf(bytes: Uint8Array): Partial<Record<keyof Hello | "reason" | "newest", unknown>> {
  if (bytes.length > HELLO_BYTES_MAX) return {};
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(bytes));
    return typeof value === "object" && value !== null ? value : {};
  } catch {
    return {};
  }
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function isRange(value: unknown): value is WireRange {
  if (!Array.isArray(value) || value.length !== 2) return false;
  const [oldest, newest]: unknown[] = value;
  return isCount(oldest) && isCount(newest) && oldest <= newest;
}

/** No control characters: the text appears in logs. */
function isText(value: unknown): value is string {
  return typeof value === "string" && value.length <= TEXT_MAX && !/\p{Cc}/u.test(value);
}

function isAddresses(value: unknown): value is string[] {
  return Array.isArray(value) && value.length <= ADDRESSES_MAX && value.every(isText);
}
