/**
 * The certificate files that the settings name: read, checked together, and described for people.
 */

import { X509Certificate } from "node:crypto";
import type { Checked, Problem } from "../../node/config/problem.ts";
import { type CertificatePair, namesOf, type ServerTls } from "../../node/http/server-certificates.ts";
import type { OriginTls } from "../../node/http/upstream.ts";
import type { Io } from "../io.ts";
import { readInput } from "../read-input.ts";
import { certificateProblems, dayText, type ReadFile, tlsProblems } from "./tls-check.ts";

/** Paths of all files for TLS; one of a pair is undefined while the settings are not valid. */
export interface TlsPaths {
  readonly tls: { readonly pairs: readonly PairPaths[]; readonly clientCa: string | undefined } | undefined;
  readonly originCa: string | undefined;
  readonly originCert: PairPaths | undefined;
}

interface PairPaths {
  readonly cert: string | undefined;
  readonly key: string | undefined;
}

/** What they amount to, and the text of each file by its path. */
export interface Certificates {
  readonly tls: ServerTls | undefined;
  readonly originTls: OriginTls | undefined;
  readonly texts: ReadonlyMap<string, string>;
}

/** One certificate that the gate shows, for people. */
export interface CertificateRow {
  readonly file: string;
  readonly names: readonly string[];
  /** Ms since 1970. */
  readonly fromMs: number;
  readonly untilMs: number;
}

/** An operator who renews by hand needs some days. */
export const EXPIRY_WARNING_MS = 7 * 24 * 3_600_000;

/** Whether the files still have these texts. */
export function areAsBefore(io: Pick<Io, "read">, { texts }: Certificates): boolean {
  return [...texts].every(([path, before]) => {
    const text = readInput(io, path, { isReadAgain: true });
    return text.ok && text.value === before;
  });
}

/** Reads and checks all files; all problems at once. */
export function loadCertificates(io: Pick<Io, "read">, { tls, originCa, originCert }: TlsPaths): Checked<Certificates> {
  const texts = new Map<string, string>();
  const problems: Problem[] = [];
  const read = (path: string | undefined): ReadFile | undefined => {
    if (path === undefined) return undefined;
    const text = readInput(io, path, { isReadAgain: true });
    if (!text.ok) {
      problems.push(...text.problems);
      return undefined;
    }
    texts.set(path, text.value);
    return { path, text: text.value };
  };
  const pairOf = (paths: PairPaths): CertificatePair => {
    const [cert, key] = [read(paths.cert), read(paths.key)];
    problems.push(...tlsProblems(cert, key));
    return { cert: cert?.text ?? "", key: key?.text ?? "" };
  };
  const [first, ...others] = tls?.pairs.map(pairOf) ?? [];
  const clientCa = read(tls?.clientCa);
  const trusted = read(originCa);
  const shown = originCert?.cert === undefined ? undefined : pairOf(originCert);
  problems.push(...certificateProblems(clientCa), ...certificateProblems(trusted));
  if (problems.length > 0) return { ok: false, problems };
  return {
    ok: true,
    value: {
      tls: first && { certificates: [first, ...others], clientCa: clientCa?.text },
      originTls: trusted || shown ? { ...(trusted && { ca: trusted.text }), ...shown } : undefined,
      texts,
    },
  };
}

/** The certificates that the gate shows to visitors, in the order of the settings. */
export function certificateRows({ tls }: TlsPaths, { texts }: Certificates): readonly CertificateRow[] {
  return (tls?.pairs ?? []).map(({ cert }) => {
    const text = texts.get(cert ?? "") ?? "";
    const { validFromDate, validToDate } = new X509Certificate(text);
    return {
      file: cert ?? "",
      names: namesOf(text),
      fromMs: validFromDate.getTime(),
      untilMs: validToDate.getTime(),
    };
  });
}

/** What a browser will object to, now or soon. */
export function certificateWarnings(rows: readonly CertificateRow[], nowMs: number): string[] {
  return rows.flatMap(({ file, names, fromMs, untilMs }) => {
    const renew = `renew it: ${file} is read again when it changes`;
    if (names.length === 0) return [`the certificate in ${file} names no host and no address: browsers refuse it`];
    const shown = `the certificate in ${file} for ${names.join(", ")}`;
    if (nowMs < fromMs) return [`${shown} is valid from ${dayText(fromMs)} on only: check the host's clock`];
    if (nowMs > untilMs) return [`${shown} was valid until ${dayText(untilMs)}: browsers refuse it; ${renew}`];
    if (untilMs - nowMs < EXPIRY_WARNING_MS) return [`${shown} is valid until ${dayText(untilMs)}; ${renew}`];
    return [];
  });
}
