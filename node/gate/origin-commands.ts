/**
 * Reads an origin's commands about the visitor's session or the room: `Anteroom-Command: complete; reason=order-placed`.
 *
 * A value is a list of commands; each is a name and parameters, as in other HTTP fields (RFC 9110 §5.6.6). Commands
 * that are unknown, or that the room has not enabled, are ignored and reported: an origin's answer is served whatever
 * it says. Visitors never see these fields.
 */

import type { OriginCommandName } from "../config/room.ts";
import { ORIGIN_COMMANDS } from "../config/room-schema.ts";
import { isToken } from "../http/fields.ts";
import type { HeaderList } from "../http/message.ts";
import { REASON_CHARS_MAX } from "../rooms/command-counts.ts";
import { isCommandField } from "./origin-headers.ts";

export interface OriginCommand {
  readonly name: OriginCommandName;
  /** Why, in the origin's word; undefined if it gave none that fits. */
  readonly reason: string | undefined;
  /** Of `extend`: minutes from now; undefined for a whole session. */
  readonly minutes?: number;
  /** Of `complete`: whether the visitor keeps the cookie, which is good to the end of this minute. */
  readonly keepsCookie?: boolean;
}

export interface CommandFault {
  readonly why: "unknown" | "malformed";
  /** The text that is not obeyed. */
  readonly text: string;
}

export interface ReadCommands {
  readonly commands: readonly OriginCommand[];
  readonly faults: readonly CommandFault[];
}

/** Commands of one answer that are read, the first ones: there are four. */
const COMMANDS_MAX = 8;
/** Parameters of one command. */
const PARAMETERS_MAX = 8;
/** Characters of a text in the log. */
const TEXT_MAX = 100;
const MINUTES_MAX = 1_000;

const REASON = new RegExp(`^[A-Za-z0-9_.-]{1,${REASON_CHARS_MAX}}$`);

/** The commands in an origin's answer. */
export function readCommands(headers: HeaderList): ReadCommands {
  const commands: OriginCommand[] = [];
  const faults: CommandFault[] = [];
  const texts = headers
    .flatMap((value, at) => (at % 2 === 1 && isCommandField(headers[at - 1]) ? value.split(",") : []))
    .map((text) => text.trim())
    .filter((text) => text !== "");
  for (const text of texts.slice(0, COMMANDS_MAX)) {
    const { command, faulty } = readCommand(text);
    if (command !== undefined) commands.push(command);
    if (faulty !== undefined) faults.push({ why: faulty, text: text.slice(0, TEXT_MAX) });
  }
  return { commands, faults };
}

/** A parameter that does not fit is left out, and the command is obeyed as far as that is safe. */
function readCommand(text: string): { command?: OriginCommand; faulty?: CommandFault["why"] } {
  const [first = "", ...rest] = text.split(";", PARAMETERS_MAX + 1).map((part) => part.trim());
  const name = ORIGIN_COMMANDS.find((each) => each === first.toLowerCase());
  if (name === undefined) return { faulty: "unknown" };
  let reason: string | undefined;
  let minutes: number | undefined;
  let keepsCookie = false;
  let isFaulty = false;
  for (const parameter of rest) {
    const { key, value } = readParameter(parameter);
    if (key === "reason" && REASON.test(value)) reason ??= value.toLowerCase();
    else if (key === "minutes" && name === "extend" && /^[1-9]\d{0,3}$/.test(value))
      minutes ??= Math.min(Number(value), MINUTES_MAX);
    else if (key === "cookie" && name === "complete" && value.toLowerCase() === "keep") keepsCookie = true;
    else isFaulty = true;
  }
  // An end without its reason is still an end. More minutes than were meant would hold a slot for nobody.
  const isMeantOtherwise = name === "extend" && minutes === undefined && rest.some((part) => /^minutes\b/i.test(part));
  if (isMeantOtherwise) return { faulty: "malformed" };
  const command = { name, reason, ...(minutes !== undefined && { minutes }), ...(keepsCookie && { keepsCookie }) };
  return { command, ...(isFaulty && { faulty: "malformed" as const }) };
}

/** `key=value`, where the value is a token or a quoted string without escapes. */
function readParameter(text: string): { readonly key: string; readonly value: string } {
  const [, key = "", plain = "", quoted = ""] = /^([\w-]+)\s*=\s*(?:([^\s"]+)|"([^"\\]*)")$/.exec(text) ?? [];
  const value = plain || quoted;
  return isToken(value) ? { key: key.toLowerCase(), value } : { key: "", value: "" };
}
