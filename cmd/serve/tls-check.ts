/**
 * Whether the files for TLS are valid and belong together: `config check` and `serve` check it before listening,
 * because the TLS library only says that it failed.
 */

import { createPrivateKey, type KeyObject, X509Certificate } from "node:crypto";
import { type Problem, problemAt } from "../../node/config/problem.ts";
import type { Reading } from "../../node/config/readers.ts";
import { messageOf } from "../../node/message-of.ts";

/** A file and its text. */
export interface ReadFile {
  readonly path: string;
  readonly text: string;
}

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g;

const CHAIN_REPAIR = "name a PEM file with the site's own certificate first, then those that signed it";
const TRUST_REPAIR = "name a PEM file with the certificates to trust";
const KEY_REPAIR = "name the PEM file with the private key of the certificate, without a passphrase";

/** What is wrong with a certificate chain and its key; one that could not be read is left out. */
export function tlsProblems(chain: ReadFile | undefined, key: ReadFile | undefined): readonly Problem[] {
  const certificates = chain && certificatesIn(chain.text, CHAIN_REPAIR);
  const secret = key && keyIn(key.text);
  const problems = [...complaintOf(chain, certificates), ...complaintOf(key, secret)];
  if (chain === undefined || key === undefined || problems.length > 0) return problems;
  if (certificates === undefined || secret === undefined || !("value" in certificates && "value" in secret)) return [];
  const [own, ...others] = certificates.value.map((certificate) => certificate.checkPrivateKey(secret.value));
  if (own) return [];
  const mismatch = others.includes(true)
    ? { problem: `is the key of a later certificate in ${chain.path}, not of the first`, repair: CHAIN_REPAIR }
    : {
        problem: `is not the key of the certificate in ${chain.path} (${describe(certificates.value)})`,
        repair: KEY_REPAIR,
      };
  return [problemAt(key.path, undefined, mismatch)];
}

/** Which certificate it is: its names and its last day. */
function describe([own]: readonly X509Certificate[]): string {
  const names = own?.subjectAltName?.replaceAll("DNS:", "") ?? "no names";
  return `for ${names}, valid until ${own && dayText(own.validToDate.getTime())}`;
}

/** `2026-12-31`. */
export function dayText(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}

/** Problems of a file of certificates to trust; none for a file that could not be read. */
export function certificateProblems(file: ReadFile | undefined): readonly Problem[] {
  return complaintOf(file, file && certificatesIn(file.text, TRUST_REPAIR));
}

function complaintOf(file: ReadFile | undefined, reading: Reading<unknown> | undefined): Problem[] {
  if (file === undefined || reading === undefined || !("complaint" in reading)) return [];
  return [problemAt(file.path, undefined, reading.complaint)];
}

function certificatesIn(text: string, repair: string): Reading<readonly X509Certificate[]> {
  const found = text.match(CERTIFICATE) ?? [];
  if (found.length === 0) return { complaint: { problem: "has no certificate in PEM form", repair } };
  try {
    return { value: found.map((pem) => new X509Certificate(pem)) };
  } catch (error) {
    // All other problems are still reported; the cause is in this one's text.
    return { complaint: { problem: `has a certificate that cannot be read: ${messageOf(error)}`, repair } };
  }
}

function keyIn(text: string): Reading<KeyObject> {
  try {
    return { value: createPrivateKey(text) };
  } catch (error) {
    // As above; the library's message never contains a part of the key.
    const isLocked = (error as { code?: string }).code === "ERR_MISSING_PASSPHRASE";
    const problem = isLocked ? "is a private key with a passphrase" : "has no private key in PEM form";
    return { complaint: { problem, repair: KEY_REPAIR } };
  }
}
