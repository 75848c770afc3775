/** What is used of a library without types. */

declare module "http_ece" {
  import type { ECDH } from "node:crypto";

  interface Parameters {
    readonly version: "aes128gcm";
    readonly privateKey: ECDH;
    /** The other's public key, in base64url; to decrypt, it stands in what was encrypted. */
    readonly dh?: string;
    readonly authSecret: string;
  }
  export function encrypt(text: Buffer, parameters: Parameters): Buffer;
  export function decrypt(sealed: Buffer, parameters: Parameters): Buffer;
}
