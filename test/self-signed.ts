/**
 * Certificates for tests, by openssl, with a key of their own.
 */

import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { isIP } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A certificate for `name`, a host or an address, valid for `days`, and its private key, in PEM. */
export function selfSigned(name: string, days = 30): { readonly cert: string; readonly key: string } {
  const folder = mkdtempSync(join(tmpdir(), "anteroom-tls-"));
  const [keyFile, certFile] = [join(folder, "key.pem"), join(folder, "cert.pem")];
  try {
    const request = ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
    const names = ["-subj", `/CN=${name}`, "-addext", `subjectAltName=${isIP(name) === 0 ? "DNS" : "IP"}:${name}`];
    const files = ["-days", String(days), "-keyout", keyFile, "-out", certFile];
    execFileSync("openssl", [...request, ...names, ...files], { stdio: "ignore" });
    return { cert: readFileSync(certFile, "utf8"), key: readFileSync(keyFile, "utf8") };
  } finally {
    rmSync(folder, { recursive: true });
  }
}
