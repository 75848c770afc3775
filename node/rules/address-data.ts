/**
 * What databases say of an address: its country and its network's number. They are files in MaxMind's form (MMDB), such
 * as those of DB-IP and GeoLite2, that an operator has put beside the rooms file.
 *
 * Without a database, both are unknown: no rule that asks for them applies. An address that a database does not have is
 * of country `XX` and network 0, as at Cloudflare.
 */

import { Reader, type Response } from "mmdb-lib";
import { plainAddress } from "../http/client.ts";

/** Two letters (ISO 3166-1), or the number of an autonomous system in decimal; undefined where it is unknown. */
type Answer = (address: string) => string | undefined;

export interface AddressData {
  readonly country?: Answer;
  readonly network?: Answer;
}

/** Where a database knows nothing of an address. */
const NO_COUNTRY = "XX";
const NO_NETWORK = "0";

/** The form's own limit. Its metadata begins with this text; the reader would look for it from the end to the start. */
const METADATA_BYTES_MAX = 128 * 1_024;
const METADATA = "\xab\xcd\xefMaxMind.com";

/** What the database in `bytes` says, or why it says nothing. */
export function addressData(bytes: Buffer): AddressData | string {
  // Of a large file that is half written, the search would hold up the gate for 0.3 s.
  if (!bytes.subarray(-METADATA_BYTES_MAX).includes(METADATA, 0, "latin1"))
    return "is no database in MaxMind's form, or only a part of one: it has no metadata near its end";
  try {
    const reader = new Reader<Response>(bytes);
    const { databaseType } = reader.metadata;
    if (/asn|isp/i.test(databaseType)) return { network: answers(reader, networkIn) };
    if (/country|city|enterprise/i.test(databaseType)) return { country: answers(reader, countryIn) };
    return `says ${JSON.stringify(databaseType)} of itself: not Country, City, ASN or ISP`;
  } catch (error) {
    return `is no database in MaxMind's form: ${error instanceof Error ? error.message : error}`;
  }
}

function answers(reader: Reader<Response>, read: (found: object) => string): Answer {
  return (address) => {
    const plain = plainAddress(address);
    if (plain === undefined) return undefined;
    // The reader would take the first bits of an IPv6 address for an IPv4 one.
    const isOutside = reader.metadata.ipVersion === 4 && plain.includes(":");
    try {
      return read((isOutside ? undefined : reader.get(plain)) ?? {});
    } catch {
      // A damaged entry: the address stays unknown, and no rule about it applies.
      return undefined;
    }
  };
}

interface CountryEntry {
  readonly country?: { readonly iso_code?: unknown };
}

function countryIn({ country }: CountryEntry): string {
  const code = country?.iso_code;
  return typeof code === "string" ? code : NO_COUNTRY;
}

interface NetworkEntry {
  readonly autonomous_system_number?: unknown;
}

function networkIn({ autonomous_system_number: number }: NetworkEntry): string {
  return typeof number === "number" ? String(number) : NO_NETWORK;
}
