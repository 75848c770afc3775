/**
 * The flags that several commands share: those of `serve`, made from the table of settings, and those with which `room`
 * and `status` find their node.
 */

import { flagOf, SETTING_KEYS, SETTINGS, settingOf } from "../node/config/settings-table.ts";
import type { Option } from "./command.ts";

/** One flag for each setting. */
export const SERVE_OPTIONS: readonly Option[] = SETTING_KEYS.map((key) => {
  const { placeholder, help, fallback, repeatable, hidden } = settingOf(key);
  return {
    flag: flagOf(key),
    help,
    ...(placeholder !== undefined && { placeholder }),
    ...(placeholder !== undefined && fallback !== undefined && { fallback }),
    ...(repeatable && { repeatable }),
    ...(hidden && { hidden }),
  };
});

/** How to reach a running node. */
export const CLIENT_OPTIONS: readonly Option[] = [
  {
    flag: "admin",
    placeholder: "ADDR",
    fallback: SETTINGS.admin.fallback,
    help: "the node's admin address or URL; also ANTEROOM_ADMIN",
  },
  {
    flag: "data",
    placeholder: "DIR",
    fallback: SETTINGS.data.fallback,
    help: "the node's data directory, whose admin.token is used; also ANTEROOM_DATA",
  },
  { flag: "token", placeholder: "TOKEN", help: "a token, in place of that file; also ANTEROOM_TOKEN" },
  { flag: "token-file", placeholder: "FILE", help: "file with a token; also ANTEROOM_TOKEN_FILE" },
];

export const JSON_OPTION: Option = { flag: "json", help: "answer in JSON" };
