/** Makes small databases in MaxMind's form: a binary tree over the bits of addresses, and the entries at its leaves. */

import ipaddr from "ipaddr.js";

type Value = string | number | readonly Value[] | { readonly [key: string]: Value };
type Leaf = { readonly entry: number };
interface Node {
  left?: Node | Leaf;
  right?: Node | Leaf;
}

const MARK = Buffer.from("\xab\xcd\xefMaxMind.com", "latin1");
const DATA_GAP = 16;

/** A database of networks such as `203.0.113.0/24`, each with its entry; IPv4 is in the lowest addresses of IPv6. */
export function mmdb(databaseType: string, entries: Readonly<Record<string, Value>>, ipVersion: 4 | 6 = 6): Buffer {
  const root: Node = {};
  const data: Buffer[] = [];
  let dataBytes = 0;
  for (const [network, value] of Object.entries(entries)) {
    const bytes = encoded(value);
    plant(root, bitsOf(network, ipVersion), { entry: dataBytes });
    data.push(bytes);
    dataBytes += bytes.length;
  }
  const nodes: Node[] = [root];
  for (const { left, right } of nodes) for (const child of [left, right]) if (isNode(child)) nodes.push(child);
  const recordOf = (child: Node | Leaf | undefined): number => {
    if (child === undefined) return nodes.length;
    return isNode(child) ? nodes.indexOf(child) : nodes.length + DATA_GAP + child.entry;
  };
  const tree = Buffer.concat(
    nodes.flatMap(({ left, right }) => [left, right].map((child) => bytesOf(recordOf(child), 3))),
  );
  const metadata = encoded({
    ...{ binary_format_major_version: 2, binary_format_minor_version: 0, build_epoch: 1_790_000_000 },
    ...{ database_type: databaseType, description: {}, languages: [], ip_version: ipVersion },
    ...{ node_count: nodes.length, record_size: 24 },
  });
  return Buffer.concat([tree, Buffer.alloc(DATA_GAP), ...data, MARK, metadata]);
}

function isNode(child: Node | Leaf | undefined): child is Node {
  return child !== undefined && !("entry" in child);
}

function plant(root: Node, bits: readonly number[], leaf: Leaf): void {
  let node = root;
  for (const [at, bit] of bits.entries()) {
    const side = bit === 0 ? "left" : "right";
    if (at === bits.length - 1) node[side] = leaf;
    else {
      const child = node[side];
      const next: Node = isNode(child) ? child : {};
      node[side] = next;
      node = next;
    }
  }
}

function bitsOf(network: string, ipVersion: 4 | 6): readonly number[] {
  const [address, length] = ipaddr.parseCIDR(network);
  const isInSix = address.kind() === "ipv4" && ipVersion === 6;
  const bytes = [...(isInSix ? Array<number>(12).fill(0) : []), ...address.toByteArray()];
  const bits = bytes.flatMap((byte) => [7, 6, 5, 4, 3, 2, 1, 0].map((at) => (byte >> at) & 1));
  return bits.slice(0, length + (isInSix ? 96 : 0));
}

/** Types of the format: 2 is a text, 6 a number of 32 bits, 7 a map, and 11 a list, beyond the first seven. */
function encoded(value: Value): Buffer {
  if (typeof value === "string") return Buffer.concat([control(2, Buffer.byteLength(value)), Buffer.from(value)]);
  if (typeof value === "number") return Buffer.concat([control(6, 4), bytesOf(value, 4)]);
  if (Array.isArray(value)) return Buffer.concat([Buffer.from([value.length, 11 - 7]), ...value.map(encoded)]);
  const pairs = Object.entries(value);
  return Buffer.concat([control(7, pairs.length), ...pairs.flatMap(([key, each]) => [encoded(key), encoded(each)])]);
}

/** The type and the size; one of 29 or more takes a byte of its own. */
function control(type: number, size: number): Buffer {
  return size < 29 ? Buffer.from([(type << 5) | size]) : Buffer.from([(type << 5) | 29, size - 29]);
}

function bytesOf(number: number, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  bytes.writeUIntBE(number, 0, length);
  return bytes;
}
