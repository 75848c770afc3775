/**
 * The log: JSON lines for machines, or one line of text per event for people, on the stream the process edge names.
 *
 * No cookie, token or key is ever logged; a visitor's address only in the access log.
 */

export type LogLevel = "error" | "warn" | "info" | "debug";
export type Fields = Readonly<Record<string, unknown>>;

/** Writes an event: its fields, then a message. */
export type Log = Readonly<Record<LogLevel, (fields: Fields, message: string) => void>>;

const LEVELS: readonly LogLevel[] = ["debug", "info", "warn", "error"];

/** Whether a log of `level` writes events of level `event`. */
export function isLogged(level: LogLevel, event: LogLevel): boolean {
  return LEVELS.indexOf(event) >= LEVELS.indexOf(level);
}

export interface LogOptions {
  readonly level: LogLevel;
  readonly format: "json" | "text";
  readonly write: (line: string) => void;
  /** The node's name, for each line in JSON: lines of several nodes may end in one place. */
  readonly node?: string;
}

/** Makes a log that hands finished lines to `write`. */
export function createLog({ level, format, write, node }: LogOptions): Log {
  const base = node !== undefined && format === "json" ? { node } : {};
  const at = (event: LogLevel) => (fields: Fields, msg: string) => {
    if (!isLogged(level, event)) return;
    const line = jsonOf({ level: event, time: new Date().toISOString(), ...base, ...fields, msg });
    write(printable(format === "json" ? `${line}\n` : textLine(line)));
  };
  return { error: at("error"), warn: at("warn"), info: at("info"), debug: at("debug") };
}

function jsonOf(event: Fields): string {
  return JSON.stringify(event, (_, value) => (typeof value === "bigint" ? Number(value) : value));
}

/**
 * Characters on which a terminal acts instead of showing them: control characters except the line end, and those that
 * change the direction of writing. A stranger's path or Host may contain them. In JSON they occur only within strings,
 * where the escape means the same.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the ones that are looked for.
const UNPRINTABLE = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g;

function printable(line: string): string {
  return line.replace(UNPRINTABLE, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** `14:03:22.101 warn  origin failed  origin=127.0.0.1:9000 kind=unreachable` */
function textLine(json: string): string {
  const { time, level, msg, ...fields } = JSON.parse(json) as { time: string; level: string; msg: string };
  const shown = Object.entries(fields).map(([name, value]) => `${name}=${textValue(value)}`);
  const text = [msg.replaceAll(/\n */g, "; "), shown.join(" ")].join("  ").trimEnd();
  return `${time.slice(11, 23)} ${level.padEnd(5)} ${text}\n`;
}

function textValue(value: unknown): string {
  return typeof value === "string" && /^\S*$/.test(value) ? value : JSON.stringify(value);
}
