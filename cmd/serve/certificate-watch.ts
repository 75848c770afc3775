/**
 * Reads certificate files again on demand, and when they change: a renewal needs no signal to the gate.
 */

import { type Problem, problemText } from "../../node/config/problem.ts";
import type { Log } from "../../node/log.ts";
import type { Io } from "../io.ts";
import {
  areAsBefore,
  type Certificates,
  certificateRows,
  certificateWarnings,
  loadCertificates,
  type TlsPaths,
} from "./certificates.ts";
import { dayText } from "./tls-check.ts";

export interface CertificateWatchOptions {
  readonly paths: TlsPaths;
  readonly io: Pick<Io, "read">;
  readonly log: Log;
  readonly clock: () => number;
  /** What is in use when the watch begins. */
  readonly inUse: Certificates;
  /** Uses other certificates from now on. May throw, and then has changed nothing. */
  readonly replace: (certificates: Certificates) => void;
}

/** A certificate is renewed days before it ends, so nobody waits for this. */
const LOOK_MS = 10_000;

const UNCHANGED = "the gate keeps the certificates that it had";

export class CertificateWatch {
  readonly #options: CertificateWatchOptions;
  #inUse: Certificates;
  /** The files as the last look found them, if not as they are in use: a pair may be half written. */
  #found: string | undefined;
  #refused: string | undefined;

  constructor(options: CertificateWatchOptions) {
    this.#options = options;
    this.#inUse = options.inUse;
  }

  /** Looks again and again; the function returned ends that. */
  start(): () => void {
    const timer = setInterval(() => this.look(), LOOK_MS);
    return () => clearInterval(timer);
  }

  /** Takes changed files once they have been the same for two looks. */
  look(): void {
    const { io, paths } = this.#options;
    // Reading the files costs little; checking each key against its certificate does not.
    if (areAsBefore(io, this.#inUse)) {
      this.#found = undefined;
      this.#refused = undefined;
      return;
    }
    const loaded = loadCertificates(io, paths);
    const found = loaded.ok ? textOf(loaded.value) : loaded.problems.map(problemText).join("\n");
    if (found !== this.#found) this.#found = found;
    else if (loaded.ok) this.#use(loaded.value, "the certificate files have changed");
    else if (found !== this.#refused) {
      this.#refused = found;
      this.#refuse(loaded.problems, "the certificate files have changed");
    }
  }

  /** Reads the files now, for a reason that the log names; whether they are used. */
  reload(reason: string): boolean {
    const { io, paths } = this.#options;
    const loaded = loadCertificates(io, paths);
    if (loaded.ok) return this.#use(loaded.value, reason);
    this.#refuse(loaded.problems, reason);
    return false;
  }

  #use(certificates: Certificates, reason: string): boolean {
    const { log, paths, replace, clock } = this.#options;
    try {
      replace(certificates);
    } catch (error) {
      // The gate goes on with what it had; a certificate that cannot be used refuses nobody.
      log.error({ error }, `${reason}: they cannot be used: ${UNCHANGED}`);
      return false;
    }
    this.#inUse = certificates;
    this.#found = undefined;
    const rows = certificateRows(paths, certificates);
    const shown = rows.map(({ file, names, untilMs }) => ({ file, names, until: dayText(untilMs) }));
    log.info({ certificates: shown }, `${reason}: new connections get the certificates in the files`);
    for (const warning of certificateWarnings(rows, clock())) log.warn({}, warning);
    return true;
  }

  #refuse(problems: readonly Problem[], reason: string): void {
    this.#options.log.error({ problems: problems.map(problemText) }, `${reason}: refused: ${UNCHANGED}`);
  }
}

function textOf({ texts }: Certificates): string {
  return JSON.stringify([...texts]);
}
