/**
 * The hello, and the refusal of one, as bytes: JSON, so that nodes of different wire versions can still say why they
 * refuse each other.
 *
 * A refusal carries the hello of the refusing node, so that the other side can word the reason itself. Everything is
 * checked: the sender has proved nothing but the mesh key.
 */

import { z } from "zod";
import type { NodeId } from "./core/ids.ts";
import type { Hello } from "./core/wire/hello.ts";
import { nodeName, whole } from "./core/wire/shapes.ts";
import { isWithin, WIRES } from "./core/wire/wire-range.ts";

/** A hello with all its addresses has some 500 bytes. */
const HELLO_BYTES_MAX = 8 * 1024;
/** Longest text in a hello: a DNS name with its multiaddr around it. */
const TEXT_MAX = 300;
/** Enough for all interfaces of a host. */
const ADDRESSES_MAX = 16;

/** No control characters: the text appears in logs. */
const text = z
  .string()
  .max(TEXT_MAX)
  .regex(/^\P{Cc}*$/u);

const OF_ANOTHER_WIRE = z.object({
  wire: whole,
  understands: z.tuple([whole, whole]).refine(([oldest, newest]) => oldest <= newest),
  node: text as unknown as z.ZodType<NodeId>,
  version: text,
});

const HELLO = OF_ANOTHER_WIRE.extend({
  mesh: text,
  minuteMs: whole,
  leaseMs: whole,
  incarnation: whole,
  locality: text,
  name: nodeName.optional().catch(undefined),
  addresses: z.array(text).max(ADDRESSES_MAX),
}) as unknown as z.ZodType<Hello>;

const REASON = z
  .object({ reason: text.catch(""), newest: whole.optional().catch(undefined) })
  .catch({ reason: "", newest: undefined });

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
  const fields = fieldsOf(bytes);
  const read = HELLO.safeParse(fields);
  if (read.success) return read.data;
  const other = OF_ANOTHER_WIRE.safeParse(fields);
  if (!other.success || isWithin(other.data.wire, WIRES)) return undefined;
  return { mesh: "", minuteMs: 0, leaseMs: 0, incarnation: 0, locality: "", addresses: [], ...other.data };
}

export function readRefusal(bytes: Uint8Array): Refusal {
  const { reason, newest } = REASON.parse(fieldsOf(bytes));
  return { reason, hello: readHello(bytes), newest };
}

function toBytes(fields: object): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(fields));
}

/** What the JSON in `bytes` says; no fields where it is none. */
function fieldsOf(bytes: Uint8Array): unknown {
  if (bytes.length > HELLO_BYTES_MAX) return {};
  try {
    return JSON.parse(new TextDecoder().decode(bytes)) ?? {};
  } catch {
    // Not JSON: it is no hello, and a refusal without a reason.
    return {};
  }
}
