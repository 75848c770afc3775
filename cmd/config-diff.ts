/**
 * `anteroom config check --diff`: what a running node and its mesh have otherwise than the configuration that was
 * checked. Nothing is changed: the rooms are compared by a trial of `room apply`.
 */

import { addressText } from "../node/config/readers.ts";
import type { Room } from "../node/config/room.ts";
import { roomDocument } from "../node/config/room-document.ts";
import type { SettingRow, Settings } from "../node/config/settings.ts";
import { fileKeyOf } from "../node/config/settings-table.ts";
import type { Applied } from "../node/rooms/declared-changes.ts";
import { type AdminClient, adminClient, answerField } from "./admin-client.ts";
import type { Invocation } from "./command.ts";
import type { Configuration } from "./load.ts";
import { outcomeLines } from "./room-outcomes.ts";
import { WORKER_KEYS } from "./workers/worker-flags.ts";

export interface ConfigDiff {
  /** The admin address that was asked. */
  readonly node: string;
  readonly settings: readonly { readonly setting: string; readonly checked: string; readonly running: string }[];
  /** Rooms of the file that are not so in the mesh. */
  readonly rooms: readonly Applied[];
  /** Rooms of the mesh that the file does not name; none without a file. */
  readonly unnamed: readonly string[];
}

/** Asks the node that the configuration describes. Throws `Failure`. */
export async function configDiff(configuration: Configuration, invocation: Invocation): Promise<ConfigDiff> {
  const { settings, rooms, rows } = configuration;
  const client = adminClient(asClient(settings, invocation));
  const running = answerField(await client.call("GET", "/v1/settings"), "settings") as readonly SettingRow[];
  const hasFile = settings.rooms !== undefined;
  const apart = [...(settings.workers > 1 ? WORKER_KEYS.map(fileKeyOf) : [])];
  return {
    node: client.url,
    settings: differing(rows, running, apart),
    ...(hasFile ? await roomsDiff(rooms, client) : { rooms: [], unnamed: [] }),
  };
}

/** Whether all is as it was checked. */
export function isSame({ settings, rooms, unnamed }: ConfigDiff): boolean {
  return settings.length + rooms.length + unnamed.length === 0;
}

/** The differences for people, a line for each. */
export function diffLines(diff: ConfigDiff): string[] {
  if (isSame(diff)) return [`The node at ${diff.node} runs with these settings and rooms.`];
  return [
    `Differences from the node at ${diff.node}:`,
    ...diff.settings.map(
      ({ setting, checked, running }) =>
        `  ${setting}: ${running} there, ${checked} here; a restart of the node takes it on`,
    ),
    ...outcomeLines(diff.rooms, { isTrial: true }).map((line) => `  ${line}`),
    ...diff.unnamed.map((name) => `  room ${name}: is not in the file, and stays as it is`),
  ];
}

function differing(checked: readonly SettingRow[], running: readonly SettingRow[], apart: readonly string[]) {
  const there = new Map(running.map(({ setting, value }) => [setting, value]));
  const here = new Map(checked.map(({ setting, value }) => [setting, value]));
  return [...new Set([...here.keys(), ...there.keys()])].flatMap((setting) => {
    const [one, other] = [here.get(setting) ?? "(none)", there.get(setting) ?? "(none)"];
    // A hidden setting is listed only where it is given; the path of the config file itself decides nothing.
    const isCompared = here.has(setting) && there.has(setting) && setting !== "config" && !apart.includes(setting);
    return isCompared && one !== other ? [{ setting, checked: one, running: other }] : [];
  });
}

async function roomsDiff(rooms: readonly Room[], client: AdminClient) {
  const body = { rooms: rooms.map(roomDocument) };
  const tried = answerField(await client.call("POST", "/v1/rooms/apply?dry_run=true", body), "results");
  const there = answerField(await client.call("GET", "/v1/rooms"), "rooms") as readonly { readonly name: string }[];
  const named = new Set(rooms.map(({ name }) => name));
  return {
    rooms: (tried as readonly Applied[]).filter(({ outcome }) => outcome !== "unchanged"),
    unnamed: there.flatMap(({ name }) => (named.has(name) ? [] : [name])),
  };
}

/** The same invocation with the address, the token and the data directory that the settings have. */
function asClient({ admin, token, data }: Settings, invocation: Invocation): Invocation {
  const flags = new Map(invocation.flags);
  flags.set("admin", [addressText(admin)]).set("data", [data]);
  if (token !== undefined) flags.set("token", [token]);
  return { ...invocation, flags };
}
