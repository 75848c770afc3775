/**
 * Requests that servers read in different ways: methods, targets, hosts, cookies, lists, framing, and fields that only a
 * proxy or a gate may say. `COOKIE` stands for those of a visitor inside.
 */

export const HOST = "shop.example";
const END = "\r\n\r\n";

/** A request as its bytes. */
export const FRONT_REQUESTS: readonly string[] = [
  ...methods(),
  ...targets(),
  ...hosts(),
  ...cookies(),
  ...connections(),
  ...said(),
  ...framing(),
];

const SOCKET = ["Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==", "Sec-WebSocket-Version: 13"];

/** Requests to change the protocol: to WebSocket as browsers send it, and others. */
export const SOCKETS = {
  good: upgrade(["Connection: keep-alive, Upgrade", "Upgrade: websocket", ...SOCKET]),
  others: [
    upgrade(["Connection: Upgrade, HTTP2-Settings", "Upgrade: h2c", "HTTP2-Settings: AAMAAABkAAQAAP__"]),
    upgrade(["Connection: Upgrade", "Upgrade: TLS/1.0"]),
    upgrade(["Connection: Upgrade", "Upgrade: h2c, websocket", ...SOCKET]),
    upgrade(["Connection: close", "Upgrade: h2c", ...SOCKET]),
  ],
};

function upgrade(fields: readonly string[]): string {
  return `${["GET /shop/a HTTP/1.1", `Host: ${HOST}`, "Cookie: COOKIE", ...fields].join("\r\n")}${END}`;
}

interface Parts {
  readonly line?: string;
  readonly host?: string;
  readonly cookie?: string;
  readonly fields?: readonly string[];
  readonly body?: string;
}

function request({
  line = "GET /shop/a HTTP/1.1",
  host = `Host: ${HOST}`,
  cookie = "Cookie: a=1; COOKIE",
  fields = [],
  body = "",
}: Parts) {
  const lines = [
    line,
    ...(host === "" ? [] : [host]),
    ...(cookie === "" ? [] : [cookie]),
    ...fields,
    "Connection: close",
  ];
  return `${lines.join("\r\n")}${END}${body}`;
}

function methods(): string[] {
  return [
    ...["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "PROPFIND", "M-SEARCH", "PURGE", "get", "X"],
    ...["TRACE", "CONNECT", "PRI", "trace", "Trace", "tRACE", "connect", "TRACK", "G(ET", "GET,TRACE", "G\x80T"],
    ...["TRACE\t"],
  ]
    .flatMap((method) => [
      request({ line: `${method} /shop/a HTTP/1.1` }),
      request({ line: `${method} /shop/a HTTP/1.0` }),
    ])
    .concat([
      request({ line: `CONNECT ${HOST}:80 HTTP/1.1` }),
      request({ line: "PRI * HTTP/2.0" }),
      request({ line: "OPTIONS * HTTP/1.1" }),
      request({ line: `OPTIONS http://${HOST} HTTP/1.1` }),
      request({ fields: ["X-HTTP-Method-Override: TRACE"] }),
      request({ fields: ["Max-Forwards: 0"], line: "TRACE /shop/a HTTP/1.1" }),
    ]);
}

function targets(): string[] {
  return [
    ...["/shop/a?b=%20c&d", "/shop", "/SHOP/a", "/shop//a", "//shop/a", "/shop/./a", "/shop/../shop/a"],
    ...["/shop/..;/a", "/shop/%61", "/%73hop/a", "/shop%2fa", "/shop/a%00", "/shop/a%0d%0aX:1", "/shop\\a"],
    ...["/shop/a;b=c", "/shop/a.", "/shop/a#b", "/shop/a?b#c", "/shop/a?b?c", "/shop/a?", "/shop/a\x7f"],
    ...["/shop/a\x80", "/shop/\xc3\xa4", "/shop/a\x01", "/shop/a b", "/shop/a\tb", "", "shop/a", "*", "?"],
    ...["/shop/a|b", "/shop/{a}", '/shop/"a"', "/shop/<a>", "/shop/a^b", `http://${HOST}/shop/a`],
    ...[`HTTP://${HOST}/shop/a`, `http://${HOST.toUpperCase()}/shop/a`, `http://${HOST}`],
    ...["http://other.example/shop/a", `http://${HOST}:80/shop/a`, `http://user@${HOST}/shop/a`, "http:///shop/a"],
    ...[`https://${HOST}/shop/a`, `ftp://${HOST}/shop/a`, `http://${HOST}?x`, `//${HOST}/shop/a`, `${HOST}/shop/a`],
    ...["/.anteroom/auth", "/.anteroom/auth/nginx", "/.anteroom/auth/caddy", "/.anteroom/%61uth/nginx"],
    ...["/%2eanteroom/auth", "//.anteroom/auth", "/.anteroom//auth", "/shop/../.anteroom/auth", "/.ANTEROOM/auth"],
    ...["/_anteroom_auth", "/.anteroom/health", "/shop/a?__anteroom=again", "/shop/a?anteroom_pass=x"],
    ...["/shop/a?x=1&__anteroom=leave", `/shop/${"a".repeat(9_000)}`],
  ].map((target) => request({ line: `GET ${target} HTTP/1.1` }));
}

function hosts(): string[] {
  return [
    ...["", "Host:", "Host: ", `Host: ${HOST.toUpperCase()}`, `Host: ${HOST}.`, `Host: ${HOST}..`, `Host: .${HOST}`],
    ...[`Host: ${HOST}:80`, `Host: ${HOST}:`, `Host: ${HOST}:99999`, `Host: ${HOST}:80:80`, `Host: ${HOST}:x`],
    ...[`Host: ${HOST}/shop`, `Host: user@${HOST}`, `Host: ${HOST}, other.example`, `Host: ${HOST} other.example`],
    ...[`Host: ${HOST}\r\nHost: other.example`, `Host: other.example\r\nHost: ${HOST}`],
    ...[`Host: ${HOST}\r\nHost: ${HOST}`, "Host: other.example", "Host: [::1]", "Host: [::1]:80", "Host: [::1"],
    ...["Host: 127.0.0.1", "Host: 2130706433", "Host: a_b.example", "Host: %73hop.example", "Host: sh\xf6p.example"],
    ...[`Host: ${HOST}#`, `Host: ${HOST}?x`, `Host:${HOST}`, `Host:\t${HOST}`, `Host : ${HOST}`, ` Host: ${HOST}`],
    ...[`Host: ${HOST}\x00`, `Host: ${HOST}\\x`, `hOST: ${HOST}`],
  ].flatMap((host) => [request({ host }), request({ host, line: "GET /shop/a HTTP/1.0" })]);
}

function cookies(): string[] {
  return [
    ...["", "Cookie:", "Cookie: a", "Cookie: =a", "Cookie: a=1", "Cookie: COOKIE", "Cookie: COOKIE; COOKIE"],
    ...["Cookie: ;; COOKIE", "Cookie: a=1;COOKIE", "Cookie: a=1,COOKIE", 'Cookie: a="; COOKIE'],
    ...['Cookie: a="1; 2"; COOKIE', "Cookie: $Version=1; COOKIE", "Cookie: COOKIE\r\nCookie: a=1"],
    ...["Cookie: a=1\r\nCookie: COOKIE", "Cookie: COOKIE\r\nCookie: COOKIE", "cookie: COOKIE"],
    ...["Cookie: __anteroom_x=1; COOKIE", "Cookie: a=1;\t__anteroom_x=1; COOKIE"],
    ...["Cookie: a=1; __Anteroom_x=1; COOKIE", "Cookie: a=1; __anteroom_x =1; COOKIE"],
    ...['Cookie: a="x; __anteroom_y=1"; COOKIE', "Cookie: a=1 __anteroom_x=1; COOKIE"],
    ...["Cookie: a=1; __anteroom_x; COOKIE", "Cookie: a=1;  __anteroom_x=1;b=2; COOKIE"],
    ...["Cookie: a=1;\x0b__anteroom_x=1; COOKIE", "Cookie: a=1; %5f_anteroom_x=1; COOKIE"],
    ...["Cookie: a=1,__anteroom_x=1; COOKIE", "Cookie: a=1;\xa0__anteroom_x=1; COOKIE"],
    ...["Cookie: a=1; __anteroom_.pass_shop=x; COOKIE", "Cookie2: a=1\r\nCookie: COOKIE"],
    ...[`Cookie: ${"a=1; ".repeat(1_500)}COOKIE`, "Cookie : a=1; COOKIE", "Cookie: a=1\x00; COOKIE"],
    ...["Cookie:\ta=1; COOKIE\t", "Cookie: a=\xe4; COOKIE", "Cookie: COOKIE; a=1;"],
  ].map((cookie) => request({ cookie }));
}

function connections(): string[] {
  return [
    ...["cookie", "Cookie, x-a", "anteroom-origin-secret", "x-forwarded-for", "x-forwarded-for, x-forwarded-proto"],
    ...["host", "close, x-a", "x-a", "keep-alive", "upgrade", "te", "transfer-encoding", "content-length"],
    ...["x-forwarded-host", "cdn-loop", "close\r\nConnection: x-a", "\x22x-a\x22", ",, x-a,", "x-a;q=1", "X-A"],
    ...["authorization", "origin", "accept, x-a"],
  ]
    .map((value) =>
      request({ fields: [`Connection: ${value}`, "X-A: 1", "Authorization: Basic eA==", "Origin: http://o.test"] }),
    )
    .concat([
      request({ fields: ["Proxy-Connection: x-a", "X-A: 1"] }),
      request({ fields: ["Keep-Alive: timeout=5", "TE: trailers", "Trailer: x-a"] }),
      request({ fields: ["TE: gzip, trailers"] }),
      request({ fields: ["Upgrade: h2c", "HTTP2-Settings: AAMAAABkAAQAAP__", "Connection: Upgrade, HTTP2-Settings"] }),
      request({
        fields: ["Upgrade: websocket", "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==", "Sec-WebSocket-Version: 13"],
      }),
      request({ fields: ["Upgrade: TLS/1.0", "Connection: upgrade"] }),
      request({ fields: ["Proxy-Authorization: Basic eA=="] }),
      request({ fields: ["Expect: 100-continue"] }),
      request({ fields: ["Expect: 200-ok"] }),
      request({ fields: ["Range: bytes=0-1,2-3", "Accept-Encoding: gzip,,br", "Accept: , ,", "If-None-Match: *"] }),
      request({ fields: ["Accept: a\r\nAccept: b", "Via: 1.1 a\r\nVia: 1.1 b"] }),
    ]);
}

/** What only a proxy, or only a gate, may say; also as a server reads it that takes `-` for `_`. */
function said(): string[] {
  const names = [
    ...["Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto", "X-Forwarded-Port"],
    ...["X-Forwarded-Prefix", "X-Forwarded-Server", "X-Forwarded-Uri", "X-Forwarded-Method", "X-Forwarded-Ssl"],
    ...["X-Original-URL", "X-Original-URI", "X-Original-Method", "X-Original-Host", "X-Rewrite-URL", "X-Real-IP"],
    ...["Anteroom-Visitor", "Anteroom-Origin-Secret", "Anteroom-Lane", "Anteroom-Poll", "Anteroom-Proof"],
    ...["Anteroom-Pass", "Anteroom-Set-Cookie-1", "Anteroom-Command"],
  ];
  return names
    .flatMap((name) =>
      [name, name.replaceAll("-", "_"), name.replaceAll("-", "."), name.toUpperCase()].map((each) =>
        request({ fields: [`${each}: 6.6.6.6`] }),
      ),
    )
    .concat([
      request({ fields: [`Referer: http://${HOST}/?anteroom_pass=x`] }),
      request({ fields: [`Referer: http://${HOST}/?__anteroom=again`] }),
      request({ fields: [`Referer: http://${HOST}/?queueittoken=x`] }),
      request({ fields: ["CDN-Loop: anteroom"] }),
    ]);
}

function framing(): string[] {
  const post = "POST /shop/a HTTP/1.1";
  const smuggled = `GET /other HTTP/1.1\r\nHost: ${HOST}\r\n\r\n`;
  return [
    ["Content-Length: 5", "order"],
    ["Content-Length: +5", "order"],
    ["Content-Length: 5, 5", "order"],
    ["Content-Length: 5\r\nContent-Length: 5", "order"],
    ["Content-Length: 5\r\nContent-Length: 6", "order"],
    ["Content-Length: 0x5", "order"],
    ["Content-Length: 5 ", "order"],
    ["Content-Length: -1", ""],
    ["Content-Length: ", ""],
    ["Content_Length: 5", ""],
    [`Content-Length: 0\r\nContent-Length: ${smuggled.length}`, smuggled],
    ["Transfer-Encoding: chunked", `5\r\norder\r\n0${END}`],
    ["Transfer-Encoding: Chunked", `5\r\norder\r\n0${END}`],
    ["Transfer-Encoding: chunked\r\nContent-Length: 5", `0${END}${smuggled}`],
    ["Content-Length: 5\r\nTransfer-Encoding: chunked", `0${END}${smuggled}`],
    ["Transfer-Encoding: chunked, identity", `0${END}`],
    ["Transfer-Encoding: identity", ""],
    ["Transfer-Encoding: identity, chunked", `0${END}`],
    ["Transfer-Encoding: gzip, chunked", `0${END}`],
    ["Transfer-Encoding: xchunked", `0${END}`],
    ["Transfer-Encoding: \x0bchunked", `0${END}`],
    ["Transfer-Encoding:\tchunked", `0${END}`],
    ["Transfer-Encoding : chunked", `0${END}`],
    ["Transfer_Encoding: chunked", `0${END}`],
    ["Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked", `0${END}`],
    ["Transfer-Encoding: chunked;a=b", `0${END}`],
    ["Transfer-Encoding: chunked", `5;a=b\r\norder\r\n0\r\nX-Trailer: 1${END}`],
    ["Transfer-Encoding: chunked", `0x5\r\norder\r\n0${END}`],
    ["Transfer-Encoding: chunked", `5\norder\n0\n\n`],
    ["X-A: 1\r\n folded", ""],
    ["X-A: 1\nX-B: 2", ""],
    ["X-A: 1\rX-B: 2", ""],
    ["X-A : 1", ""],
    ["X A: 1", ""],
    [": 1", ""],
    ["X-A", ""],
    ["X-A: \x00", ""],
    ["X-A: \x01", ""],
    ["X\x80A: 1", ""],
    ["X-A: \x7f", ""],
    [`X-A: ${"a".repeat(20_000)}`, ""],
  ]
    .map(([field = "", body = ""]) => request({ line: post, fields: [field], body }))
    .concat([
      request({ line: "POST /shop/a HTTP/1.0", fields: ["Transfer-Encoding: chunked"], body: `0${END}` }),
      ...["HTTP/1.2", "HTTP/2.0", "http/1.1", "HTTP/1.10", "HTTP/01.1", "HTTP/1,1", "", "HTTP/0.9"].map((version) =>
        request({ line: `GET /shop/a ${version}` }),
      ),
      request({ line: "GET  /shop/a  HTTP/1.1" }),
      request({ line: " GET /shop/a HTTP/1.1" }),
      `\r\n${request({})}`,
      `\n${request({})}`,
      request({}).replaceAll("\r\n", "\n"),
      request({ line: "GET /shop/a HTTP/1.1", fields: ["Content-Length: 5"], body: "order" }),
      request({ line: "GET /shop/a HTTP/1.1", fields: ["Transfer-Encoding: chunked"], body: `5\r\norder\r\n0${END}` }),
    ]);
}
