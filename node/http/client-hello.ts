/**
 * The host name that a TLS client asks for (SNI), from the first bytes that it sends: RFC 8446 §4.1.2, RFC 6066 §3.
 *
 * Only for connections on which the runtime does not do this. What is malformed is left for the TLS library to refuse.
 */

/** A client hello is some hundred bytes to two records long. */
const HELLO_BYTES_MAX = 32 * 1024;
/** A stranger may cut a hello into records of one byte; with every byte that comes, all of them are looked at. */
const RECORDS_MAX = 64;

const [HANDSHAKE_RECORD, CLIENT_HELLO, SERVER_NAME, HOST_NAME] = [22, 1, 0, 0];

/** The name in lower case, empty if there is none to be read; undefined while the hello is not whole. */
export function serverNameIn(bytes: Buffer): string | undefined {
  const hello = helloIn(bytes);
  if (hello === undefined && bytes.length < HELLO_BYTES_MAX) return undefined;
  try {
    return hello === undefined ? "" : nameIn(hello);
  } catch (error) {
    // It ends within a field: the TLS library refuses it.
    if (error instanceof RangeError) return "";
    throw error;
  }
}

/** The body of the hello, joined from its records; empty if the bytes are something else, undefined while not whole. */
function helloIn(bytes: Buffer): Buffer | undefined {
  const pieces: Buffer[] = [];
  for (let at = 0; at + 5 <= bytes.length; ) {
    if (bytes[at] !== HANDSHAKE_RECORD || pieces.length === RECORDS_MAX) return Buffer.alloc(0);
    const end = at + 5 + bytes.readUInt16BE(at + 3);
    if (end > bytes.length) return undefined;
    pieces.push(bytes.subarray(at + 5, end));
    at = end;
    const joined = Buffer.concat(pieces);
    if (joined.length >= 4) {
      if (joined[0] !== CLIENT_HELLO) return Buffer.alloc(0);
      const length = 4 + joined.readUIntBE(1, 3);
      if (joined.length >= length) return joined.subarray(4, length);
    }
  }
  return undefined;
}

/** Throws `RangeError` when the hello ends within a field. */
function nameIn(hello: Buffer): string {
  // Version and random, then session id, cipher suites and compression methods, each with its length.
  let at = 2 + 32;
  at += 1 + hello.readUInt8(at);
  at += 2 + hello.readUInt16BE(at);
  at += 1 + hello.readUInt8(at);
  at += 2;
  while (at < hello.length) {
    const [kind, length] = [hello.readUInt16BE(at), hello.readUInt16BE(at + 2)];
    if (kind === SERVER_NAME) {
      // A list with one entry: its length, kind, the name's length, the name.
      const nameAt = at + 4 + 2 + 1 + 2;
      if (hello.readUInt8(at + 6) !== HOST_NAME) return "";
      return hello.toString("latin1", nameAt, nameAt + hello.readUInt16BE(at + 7)).toLowerCase();
    }
    at += 4 + length;
  }
  return "";
}
