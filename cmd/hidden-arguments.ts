/**
 * Hides secrets that were given as flags from `ps`, which shows every user of a host the arguments of all processes.
 *
 * Linux keeps the arguments in the process's own memory, and `ps` reads them there; so they are overwritten. It is done
 * within ms of the start, not before it: a file or a credential of the service manager is better, and help says so.
 * Elsewhere, and where the system does not allow it, nothing is changed.
 */

import { closeSync, openSync, readFileSync, readSync, writeSync } from "node:fs";
import { flagOf, SETTING_KEYS, settingOf } from "../node/config/settings-table.ts";

/** Flags whose values are secret, with their hyphens. */
const SECRET_FLAGS = SETTING_KEYS.filter((key) => settingOf(key).secret).map((key) => `--${flagOf(key)}`);

/** Places of the two ends of the arguments in /proc/self/stat (fields 48 and 49), counted after the program's name. */
const [START, END] = [45, 46];

/** Linux allows no more than 6 MiB of arguments. */
const BYTES_MAX = 6 * 1024 * 1024;

/** Overwrites the secrets among this process's arguments; `words` are those arguments. */
export function hideSecretArguments(words: readonly string[]): void {
  if (!words.some(isSecretFlag)) return;
  try {
    const stat = readFileSync("/proc/self/stat", "utf8");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    const [start, end] = [Number(fields[START]), Number(fields[END])];
    if (!(start > 0) || !(end > start) || end - start > BYTES_MAX) return;
    const memory = openSync("/proc/self/mem", "r+");
    try {
      const bytes = Buffer.alloc(end - start);
      readSync(memory, bytes, 0, bytes.length, start);
      const hidden = withoutSecrets(bytes);
      writeSync(memory, hidden, 0, hidden.length, start);
    } finally {
      closeSync(memory);
    }
  } catch {
    // Not Linux, or not allowed: the arguments stay as they are. Nothing else is lost.
  }
}

/** Arguments as the system keeps them, each with a NUL at its end, with `*` in the place of secrets. */
export function withoutSecrets(bytes: Uint8Array): Buffer {
  const hidden = Buffer.from(bytes);
  let isNext = false;
  for (let at = 0; at < hidden.length; ) {
    const found = hidden.indexOf(0, at);
    const end = found === -1 ? hidden.length : found;
    const word = hidden.toString("latin1", at, end);
    const equals = isSecretFlag(word) ? word.indexOf("=") : -1;
    if (isNext) hidden.fill("*", at, end);
    else if (equals !== -1) hidden.fill("*", at + equals + 1, end);
    isNext = !isNext && SECRET_FLAGS.includes(word);
    at = end + 1;
  }
  return hidden;
}

function isSecretFlag(word: string): boolean {
  return SECRET_FLAGS.includes(word.split("=")[0] ?? "");
}
