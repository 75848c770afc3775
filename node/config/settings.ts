/**
 * The settings of a node, put together from flags, environment, config file and defaults, in this order of precedence.
 *
 * Every value keeps its source, so that an operator can ask where a surprising one comes from. Every value given is
 * checked, also one that another source outranks; all problems come back at once. A variable `ANTEROOM_…` or a key that
 * is not known is a problem, because the intended setting would silently not apply. Reading files is not done here:
 * their text comes as an argument.
 */

import { type Checked, type Problem, problemAt } from "./problem.ts";
import type { Address, Reader } from "./readers.ts";
import {
  doubleSecrets,
  type Given,
  givenByEnvironment,
  givenByFile,
  givenByFlags,
  problemOfGiven,
  problemsBetween,
  secretPaths,
  unknownVariables,
  withSecrets,
} from "./setting-sources.ts";
import { fileKeyOf, SETTING_KEYS, type SETTINGS, type SettingKey, settingOf } from "./settings-table.ts";

/** Paths of PEM files. */
export interface TlsFiles {
  /** At least one. */
  readonly pairs: readonly { readonly cert: string; readonly key: string }[];
  /** Certificates of which one must have signed a client's. */
  readonly clientCa: string | undefined;
}

export interface QueueItSettings {
  readonly customer: string;
  readonly secret: string;
  /** With which connectors fetch their integration config; undefined where they do not. */
  readonly apiKey: string | undefined;
}

export interface Settings {
  readonly origin: string | undefined;
  /** What becomes of requests that match no room. */
  readonly unmatched: "pass" | "refuse";
  readonly listen: Address;
  readonly admin: Address;
  /** Where metrics are answered besides `admin`; undefined for nowhere else. */
  readonly metrics: Address | undefined;
  /** Host names under which the admin API may be asked, in lower case. */
  readonly adminHosts: readonly string[];
  /** Where other nodes are heard. */
  readonly mesh: Address;
  /** Nodes to join by, as they were written: host:port or multiaddr. */
  readonly join: readonly string[];
  /** Path of a mesh.key; undefined for the one in the data directory. */
  readonly meshKey: string | undefined;
  /** Addresses of this node for others, as they were written; none for that of `mesh`. Port 0 is that of `mesh`. */
  readonly advertise: readonly string[];
  /** Path of the rooms file. */
  readonly rooms: string | undefined;
  /** Of this node, for people; undefined for the host's name. */
  readonly name: string | undefined;
  readonly locality: string;
  /** Path of the data directory; unused when `ephemeral`. */
  readonly data: string;
  readonly ephemeral: boolean;
  readonly tls: TlsFiles | undefined;
  readonly http1Only: boolean;
  /** Ranges in CIDR form. */
  readonly trustedProxies: readonly string[];
  /** In lower case; undefined for X-Forwarded-For. */
  readonly clientAddressField: string | undefined;
  readonly token: string | undefined;
  /** Files with secrets, whatever their modes. */
  readonly secretFiles: readonly string[];
  readonly logFormat: "json" | "text";
  readonly logLevel: "error" | "warn" | "info" | "debug";
  readonly accessLog: boolean;
  readonly accessLogFormat: "log" | "combined";
  /** Where spans go; undefined for no traces. */
  readonly otlpEndpoint: string | undefined;
  /** The share of traces that are recorded, of those that begin here; 0 to 1. */
  readonly otlpSample: number;
  readonly originTimeoutMs: number;
  readonly connectTimeoutMs: number;
  readonly drainTimeoutMs: number;
  readonly originSecret: string | undefined;
  /** The account that Queue-it's connectors have; undefined for none. */
  readonly queueIt: QueueItSettings | undefined;
  /** Path of a PEM file. */
  readonly originCa: string | undefined;
  /** Paths of the certificate and key that the gate shows to origins. */
  readonly originCert: { readonly cert: string; readonly key: string } | undefined;
  readonly durability: "process" | "fsync";
  /** Processes that share the gate's port. */
  readonly workers: number;
  readonly leaseMs: number;
  /** 0 to take it from the limit on open files. */
  readonly maxConnections: number;
  readonly minuteMs: number;
  /** Whether late timers and little memory make this node shed load. */
  readonly pressure: "on" | "off";
  /** By host of other nodes' addresses: the multiaddr to dial in its place. */
  readonly divert: ReadonlyMap<string, string>;
  /** Which worker of its host this process is, from 1; 0 for a node that runs by itself. */
  readonly worker: number;
  /** Whether this start may apply the rooms file. */
  readonly roomsAtStart: boolean;
}

/** One line of `config check`. */
export interface SettingRow {
  /** Key of the config file. */
  readonly setting: string;
  /** The value as text; for secrets `(set)`, for none `(none)`. */
  readonly value: string;
  /** `--listen`, `ANTEROOM_LISTEN`, the config file's path, or `default`. */
  readonly source: string;
}

export interface SettingSources {
  /** Values by flag name without hyphens; a switch has the value `true`. */
  readonly flags: ReadonlyMap<string, readonly string[]>;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The config file's path and text. */
  readonly file: { readonly path: string; readonly text: string } | undefined;
  /** What the service manager gives, see `givenByCredentials`. */
  readonly credentials?: readonly Given[];
  /** The texts of files with secrets, by path; none where they cannot be read. */
  readonly secrets?: ReadonlyMap<string, string>;
}

export interface ResolvedSettings {
  readonly settings: Settings;
  readonly rows: readonly SettingRow[];
}

type Table = typeof SETTINGS;
type ValueOf<Entry> = Entry extends { read: Reader<infer Value> }
  ? Entry extends { fallback: string }
    ? Value
    : Value | undefined
  : never;
type Values = { readonly [Key in SettingKey]: ValueOf<Table[Key]> };

const JOIN_REPAIR =
  "copy mesh.key from the data directory of a node of the mesh, mode 0600, and name the copy with --mesh-key FILE";

/** The settings that the sources amount to, or everything that is wrong with them. */
export function resolveSettings(sources: SettingSources): Checked<ResolvedSettings> {
  const { given, problems: problemsOfFile } = gather(sources);
  const inForce = strongest(given);
  const problems = [
    ...given.flatMap(problemOfGiven),
    ...unknownVariables(sources.environment),
    ...problemsOfFile,
    ...problemsBetween(inForce),
  ];
  if (problems.length > 0) return { ok: false, problems: inOrderOf(sources.file, problems) };
  const rows = SETTING_KEYS.flatMap((key) => rowOf(key, inForce.get(key)));
  return { ok: true, value: { settings: settingsOf(inForce), rows } };
}

/** Those of the config file in the order of its lines, after all others. */
function inOrderOf(file: SettingSources["file"], problems: readonly Problem[]): readonly Problem[] {
  if (file === undefined) return problems;
  const start = `${file.path}: `;
  const names = file.text.split("\n").map((line) => line.split(":")[0]?.trim());
  const lineOf = ({ path }: Problem): number => names.indexOf(path.slice(start.length));
  const [others, own] = [false, true].map((is) => problems.filter(({ path }) => path.startsWith(start) === is));
  return [...(others ?? []), ...(own ?? []).toSorted((one, other) => lineOf(one) - lineOf(other))];
}

/**
 * What is wrong with joining when no key of the mesh is at hand: `hasKey` says whether the data directory has one.
 * Nothing, if nothing is to be joined, or `--mesh-key` names one.
 */
export function joinProblems(sources: SettingSources, hasKey: boolean): readonly Problem[] {
  const inForce = strongest(gather(sources).given);
  const join = inForce.get("join");
  if (join === undefined || hasKey || inForce.has("meshKey")) return [];
  const problem = "is given without the key of that mesh";
  return [problemAt(join.place, join.text, { problem, repair: JOIN_REPAIR })];
}

/** The text that applies to one setting, even if it or others are invalid; undefined if none is given. */
export function textInForce(sources: SettingSources, key: SettingKey): string | undefined {
  return strongest(gather(sources).given).get(key)?.text;
}

/** The paths of all files with secrets that are given. */
export function secretFilesIn(sources: SettingSources): readonly string[] {
  return [...new Set(secretPaths(gather(sources).given))];
}

/** All that is given, in order of precedence. */
function gather(sources: SettingSources): { given: Given[]; problems: readonly Problem[] } {
  const { flags, environment, file, credentials = [], secrets = new Map() } = sources;
  const ofFile = file === undefined ? { given: [], problems: [] } : givenByFile(file);
  const groups = [givenByFlags(flags), givenByEnvironment(environment), ofFile.given, credentials];
  return {
    given: withSecrets(groups.flat(), secrets),
    problems: [...ofFile.problems, ...groups.flatMap(doubleSecrets)],
  };
}

function strongest(given: readonly Given[]): ReadonlyMap<SettingKey, Given> {
  // A map keeps the last entry of a key; the strongest source stands first.
  return new Map(given.toReversed().map((entry) => [entry.key, entry]));
}

function settingsOf(inForce: ReadonlyMap<SettingKey, Given>): Settings {
  const get = <Key extends SettingKey>(key: Key): Values[Key] => {
    const text = inForce.get(key)?.text ?? settingOf(key).fallback;
    const reading = text === undefined ? undefined : settingOf(key).read(text);
    // The table ties each key to its reader; all texts were checked before.
    return (reading !== undefined && "value" in reading ? reading.value : undefined) as Values[Key];
  };
  const [originCert, originKey] = [get("originCert"), get("originKey")];
  const [customer, secret] = [get("queueItCustomer"), get("queueItSecret")];
  return {
    origin: get("origin"),
    unmatched: get("unmatched"),
    listen: get("listen"),
    admin: get("admin"),
    metrics: get("metrics"),
    adminHosts: get("adminHost") ?? [],
    mesh: get("mesh"),
    join: get("join") ?? [],
    meshKey: get("meshKey"),
    advertise: get("advertise") ?? [],
    rooms: get("rooms"),
    name: get("name"),
    locality: get("locality"),
    data: get("data"),
    ephemeral: get("ephemeral"),
    tls: tlsFiles(get("tlsCert") ?? [], get("tlsKey") ?? [], get("tlsClientCa")),
    http1Only: get("http1Only"),
    trustedProxies: get("trustedProxies") ?? [],
    clientAddressField: get("clientAddressField"),
    token: get("token"),
    secretFiles: secretPaths([...inForce.values()]),
    logFormat: get("logFormat"),
    logLevel: get("logLevel"),
    accessLog: get("accessLog"),
    accessLogFormat: get("accessLogFormat"),
    otlpEndpoint: get("otlpEndpoint"),
    otlpSample: get("otlpSample"),
    originTimeoutMs: get("originTimeout"),
    connectTimeoutMs: get("connectTimeout"),
    drainTimeoutMs: get("drainTimeout"),
    originSecret: get("originSecret"),
    queueIt:
      customer === undefined || secret === undefined ? undefined : { customer, secret, apiKey: get("queueItApiKey") },
    originCa: get("originCa"),
    originCert: originCert !== undefined && originKey !== undefined ? { cert: originCert, key: originKey } : undefined,
    durability: get("durability"),
    workers: get("workers"),
    leaseMs: get("lease"),
    maxConnections: get("maxConnections"),
    minuteMs: get("minuteMs"),
    pressure: get("pressure"),
    divert: get("divert") ?? new Map(),
    worker: get("worker"),
    roomsAtStart: get("roomsAtStart"),
  };
}

function tlsFiles(
  certs: readonly string[],
  keys: readonly string[],
  clientCa: string | undefined,
): TlsFiles | undefined {
  if (certs.length === 0) return undefined;
  return { pairs: certs.map((cert, at) => ({ cert, key: keys[at] ?? "" })), clientCa };
}

function rowOf(key: SettingKey, given: Given | undefined): SettingRow[] {
  const { fallback, hidden, secret } = settingOf(key);
  if (hidden && given === undefined) return [];
  const text = given?.text ?? fallback;
  const value = text === undefined ? "(none)" : secret ? "(set)" : text;
  return [{ setting: fileKeyOf(key), value, source: given?.source ?? "default" }];
}
