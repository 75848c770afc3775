/** Until when the certificates are valid that the gate shows. */

import { X509Certificate } from "node:crypto";
import { namesOf, type ServerTls } from "../../http/server-certificates.ts";

/** The last moment of each, by its first host name. */
export function certificateEnds(tls: ServerTls | undefined): { readonly name: string; readonly untilMs: number }[] {
  return (tls?.certificates ?? []).map(({ cert }) => {
    const [name = "none"] = namesOf(cert);
    return { name, untilMs: Date.parse(new X509Certificate(cert).validTo) };
  });
}
