import { describe, expect, test } from "vitest";
import { CertificateWatch } from "../../../cmd/serve/certificate-watch.ts";
import {
  type Certificates,
  certificateRows,
  certificateWarnings,
  loadCertificates,
  type TlsPaths,
} from "../../../cmd/serve/certificates.ts";
import { selfSigned } from "../../self-signed.ts";
import { fakeIo } from "../fake-io.ts";

const [one, renewed, other] = [selfSigned("one.example", 2), selfSigned("one.example"), selfSigned("other.example")];

const paths: TlsPaths = {
  tls: { pairs: [{ cert: "chain.pem", key: "key.pem" }], clientCa: undefined },
  originCa: undefined,
  originCert: undefined,
};

const DAY_MS = 24 * 3_600_000;

function setUp() {
  const files: Record<string, string> = { "chain.pem": one.cert, "key.pem": one.key };
  const { io } = fakeIo({ files });
  const loaded = loadCertificates(io, paths);
  if (!loaded.ok) throw new Error("the files are well");
  const lines: string[] = [];
  const used: Certificates[] = [];
  const write = (_: unknown, message: string) => void lines.push(message);
  const watch = new CertificateWatch({
    paths,
    io,
    log: { error: write, warn: () => undefined, info: write, debug: write },
    clock: Date.now,
    inUse: loaded.value,
    replace: (certificates) => {
      if (certificates.tls?.certificates[0].cert === other.cert) throw new Error("not this one");
      used.push(certificates);
    },
  });
  return { files, watch, lines, used };
}

/** What is known of a pair in the files. */
function rowsOf({ cert, key }: ReturnType<typeof selfSigned>) {
  const loaded = loadCertificates(fakeIo({ files: { "chain.pem": cert, "key.pem": key } }).io, paths);
  return loaded.ok ? certificateRows(paths, loaded.value) : [];
}

describe("certificate files", () => {
  test("are used when they have changed and stay as they are", () => {
    const { files, watch, lines, used } = setUp();
    watch.look();
    files["chain.pem"] = renewed.cert;
    watch.look();
    // Half written: the key is still the old one.
    files["key.pem"] = renewed.key;
    watch.look();
    expect([used, lines]).toEqual([[], []]);
    watch.look();
    watch.look();
    expect(used.map(({ tls }) => tls?.certificates[0])).toEqual([renewed]);
    expect(lines).toEqual(["the certificate files have changed: new connections get the certificates in the files"]);
  });

  test("that are refused change nothing, and are named once", () => {
    const { files, watch, lines, used } = setUp();
    files["key.pem"] = other.key;
    for (let look = 0; look < 5; look += 1) watch.look();
    watch.reload("SIGHUP");
    expect(lines).toEqual([
      "the certificate files have changed: refused: the gate keeps the certificates that it had",
      "SIGHUP: refused: the gate keeps the certificates that it had",
    ]);
    files["key.pem"] = one.key;
    watch.look();
    watch.reload("SIGHUP");
    expect(used).toHaveLength(1);
    files["chain.pem"] = other.cert;
    files["key.pem"] = other.key;
    watch.reload("SIGHUP");
    expect(lines.at(-1)).toBe("SIGHUP: they cannot be used: the gate keeps the certificates that it had");
    expect(used).toHaveLength(1);
  });

  test("may be for an address", () => {
    const rows = rowsOf(selfSigned("192.0.2.7"));
    expect(rows.map(({ names }) => names)).toEqual([["192.0.2.7"]]);
    expect(certificateWarnings(rows, Date.now() - DAY_MS).join()).not.toContain("refuse");
  });

  test("are warned of when browsers refuse them, now or soon", () => {
    const rows = rowsOf(one);
    const at = (days: number) => certificateWarnings(rows, Date.now() + days * DAY_MS).join();
    expect(at(0)).toMatch(/^the certificate in chain\.pem for one\.example is valid until \d{4}-\d\d-\d\d; renew it/);
    expect(at(3)).toMatch(/was valid until .*: browsers refuse it/);
    expect(at(-3)).toMatch(/is valid from .* on only: check the host's clock/);
    const farOff = rows.map((row) => ({ ...row, untilMs: row.untilMs + 30 * DAY_MS }));
    expect(certificateWarnings(farOff, Date.now())).toEqual([]);
  });
});
