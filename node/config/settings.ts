/**
 * The settings of a node, put together from flags, environment, config file and defaults, in this order of precedence.
 *
 * Every value keeps its source, so that an operator can ask where a surprising one comes from. Every value given is
 * checked, also one that another source outranks; all problems come back at once. A variable `ANTEROOM_…` or a key that
 * is not known is a problem, because the intended setting would silently not apply. Reading files is not done here:
 * their text comes as an argument.
 */

import { type Checked, type Problem, problemAt } from "./problem.ts";
import type { Reader } from "./readers.ts";
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

/** Settings that stand in `Settings` in groups. */
type Grouped = "tlsCert" | "tlsKey" | "tlsClientCa" | "originCert" | "originKey" | `queueIt${string}` | `${string}File`;

/** What the table declares, by the names that code uses, and what belongs together in groups. */
export type Settings = {
  readonly [Key in SettingKey as Key extends Grouped ? never : NameOf<Key>]: ValueOf<Table[Key]>;
} & {
  readonly tls: TlsFiles | undefined;
  /** Paths of the certificate and key that the gate shows to origins. */
  readonly originCert: { readonly cert: string; readonly key: string } | undefined;
  /** The account that Queue-it's connectors have; undefined for none. */
  readonly queueIt: QueueItSettings | undefined;
  /** Files with secrets, whatever their modes. */
  readonly secretFiles: readonly string[];
};

type Table = typeof SETTINGS;
type NameOf<Key extends SettingKey> = Table[Key] extends { as: infer Name extends string } ? Name : Key;
type ValueOf<Entry> = Entry extends { read: Reader<infer Value> }
  ? Entry extends { fallback: string } | { repeatable: true }
    ? Value
    : Value | undefined
  : never;

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
  if (problems.length > 0) return { ok: false, problems };
  const rows = SETTING_KEYS.flatMap((key) => rowOf(key, inForce.get(key)));
  return { ok: true, value: { settings: settingsOf(inForce), rows } };
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
  const get = <Key extends SettingKey>(key: Key): ValueOf<Table[Key]> => {
    const { read, fallback, repeatable } = settingOf(key);
    const text = inForce.get(key)?.text ?? fallback;
    const reading = text === undefined ? undefined : read(text);
    // The table ties each key to its reader; all texts were checked before.
    return (reading !== undefined && "value" in reading ? reading.value : repeatable && []) as ValueOf<Table[Key]>;
  };
  const [cert, key] = [get("originCert"), get("originKey")];
  const [customer, secret] = [get("queueItCustomer"), get("queueItSecret")];
  const byName = Object.fromEntries(SETTING_KEYS.map((each) => [settingOf(each).as ?? each, get(each)]));
  return {
    ...(byName as Settings),
    tls: tlsFiles(get("tlsCert"), get("tlsKey"), get("tlsClientCa")),
    originCert: cert !== undefined && key !== undefined ? { cert, key } : undefined,
    queueIt:
      customer === undefined || secret === undefined ? undefined : { customer, secret, apiKey: get("queueItApiKey") },
    secretFiles: [...secretPaths([...inForce.values()]), ...[get("people") ?? []].flat()],
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
