/**
 * What each source gives for the settings, as text, and what is wrong with it.
 *
 * An empty environment variable counts as not given, because compose files and unit files produce them. Variables that
 * Kubernetes sets by itself for a service called anteroom are ignored.
 */

import { UNIX_PREFIX } from "../http/origin-target.ts";
import { isObject } from "./is-object.ts";
import { didYouMean } from "./near-miss.ts";
import { type Problem, problemAt, problemsIn } from "./problem.ts";
import { fileKeyOf, flagOf, SETTING_KEYS, type SettingKey, settingOf, variableOf } from "./settings-table.ts";
import { isOwnKey, parseYaml } from "./yaml-text.ts";

/** A text given for a setting. */
export interface Given {
  readonly key: SettingKey;
  readonly text: string;
  /** For people who want to know where a value comes from. */
  readonly source: string;
  /** For problems: the place within the source. */
  readonly place: string;
}

/** Secrets that may stand in a file: the setting `tokenFile` has the path of one with the text of `token`. */
const IN_FILES = ["token", "originSecret", "queueItSecret", "queueItApiKey"] as const satisfies readonly SettingKey[];

/** Credentials of the service manager: files in a directory that only the service can read. */
const CREDENTIALS: readonly (readonly [name: string, key: SettingKey])[] = [
  ["anteroom.mesh_key", "meshKey"],
  ...IN_FILES.map((key) => [`anteroom.${fileKeyOf(key)}`, `${key}File`] as const),
];

const OF_KUBERNETES = /^ANTEROOM_(.*_)?(SERVICE_HOST|SERVICE_PORT(_.*)?|PORT(_\d+_.*)?)$/;

const PORT_MAX = 65_535;

/** Settings that make no sense without another: the one, the other, and how that is given. */
const NEEDED: readonly (readonly [SettingKey, SettingKey, string])[] = [
  ["tlsCert", "tlsKey", "--tls-key FILE"],
  ["tlsKey", "tlsCert", "--tls-cert FILE"],
  ["tlsClientCa", "tlsCert", "--tls-cert FILE"],
  ["originCert", "originKey", "--origin-key FILE"],
  ["originKey", "originCert", "--origin-cert FILE"],
  ["queueItCustomer", "queueItSecret", "--queue-it-secret-file FILE"],
  ["queueItSecret", "queueItCustomer", "--queue-it-customer ID"],
  ["queueItApiKey", "queueItCustomer", "--queue-it-customer ID"],
];

const PROXIES_NEEDED = {
  problem: "is given without --trusted-proxies CIDR, so anybody could claim any address",
  repair: "name the balancers' addresses with --trusted-proxies",
} as const;

/** Settings that the config file cannot contain: its own path. */
const FILE_KEYS = SETTING_KEYS.filter((key) => key !== "config");

/** Settings given as flags; `flags` maps names without hyphens to values. */
export function givenByFlags(flags: ReadonlyMap<string, readonly string[]>): Given[] {
  return SETTING_KEYS.flatMap((key) => {
    const texts = flags.get(flagOf(key));
    if (texts === undefined) return [];
    const flag = `--${flagOf(key)}`;
    return [{ key, text: texts.join(","), source: flag, place: flag }];
  });
}

/** Settings given as `ANTEROOM_…` variables. */
export function givenByEnvironment(environment: Readonly<Record<string, string | undefined>>): Given[] {
  return SETTING_KEYS.flatMap((key) => {
    const variable = variableOf(key);
    const text = environment[variable];
    return text === undefined || text === "" ? [] : [{ key, text, source: variable, place: variable }];
  });
}

/** Settings given as credentials in `directory` (systemd's LoadCredential=), as far as they are there. */
export function givenByCredentials(directory: string | undefined, isThere: (path: string) => boolean): Given[] {
  if (directory === undefined || directory === "") return [];
  return CREDENTIALS.flatMap(([name, key]) => {
    const text = `${directory}/${name}`;
    const source = `credential ${name}`;
    return isThere(text) ? [{ key, text, source, place: source }] : [];
  });
}

/** The secret whose file a setting names. */
function secretOf(file: SettingKey): SettingKey | undefined {
  return IN_FILES.find((key) => `${key}File` === file);
}

/** The paths of files with secrets among what is given. */
export function secretPaths(given: readonly Given[]): string[] {
  return given.flatMap(({ key, text }) => (secretOf(key) === undefined ? [] : [text]));
}

/** What is given, and after each file with a secret the secret, as far as `texts` has it by path. */
export function withSecrets(given: readonly Given[], texts: ReadonlyMap<string, string>): Given[] {
  return given.flatMap((entry) => {
    const [key, text] = [secretOf(entry.key), texts.get(entry.text)];
    if (key === undefined || text === undefined) return [entry];
    return [entry, { ...entry, key, text: text.replace(/\r?\n$/, ""), place: `${entry.place} ${entry.text}` }];
  });
}

/** Secrets that one source gives both by themselves and in a file: which one is meant cannot be known. */
export function doubleSecrets(given: readonly Given[]): Problem[] {
  return given.flatMap((file) => {
    const secret = given.find(({ key }) => key === secretOf(file.key));
    if (secret === undefined) return [];
    const problem = `is given beside ${secret.place}`;
    return [problemAt(file.place, file.text, { problem, repair: "keep the file, and remove the other" })];
  });
}

/** Variables that look like ours and set nothing. */
export function unknownVariables(environment: Readonly<Record<string, string | undefined>>): Problem[] {
  const known = SETTING_KEYS.map(variableOf);
  return Object.entries(environment)
    .filter(([name]) => name.startsWith("ANTEROOM_") && !known.includes(name) && !OF_KUBERNETES.test(name))
    .map(([path]) => ({
      path,
      problem: "is not a known variable, so it sets nothing",
      repair: didYouMean(path, known, "unset it; anteroom serve --help lists the settings"),
    }));
}

/** Settings given in the config file, and what is wrong with its form. */
export function givenByFile(file: { readonly path: string; readonly text: string }): {
  given: Given[];
  problems: Problem[];
} {
  const data = parseYaml(file.text, { scalars: "text" });
  if (!data.ok) return { given: [], problems: problemsIn(file.path, data.problems) };
  if (data.value === null) return { given: [], problems: [] };
  if (!isObject(data.value)) {
    const repair = "write one setting per line, such as listen: 127.0.0.1:8080";
    const problem = problemAt("", data.value, { problem: "is not a mapping of settings", repair });
    return { given: [], problems: problemsIn(file.path, [problem]) };
  }
  const given: Given[] = [];
  const problems: Problem[] = [];
  for (const [name, value] of Object.entries(data.value)) {
    if (isOwnKey(name)) continue;
    const key = FILE_KEYS.find((known) => fileKeyOf(known) === name);
    const text = key === undefined ? undefined : textOf(key, value);
    if (key === undefined) problems.push(unknownKey(name));
    else if (text === undefined) problems.push(wrongKind(key, value));
    else given.push({ key, text, source: file.path, place: `${file.path}: ${name}` });
  }
  return { given, problems: problemsIn(file.path, problems) };
}

/** What is wrong with one given text; the value of a secret is not shown. */
export function problemOfGiven({ key, text, place }: Given): Problem[] {
  const { read, secret } = settingOf(key);
  if (text === "") return [{ path: place, problem: "is empty", repair: "give a value, or leave it out" }];
  const reading = read(text);
  return "complaint" in reading ? [problemAt(place, secret ? undefined : text, reading.complaint)] : [];
}

/** Problems between settings: pairs that belong together, or exclude each other. */
export function problemsBetween(inForce: ReadonlyMap<SettingKey, Given>): Problem[] {
  const problems: Problem[] = [];
  for (const [given, needed, form] of NEEDED) {
    const entry = inForce.get(given);
    if (entry !== undefined && !inForce.has(needed)) problems.push(alone(entry, form));
  }
  problems.push(...problemsOfPairs(inForce), ...problemsOfProxies(inForce));
  const [data, ephemeral] = [inForce.get("data"), inForce.get("ephemeral")];
  if (data !== undefined && ephemeral !== undefined && ["true", "1"].includes(ephemeral.text)) {
    const problem = `contradicts ${ephemeral.place}, which keeps nothing on disk`;
    problems.push(problemAt(data.place, data.text, { problem, repair: "give one of the two" }));
  }
  return [...problems, ...problemsOfWorkers(inForce)];
}

/** Each certificate has a key of its own. */
function problemsOfPairs(inForce: ReadonlyMap<SettingKey, Given>): Problem[] {
  const [certs, keys] = [inForce.get("tlsCert"), inForce.get("tlsKey")];
  if (certs === undefined || keys === undefined) return [];
  const [amount, needed] = [keys, certs].map(({ text }) => text.split(",").length);
  if (amount === needed) return [];
  const problem = `names ${amount} ${amount === 1 ? "key" : "keys"} for ${needed} ${needed === 1 ? "certificate" : "certificates"}`;
  return [problemAt(keys.place, keys.text, { problem, repair: "name one key for each --tls-cert, in the same order" })];
}

/** Anybody could claim any address. */
function problemsOfProxies(inForce: ReadonlyMap<SettingKey, Given>): Problem[] {
  if (inForce.has("trustedProxies") || inForce.get("listen")?.text.startsWith(UNIX_PREFIX)) return [];
  const [protocol, field] = [inForce.get("proxyProtocol"), inForce.get("clientAddressField")];
  const isOn = protocol !== undefined && ["true", "1"].includes(protocol.text);
  const given = [isOn ? protocol : undefined, field].filter((one) => one !== undefined);
  return given.map(({ place }) => problemAt(place, undefined, PROXIES_NEEDED));
}

/** Workers are processes of their own: each has a port for other nodes, and none has our stdin. */
function problemsOfWorkers(inForce: ReadonlyMap<SettingKey, Given>): Problem[] {
  const [workers, mesh, rooms] = [inForce.get("workers"), inForce.get("mesh"), inForce.get("rooms")];
  const listen = inForce.get("listen");
  const amount = Number(workers?.text);
  if (workers === undefined || !(amount > 1)) return [];
  const problems: Problem[] = [];
  const port = Number(/:(\d{1,5})$/.exec(mesh?.text ?? "")?.[1] ?? 0);
  if (mesh !== undefined && port > 0 && port <= PORT_MAX && port + amount - 1 > PORT_MAX) {
    const problem = `leaves no port for the last of ${amount} workers, whose ports count up from it`;
    problems.push(problemAt(mesh.place, mesh.text, { problem, repair: `write a port up to ${PORT_MAX - amount + 1}` }));
  }
  if (listen?.text.startsWith(UNIX_PREFIX)) {
    const problem = `is a unix socket, which ${amount} workers cannot share`;
    problems.push(problemAt(listen.place, listen.text, { problem, repair: "write host:port, or start one worker" }));
  }
  if (rooms?.text === "-") {
    const problem = `is stdin, which ${amount} workers cannot all read`;
    problems.push(problemAt(rooms.place, rooms.text, { problem, repair: "name a file" }));
  }
  return problems;
}

function alone(given: Given, missing: string): Problem {
  return problemAt(given.place, given.text, { problem: `is given without ${missing}`, repair: "give both or none" });
}

function unknownKey(name: string): Problem {
  const repair = didYouMean(name, FILE_KEYS.map(fileKeyOf), "remove it; anteroom serve --help lists the settings");
  return { path: name, problem: "is not a known setting", repair };
}

function wrongKind(key: SettingKey, value: unknown): Problem {
  const { repeatable, secret, placeholder } = settingOf(key);
  const wanted = `${fileKeyOf(key)}: ${placeholder ?? "true"}`;
  const repair = repeatable ? `write ${wanted}, or a list of them` : `write ${wanted}`;
  return problemAt(fileKeyOf(key), secret ? undefined : value, { problem: "is not a single value", repair });
}

function textOf(key: SettingKey, value: unknown): string | undefined {
  if (typeof value === "string") return value;
  if (!settingOf(key).repeatable || !Array.isArray(value)) return undefined;
  return value.every((entry) => typeof entry === "string") ? value.join(",") : undefined;
}
