/**
 * The certificates of a listening socket, which can be replaced while it listens.
 *
 * Each client gets the certificate for the name that it asks for (SNI), and the first one if there is none for it or
 * the client names none. Connections that are open keep theirs.
 */

import { X509Certificate } from "node:crypto";
import { createSecureContext, type SecureContext, Server } from "node:tls";

/** A certificate chain, the site's own first, and its private key, both in PEM. */
export interface CertificatePair {
  readonly cert: string;
  readonly key: string;
}

export interface ServerTls {
  /** The first is also for clients that name no host, or an unknown one. */
  readonly certificates: readonly [CertificatePair, ...CertificatePair[]];
  /** Certificates (PEM) of which one must have signed a client's; undefined when clients need none. */
  readonly clientCa?: string | undefined;
}

/**
 * The host names that a chain's own certificate is for, in lower case; one may begin with `*.`. Throws if there is no
 * certificate.
 */
export function hostNamesOf(chain: string): readonly string[] {
  const names = new X509Certificate(chain).subjectAltName ?? "";
  return [...names.matchAll(/(?:^|, )DNS:([^,\s"]+)/g)].map(([, name = ""]) => name.toLowerCase());
}

/** What a chain's own certificate is for: its host names, then its addresses. */
export function namesOf(chain: string): readonly string[] {
  const names = new X509Certificate(chain).subjectAltName ?? "";
  return [
    ...hostNamesOf(chain),
    ...[...names.matchAll(/(?:^|, )IP Address:([^,\s"]+)/g)].map(([, address = ""]) => address),
  ];
}

/** The options for the runtime's `listen`. */
export function listenTls(tls: ServerTls) {
  return { ...tls.certificates[0], ...clientsOf(tls) };
}

/** The contexts of one listener, by host name. */
export class ServerCertificates {
  /**
   * Changes the certificates of a socket that already listens. The runtime does that for its own TLS server only, so
   * this is one that never listens by itself and has our socket in place of its own.
   */
  readonly #server: Server;
  #standard: SecureContext;
  /** What is asked of clients. */
  readonly clients: ReturnType<typeof clientsOf>;
  /** By name; a name that has lost its certificate keeps its place, with the default. */
  #byName: ReadonlyMap<string, SecureContext> = new Map();

  /**
   * `socket` is what the runtime's `listen` returned with `listenTls(tls)`; undefined when it does not speak TLS
   * itself.
   */
  constructor(socket: object | undefined, tls: ServerTls) {
    this.clients = clientsOf(tls);
    this.#server = Object.assign(new Server(clientsOf(tls)), socket && { _handle: socket });
    this.#standard = contextOf(tls.certificates[0], tls);
    this.replace(tls);
  }

  /**
   * Uses `tls` for all connections from now on. Throws, and changes nothing, if a certificate or key cannot be used.
   */
  replace(tls: ServerTls): void {
    const [first, ...others] = tls.certificates;
    const standard = contextOf(first, tls);
    const byName = new Map([...this.#byName.keys()].map((name) => [name, standard]));
    // A name that several certificates have gets the first of them.
    for (const pair of others.toReversed()) {
      const context = contextOf(pair, tls);
      for (const name of hostNamesOf(pair.cert)) byName.set(name, context);
    }
    for (const name of hostNamesOf(first.cert)) byName.set(name, standard);
    this.#server.setSecureContext(listenTls(tls));
    for (const [name, context] of byName) this.#server.addContext(name, context);
    this.#standard = standard;
    this.#byName = byName;
  }

  /** The context for a client that asks for `name`. */
  contextFor(name: string): SecureContext {
    const asked = name.toLowerCase();
    return this.#byName.get(asked) ?? this.#byName.get(asked.replace(/^[^.]+/, "*")) ?? this.#standard;
  }
}

function contextOf(pair: CertificatePair, tls: ServerTls): SecureContext {
  return createSecureContext({ ...pair, ...clientsOf(tls) });
}

function clientsOf({ clientCa }: ServerTls) {
  return clientCa === undefined ? {} : { ca: clientCa, requestCert: true, rejectUnauthorized: true };
}
