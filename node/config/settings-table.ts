/**
 * The settings of a node: one table that feeds the parser, the environment, the config file, `--help` and
 * docs/settings.md.
 *
 * A setting `tlsCert` is the flag `--tls-cert`, the variable `ANTEROOM_TLS_CERT` and the key `tls_cert` of the config
 * file. Unit, legal values and default of each are defined here, and nowhere else.
 */

import { nodeAddressesFrom, readDivert } from "./node-addresses.ts";
import {
  countFrom,
  durationFrom,
  listOf,
  oneOf,
  type Reader,
  readAddress,
  readFieldName,
  readHostName,
  readListenAddress,
  readName,
  readPaths,
  readRange,
  readSecret,
  readSwitch,
  readText,
  shareOf,
  textThat,
} from "./readers.ts";
import { collectorComplaint, customerComplaint, originComplaint } from "./text-checks.ts";

export interface Setting<Value> {
  readonly read: Reader<Value>;
  /** The placeholder of the value in help; a switch has none. */
  readonly placeholder?: string;
  /** One phrase: what it sets, with unit and legal values. */
  readonly help: string;
  /** Text of the default, as a user could give it; absent if there is none. */
  readonly fallback?: string;
  /** May be given more than once, or as a list; none is an empty list. */
  readonly repeatable?: true;
  /** Its name in `Settings`, if that is not its key. */
  readonly as?: string;
  /** Shown as set or not set, never as itself. */
  readonly secret?: true;
  /** Left out of help and docs: for demos and tests. */
  readonly hidden?: true;
}

/** Longest minute is a real one; below 100 ms a minute is shorter than the work done in it. */
const MINUTE_MIN_MS = 100;

/** As many as the largest hosts have cores; each is a node, and a mesh is made for some hundred. */
const WORKERS_MAX = 64;

/** Two heartbeats of 500 ms: with a shorter lease no node would ever hold one. */
const LEASE_MIN_MS = 1_000;

export const SETTINGS = {
  origin: {
    read: textThat(originComplaint),
    placeholder: "URL",
    help: "where admitted visitors go, unless their room has its own origin",
  },
  listen: {
    read: readListenAddress,
    placeholder: "ADDR",
    fallback: ":8080",
    help: "address of the gate, or unix:PATH for a socket file",
  },
  admin: {
    read: readAddress,
    placeholder: "ADDR",
    fallback: "127.0.0.1:8081",
    help: "address of the admin API, /metrics, /healthz and /readyz",
  },
  metrics: {
    read: readAddress,
    placeholder: "ADDR",
    help: "address for /metrics alone, for a network that must not reach the admin API",
  },
  adminHost: {
    as: "adminHosts",
    read: listOf(readHostName),
    placeholder: "NAME",
    repeatable: true,
    help: "host name that the admin address accepts, besides IP addresses, localhost and this host's name; repeatable, or with commas",
  },
  mesh: {
    read: readAddress,
    placeholder: "ADDR",
    fallback: ":8082",
    help: "address on which this node listens for other nodes",
  },
  join: {
    read: nodeAddressesFrom(1),
    placeholder: "ADDR",
    repeatable: true,
    help: "node through which to join: host:port, a DNS name of several nodes, a multiaddr, or file:PATH with one address per line; retried for ever; repeatable, or with commas; needs the mesh key",
  },
  meshKey: {
    read: readText,
    placeholder: "FILE",
    help: "mesh.key copied from a node of the mesh; by default the systemd credential anteroom.mesh_key, or the one in DIR, created with a new mesh",
  },
  advertise: {
    read: nodeAddressesFrom(0),
    placeholder: "ADDR",
    repeatable: true,
    help: "address at which other nodes reach this one, if it is not that of --mesh; repeatable, or with commas",
  },
  rooms: {
    read: readText,
    placeholder: "FILE",
    help: "rooms file (YAML or JSON), applied at start and on SIGHUP; rooms it does not name stay as they are",
  },
  name: {
    read: readName,
    placeholder: "NAME",
    help: "what people call this node, in status, logs and metrics; by default the host's name",
  },
  locality: {
    read: readName,
    placeholder: "NAME",
    fallback: "default",
    help: "group of nearby nodes to which this one belongs",
  },
  data: {
    read: readText,
    placeholder: "DIR",
    fallback: "./anteroom-data",
    help: "data directory; created if missing",
  },
  ephemeral: {
    read: readSwitch,
    fallback: "false",
    help: "keep nothing on disk: a restart forgets rooms, sessions and the line",
  },
  tlsCert: {
    read: readPaths,
    placeholder: "FILE",
    repeatable: true,
    help: "certificate chain (PEM) of the gate; with several, each visitor gets the one for the host; read again on SIGHUP and when it changes; needs --tls-key",
  },
  tlsKey: {
    read: readPaths,
    placeholder: "FILE",
    repeatable: true,
    help: "private key (PEM) for each --tls-cert, in the same order",
  },
  tlsClientCa: {
    read: readText,
    placeholder: "FILE",
    help: "certificates (PEM) of which one must have signed that of each client: others cannot connect; needs --tls-cert",
  },
  http1Only: {
    read: readSwitch,
    fallback: "false",
    help: "offer HTTP/1.1 only; otherwise HTTP/2 too, to clients that speak TLS",
  },
  proxyProtocol: {
    read: readSwitch,
    fallback: "false",
    help: "each connection must come from --trusted-proxies and begin with a PROXY header (version 1 or 2), as TCP balancers send it",
  },
  trustedProxies: {
    read: listOf(readRange),
    placeholder: "CIDR",
    repeatable: true,
    help: "proxies whose X-Forwarded-For, -Proto and -Host are trusted; repeatable, or with commas",
  },
  clientAddressField: {
    read: readFieldName,
    placeholder: "NAME",
    help: "header field in which trusted proxies name the visitor's address, such as CF-Connecting-IP; by default X-Forwarded-For",
  },
  config: {
    read: readText,
    placeholder: "FILE",
    help: "config file (YAML or JSON) with any of these settings in snake_case",
  },
  token: {
    read: readSecret,
    placeholder: "TOKEN",
    secret: true,
    help: "bearer token of the admin API; by default the one in DIR/admin.token, created at the first start",
  },
  tokenFile: {
    read: readText,
    placeholder: "FILE",
    help: "file with that token; by default the systemd credential anteroom.token",
  },
  people: {
    read: readText,
    placeholder: "FILE",
    help: "file (YAML or JSON) with the identity provider by which people log in to the dashboard, and what their groups may do",
  },
  logFormat: { read: oneOf("json", "text"), placeholder: "FORMAT", fallback: "json", help: "json or text, on stderr" },
  logLevel: {
    read: oneOf("error", "warn", "info", "debug"),
    placeholder: "LEVEL",
    fallback: "info",
    help: "error, warn, info or debug",
  },
  accessLog: { read: readSwitch, fallback: "false", help: "log each request when it ends" },
  accessLogFormat: {
    read: oneOf("log", "combined"),
    placeholder: "FORMAT",
    fallback: "log",
    help: "of the access log: log (as --log-format, on stderr) or combined (as web servers write it, on stdout)",
  },
  otlpEndpoint: {
    read: textThat(collectorComplaint),
    placeholder: "URL",
    help: "OpenTelemetry collector for traces and metrics (OTLP over HTTP), such as http://127.0.0.1:4318; without one none leave",
  },
  otlpSample: {
    read: shareOf,
    placeholder: "RATIO",
    fallback: "0.01",
    help: "share of requests to trace, 0 to 1; a trace that a trusted proxy began is recorded if the proxy says so",
  },
  originTimeout: {
    as: "originTimeoutMs",
    read: durationFrom(1),
    placeholder: "TIME",
    fallback: "300s",
    help: "longest wait for an origin's answer to begin; 1ms to 24h",
  },
  connectTimeout: {
    as: "connectTimeoutMs",
    read: durationFrom(1),
    placeholder: "TIME",
    fallback: "5s",
    help: "longest wait for a connection to an origin; 1ms to 24h",
  },
  drainTimeout: {
    as: "drainTimeoutMs",
    read: durationFrom(0),
    placeholder: "TIME",
    fallback: "30s",
    help: "time that running requests get after SIGTERM; 0s to 24h",
  },
  originSecret: {
    read: readSecret,
    placeholder: "SECRET",
    secret: true,
    help: "sent to origins, so that they can refuse requests that bypass the gate",
  },
  originSecretFile: {
    read: readText,
    placeholder: "FILE",
    help: "file with that secret; by default the systemd credential anteroom.origin_secret",
  },
  queueItCustomer: {
    read: textThat(customerComplaint),
    placeholder: "ID",
    help: "customer id that Queue-it's connectors have, for rooms with queue_it; needs --queue-it-secret-file",
  },
  queueItSecret: {
    read: readSecret,
    placeholder: "SECRET",
    secret: true,
    help: "secret key that those connectors have: it signs the tokens of admitted visitors",
  },
  queueItSecretFile: {
    read: readText,
    placeholder: "FILE",
    help: "file with that secret; by default the systemd credential anteroom.queue_it_secret",
  },
  queueItApiKey: {
    read: readSecret,
    placeholder: "KEY",
    secret: true,
    help: "API key with which those connectors fetch their integration config; without one it is not served",
  },
  queueItApiKeyFile: {
    read: readText,
    placeholder: "FILE",
    help: "file with that key; by default the systemd credential anteroom.queue_it_api_key",
  },
  originCa: {
    read: readText,
    placeholder: "FILE",
    help: "certificates (PEM) to trust for https origins, in place of the system's",
  },
  originCert: {
    read: readText,
    placeholder: "FILE",
    help: "certificate chain (PEM) that the gate shows to https origins which ask for one; needs --origin-key",
  },
  originKey: { read: readText, placeholder: "FILE", help: "private key (PEM) of --origin-cert" },
  durability: {
    read: oneOf("process", "fsync"),
    placeholder: "MODE",
    fallback: "process",
    help: "what the disk survives: process (crash of anteroom) or fsync (power loss; slower)",
  },
  workers: {
    read: countFrom(1, WORKERS_MAX),
    placeholder: "N",
    fallback: "1",
    help: "processes that share the gate's port, each a node (mesh ports count up from --mesh); 1 to 64",
  },
  lease: {
    as: "leaseMs",
    read: durationFrom(LEASE_MIN_MS),
    placeholder: "TIME",
    fallback: "30s",
    help: "how long a node admits and extends sessions without hearing from a majority of the voters; 1s to 24h, the same on all nodes",
  },
  maxConnections: {
    read: countFrom(0, 1_000_000),
    placeholder: "N",
    fallback: "0",
    help: "most connections at once; 0 derives it from the limit on open files",
  },
  minuteMs: {
    read: countFrom(MINUTE_MIN_MS, 60_000),
    placeholder: "MS",
    fallback: "60000",
    hidden: true,
    help: "length of a minute in ms, 100 to 60000; the same on all nodes",
  },
  pressure: {
    read: oneOf("on", "off"),
    placeholder: "WHAT",
    fallback: "on",
    hidden: true,
    help: "off: this node sheds no load, however late its timers come and however little memory is left",
  },
  divert: {
    read: listOf(readDivert),
    placeholder: "HOST=ADDR",
    repeatable: true,
    hidden: true,
    help: "address to dial in place of all addresses at HOST, to put a proxy between two nodes; separated by commas",
  },
  worker: {
    read: countFrom(0, WORKERS_MAX),
    placeholder: "K",
    fallback: "0",
    hidden: true,
    help: "which worker of its host this process is; set by the process that starts the workers",
  },
  roomsAtStart: {
    read: readSwitch,
    fallback: "true",
    hidden: true,
    help: "false: this start leaves the rooms file alone; set by the process that starts the workers",
  },
} as const satisfies Readonly<Record<string, Setting<unknown>>>;

export type SettingKey = keyof typeof SETTINGS;

/** All settings, in the order of help and docs. */
export const SETTING_KEYS = Object.keys(SETTINGS) as readonly SettingKey[];

/** The setting of `key`, with the fields that only some have. */
export function settingOf(key: SettingKey): Setting<unknown> {
  return SETTINGS[key];
}

/** `tlsCert` as a flag without its hyphens: `tls-cert`. */
export function flagOf(key: SettingKey): string {
  return fileKeyOf(key).replaceAll("_", "-");
}

/** `tlsCert` as a key of the config file: `tls_cert`. */
export function fileKeyOf(key: SettingKey): string {
  return key.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** `tlsCert` as an environment variable: `ANTEROOM_TLS_CERT`. */
export function variableOf(key: SettingKey): string {
  return `ANTEROOM_${fileKeyOf(key).toUpperCase()}`;
}
