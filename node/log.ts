/**
 * The log: JSON lines for machines, or one line of text per event for people, on the stream the process edge names.
 *
 * By pino. No cookie, token or key ever goes in; a visitor's address only in the access log.
 */

import pino from "pino";

export type LogLevel = "error" | "warn" | "info" | "debug";
export type Fields = Readonly<Record<string, unknown>>;

/** Writes an event: its fields, then what happened in words. */
export type Log = Readonly<Record<LogLevel, (fields: Fields, message: string) => void>>;

/** Makes a log that hands finished lines to `write`. */
export function createLog(options: { level: LogLevel; format: "json" | "text"; write: (line: string) => void }): Log {
  const { level, format, write } = options;
  const logger = pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    { write: format === "json" ? write : (line: string) => write(textLine(line)) },
  );
  return {
    error: (fields, message) => logger.error(fields, message),
    warn: (fields, message) => logger.warn(fields, message),
    info: (fields, message) => logger.info(fields, message),
    debug: (fields, message) => logger.debug(fields, message),
  };
}

/** `14:03:22.101 warn  origin failed  origin=127.0.0.1:9000 kind=unreachable` */
function textLine(json: string): string {
  const { time, level, msg, ...fields } = JSON.parse(json) as { time: string; level: string; msg: string };
  const shown = Object.entries(fields).map(([name, value]) => `${name}=${textValue(value)}`);
  return `${time.slice(11, 23)} ${level.padEnd(5)} ${[msg, shown.join(" ")].join("  ").trimEnd()}\n`;
}

function textValue(value: unknown): string {
  return typeof value === "string" && /^\S*$/.test(value) ? value : JSON.stringify(value);
}
