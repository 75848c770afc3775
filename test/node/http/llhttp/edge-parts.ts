/**
 * Parts of messages, right and wrong, in the ways in which parsers are known to differ. The first of each list is the
 * usual one.
 */

/** Bytes that some parser takes for a line's end, for nothing, or for a part of a name. */
// biome-ignore format: rows are easier to read than a column.
export const ODD_BYTES = [
  "", "\r", "\n", "\r\n", " ", "\t", "\0", "\x0b", "\x0c", "\x7f", "\x80", "\xa0", "\xff",
  ":", ";", ",", "0", "1", "a", "F", '"', "\\", "=", "_", "#", "?",
];

export const LINE_ENDS = ["\r\n", "\n", "\r", "\r\r\n", "\n\r", " \r\n", ""];

// biome-ignore format: rows are easier to read than a column.
export const LENGTHS = [
  "3", "0", "4", "5", "12", "+3", "-3", "0x3", "3 ", "03", "3,3", "3, 4", "3;3", "", " ", "3\x0b", "\t3", "3.0", "1e1",
  "9007199254740993", "18446744073709551619",
];

// biome-ignore format: rows are easier to read than a column.
export const CODINGS = [
  "chunked", "Chunked", "CHUNKED ", "\tchunked", "identity", "gzip", "gzip, chunked", "chunked, gzip", "chunked, chunked",
  "chunked;q=1", "xchunked", "chunkedx", '"chunked"', "chunked,", ",chunked", "", "\x0bchunked", "chun ked",
  "identity, chunked",
];

// biome-ignore format: rows are easier to read than a column.
export const CONNECTIONS = [
  "close", "keep-alive", "Keep-Alive, close", "close, keep-alive", "Upgrade", "upgrade, keep-alive", "X-A",
  "Content-Length", "transfer-encoding", "host", "close;q=1", "closed", "keep-alive\t", "", ",close", "TE, close",
  '"close"', "clo se", "\x80close",
];

// biome-ignore format: rows are easier to read than a column.
export const FIELDS = [
  "X-A: 1", "x-a:2", "X-A:\t 3 \t", "X-Empty:", "X-High: \xe9\xff", "Cookie: a=b; c=d", "Expect: 100-continue",
  "Upgrade: websocket", "Upgrade: h2c", "TE: trailers", "Trailer: X-T", "Keep-Alive: timeout=5",
  "Proxy-Connection: close", "Content-Type: text/plain", "Content_Length: 3", "Transfer_Encoding: chunked",
  "X-Forwarded-For: 1.2.3.4", "HTTP2-Settings: AAMAAABkAAQ", "X-A: a\0b", "X-A: a\rb", "X-A: a\nb", " X-A: folded",
  "X-A", ": empty", "X A: 1", "X-A : 1", "X-A\t: 1", "X\xe9: 1", "X-A: \x7f", "X-A: a\x01b", "X(A): 1",
  "Content-Length : 3", "Transfer-Encoding : chunked", " Transfer-Encoding: chunked", "Content-Length\0: 3",
  "Transfer-Encoding\x0b: chunked",
];

// biome-ignore format: rows are easier to read than a column.
export const CHUNK_SIZES = [
  "3", "03", "003", "0x3", "+3", "-3", " 3", "3 ", "3\t", "g", "", "4", "2",
  "1000000000000003", "10000000000000003", "ffffffffffffffff",
];
/** What ends the line of a chunk's size; for some parsers a bare LF does, in an extension above all. */
export const SIZE_ENDS = ["\r\n", "\n", ";\n", ";a\n", ";a=b\n", "\r", ";a\r", ";a\rb"];
export const CHUNK_DATA = ["abc", "ab", "abcd", "a\nb", "0\r\n", ""];
export const LAST_CHUNKS = ["0", "00", "0;a=b", "0 ", "-0", "000000000000000000", "0x0"];

// biome-ignore format: rows are easier to read than a column.
export const EXTENSIONS = [
  "", ";a", ";a=b", ';a="b"', ';a="\r\n"', ";", ";;", "; a = b", " ;a", ";a=\n", ";a\rb", ";a=\x80", ';a="\\"', ";\x7f",
  ";a=b;c=d", ",a", "\0",
];

// biome-ignore format: rows are easier to read than a column.
export const TRAILERS = [
  "X-T: 1", "Content-Length: 3", "Host: b", "Transfer-Encoding: chunked", "X-T : 1", " folded", "X-T: a\0", "Digest: x",
  "Connection: close",
];

export const BODIES = ["abc", "abcd", "ab", "", "0\r\n\r\n", "GET /in HTTP/1.1\r\nHost: a\r\n\r\n", "\r\nabc", "\r\n"];

// biome-ignore format: rows are easier to read than a column.
export const METHODS = [
  "GET", "POST", "HEAD", "PUT", "PATCH", "DELETE", "OPTIONS", "CONNECT", "TRACE", "PURGE", "SEARCH", "QUERY", "get",
  "G(T", "FOO", "PRI", "",
];

// biome-ignore format: rows are easier to read than a column.
export const TARGETS = [
  "/t", "/t?q=a&b=%20", "http://a/t", "http://A/t?x", "https://a?t", "http://a", "http://b/t", "http://a:80/t", "//a/t",
  "*", "a:80", "/t#f", "/t\xe9", "/t\x7f", '/t"', "/t|^`{}", "/t\\", "/t\t", "/t x", "t", "?t", "http:///t",
  "http://u@a/t", "/",
];

// biome-ignore format: rows are easier to read than a column.
export const VERSIONS = [
  "HTTP/1.1", "HTTP/1.0", "HTTP/0.9", "HTTP/2.0", "HTTP/1.2", "http/1.1", "HTTP/1.1 ", "HTTP/01.1", "HTTP/1.10",
  "HTTP/1", "RTSP/1.0", "ICE/1.0", "ICY", "",
];

// biome-ignore format: rows are easier to read than a column.
export const STATUSES = [
  "200", "100", "103", "101", "204", "205", "206", "301", "304", "404", "500", "199", "099", "20", "2000", "999", "2O0",
];
export const REASONS = [" OK", "", " ", " Very \xe9 fine", " O\0K", " O\rK", "\tOK", "OK"];
