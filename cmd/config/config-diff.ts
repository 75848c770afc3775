/**
 * `anteroom config check --diff`: which settings a running node has otherwise than the configuration that was checked.
 * Nothing is changed. Rooms are compared by `room apply --dry-run`.
 */

import { addressText } from "../../node/config/readers.ts";
import type { SettingRow, Settings } from "../../node/config/settings.ts";
import { fileKeyOf } from "../../node/config/settings-table.ts";
import { adminClient, answerField } from "../admin-client.ts";
import type { Invocation } from "../command.ts";
import type { Configuration } from "../serve/load.ts";
import { WORKER_KEYS } from "../workers/worker-flags.ts";

export interface ConfigDiff {
  /** The admin address that was asked. */
  readonly node: string;
  readonly settings: readonly { readonly setting: string; readonly checked: string; readonly running: string }[];
}

/** Asks the node that the configuration describes. Throws `Failure`. */
export async function configDiff({ settings, rows }: Configuration, invocation: Invocation): Promise<ConfigDiff> {
  const client = adminClient(asClient(settings, invocation));
  const running = answerField(await client.call("GET", "/v1/settings"), "settings") as readonly SettingRow[];
  const apart = settings.workers > 1 ? WORKER_KEYS.map(fileKeyOf) : [];
  return { node: client.url, settings: differing(rows, running, apart) };
}

/** The differences for people, a line for each. */
export function diffLines({ node, settings }: ConfigDiff): string[] {
  if (settings.length === 0) return [`The node at ${node} runs with these settings.`];
  return [
    `Differences from the node at ${node}:`,
    ...settings.map(
      ({ setting, checked, running }) =>
        `  ${setting}: ${running} there, ${checked} here; a restart of the node takes it on`,
    ),
  ];
}

function differing(checked: readonly SettingRow[], running: readonly SettingRow[], apart: readonly string[]) {
  const there = new Map(running.map(({ setting, value }) => [setting, value]));
  return checked.flatMap(({ setting, value }) => {
    const other = there.get(setting);
    // A hidden setting is listed only where it is given; the path of the config file itself decides nothing.
    const isCompared = other !== undefined && setting !== "config" && !apart.includes(setting);
    return isCompared && other !== value ? [{ setting, checked: value, running: other }] : [];
  });
}

/** The same invocation with the address, the token and the data directory that the settings have. */
function asClient({ admin, token, data }: Settings, invocation: Invocation): Invocation {
  const flags = new Map(invocation.flags);
  flags.set("admin", [addressText(admin)]).set("data", [data]);
  if (token !== undefined) flags.set("token", [token]);
  return { ...invocation, flags };
}
