/**
 * The files that tell rules about the senders of requests: in the folder `lookup` beside the rooms file, or in the data
 * directory of a node without one.
 *
 * A changed file is used without a restart, as soon as two looks have found the same: it may be half written. Files with
 * a problem change nothing, except at the start, where the others are used.
 */

import { readdir, readFile, stat } from "node:fs/promises";
import { basename, dirname, extname, join } from "node:path";
import { type Problem, problemText } from "../../node/config/problem.ts";
import type { Room } from "../../node/config/room.ts";
import type { Settings } from "../../node/config/settings.ts";
import { type BotKey, type BotKeys, botClaim, botKeys } from "../../node/keys/bot-signature.ts";
import type { Log } from "../../node/log.ts";
import { messageOf } from "../../node/message-of.ts";
import { type AddressData, addressData } from "../../node/rules/address-data.ts";
import { type CrawlerList, crawlerList } from "../../node/rules/crawler-lists.ts";
import { type Lookups, lacking, NO_LOOKUPS } from "../../node/rules/lookups.ts";
import { Rules } from "../../node/rules/rules.ts";
import { codeOf } from "../failure.ts";

export const LOOKUP_FOLDER = "lookup";

const DATABASE_FILE = ".mmdb";
const JSON_FILE = ".json";

/** The largest databases of cities have half of it; all of it stays in memory. */
const FILE_BYTES_MAX = 256 * 1024 * 1024;

/** Files that are read. Operators of crawlers publish some dozens. */
const FILES_MAX = 200;

/** Such files are made once a day or less often. */
const LOOK_MS = 10_000;

export interface LoadedLookups {
  readonly lookups: Lookups;
  readonly problems: readonly Problem[];
}

/** Where a node with these settings looks. */
export function lookupFolder({ rooms, data, worker }: Pick<Settings, "rooms" | "data" | "worker">): string {
  if (rooms !== undefined && rooms !== "-") return join(dirname(rooms), LOOKUP_FOLDER);
  // A worker's directory is in that of its host.
  return join(worker > 0 ? dirname(data) : data, LOOKUP_FOLDER);
}

/** What the files in a folder say, and what is wrong with the others; nothing without the folder. */
export async function loadLookups(folder: string): Promise<LoadedLookups> {
  const problems: Problem[] = [];
  let addresses: AddressData = {};
  const crawlers: CrawlerList[] = [];
  const keys = new Map<string, BotKey>();
  const paths = await pathsIn(folder);
  if (typeof paths === "string") return { lookups: NO_LOOKUPS, problems: [problemOf(folder, paths)] };
  for (const path of paths) {
    const read = await contentOf(path);
    if (typeof read === "string") problems.push(problemOf(path, read));
    else if ("keys" in read) for (const [thumbprint, key] of read.keys) keys.set(thumbprint, key);
    else if ("ranges" in read) crawlers.push(read);
    else addresses = { ...addresses, ...read };
  }
  const claimOf: Lookups["claimOf"] = (from) => (keys.size === 0 ? undefined : botClaim(from, keys));
  return { lookups: { addresses, crawlers, claimOf }, problems };
}

/** Rules of rooms that need a file which is not in the folder. */
export function lookupProblems(
  rooms: readonly Room[],
  { lookups, folder }: { readonly lookups: Lookups; readonly folder: string },
): Problem[] {
  return rooms.flatMap(({ name, rules }) =>
    lacking(new Rules(rules).fields, lookups).map(({ field, file }) => ({
      path: "rules",
      room: name,
      problem: `ask for ${field}, and there is no ${file}: they would never apply`,
      repair: `put one into ${folder}`,
    })),
  );
}

/** Keeps what the files say as they change. */
export class LookupWatch {
  readonly #folder: string;
  readonly #log: Log;
  #lookups: Lookups;
  /** The files by name, time and size: as they are in use, and as the last look found them. */
  #used: string;
  #found: string;

  /** Reads the files for the first time. */
  static async begin(folder: string, log: Log): Promise<LookupWatch> {
    const mark = await markOf(folder);
    const { lookups, problems } = await loadLookups(folder);
    if (problems.length > 0)
      log.error(
        { problems: problems.map(problemText) },
        `files in ${folder} are left out, and rules that need them do not apply`,
      );
    return new LookupWatch(folder, log, { lookups, mark });
  }

  private constructor(
    folder: string,
    log: Log,
    { lookups, mark }: { readonly lookups: Lookups; readonly mark: string },
  ) {
    this.#folder = folder;
    this.#log = log;
    this.#lookups = lookups;
    this.#used = mark;
    this.#found = mark;
  }

  readonly now = (): Lookups => this.#lookups;

  /** Looks again and again; the function returned ends that. */
  start(): () => void {
    const timer = setInterval(() => void this.look(), LOOK_MS);
    return () => clearInterval(timer);
  }

  /** Takes changed files once they have been the same for two looks. */
  async look(): Promise<void> {
    const mark = await markOf(this.#folder);
    const isSettled = mark === this.#found;
    this.#found = mark;
    if (mark === this.#used || !isSettled) return;
    this.#used = mark;
    const { lookups, problems } = await loadLookups(this.#folder);
    if (problems.length === 0) {
      this.#lookups = lookups;
      this.#log.info({}, `files in ${this.#folder} have changed: rules use them as they are now`);
    } else {
      const texts = problems.map(problemText);
      this.#log.error(
        { problems: texts },
        `files in ${this.#folder} have changed: refused: rules use the earlier ones`,
      );
    }
  }
}

/** What a file says, or why it says nothing. */
async function contentOf(path: string): Promise<AddressData | CrawlerList | { readonly keys: BotKeys } | string> {
  try {
    const { size } = await stat(path);
    if (size > FILE_BYTES_MAX) return `is larger than ${FILE_BYTES_MAX} bytes: ${size}`;
    const bytes = await readFile(path);
    return extname(path) === JSON_FILE ? inDocument(basename(path, JSON_FILE), bytes.toString()) : addressData(bytes);
  } catch (error) {
    // The caller says so, and uses the other files.
    return `cannot be read: ${messageOf(error)}`;
  }
}

/** What a JSON file has, by its members. */
function inDocument(name: string, text: string): CrawlerList | { readonly keys: BotKeys } | string {
  const document: unknown = JSON.parse(text);
  if (!isRecord(document)) return NO_DOCUMENT;
  if (Array.isArray(document.prefixes)) return crawlerList(name, { prefixes: document.prefixes });
  if (!Array.isArray(document.keys)) return NO_DOCUMENT;
  const keys = botKeys(name, { keys: document.keys });
  return typeof keys === "string" ? keys : { keys };
}

const NO_DOCUMENT = "has neither prefixes nor keys";

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}

function problemOf(path: string, problem: string): Problem {
  return { path, problem, repair: "put in a file as its publisher has it, or remove it" };
}

/** The files that count, or why nobody knows. */
async function pathsIn(folder: string): Promise<readonly string[] | string> {
  try {
    const names = (await readdir(folder)).filter((name) => [DATABASE_FILE, JSON_FILE].includes(extname(name)));
    if (names.length > FILES_MAX) return `has more than ${FILES_MAX} files: ${names.length}`;
    return names.sort().map((name) => join(folder, name));
  } catch (error) {
    // Most nodes have no such folder; what else is wrong, the caller says.
    return codeOf(error) === "ENOENT" ? [] : `cannot be read: ${messageOf(error)}`;
  }
}

/** The same as long as the files are. */
async function markOf(folder: string): Promise<string> {
  const paths = await pathsIn(folder);
  if (typeof paths === "string") return paths;
  const marks = paths.map(async (path) => {
    // One that has just been removed is not there at the next look either.
    const found = await stat(path).catch(() => undefined);
    return `${path} ${found?.ino} ${found?.mtimeMs} ${found?.size}`;
  });
  return (await Promise.all(marks)).join("\n");
}
