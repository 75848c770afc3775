import { expect, test } from "vitest";
import { createLog, type LogLevel } from "../../node/log.ts";

test("JSON lines have level, time, message and the fields", () => {
  const [line = ""] = linesOf("json", "info", (log) => log.warn({ room: "shop", count: 3 }, "line is long"));
  expect(line.endsWith("\n")).toBe(true);
  const { time, ...rest } = JSON.parse(line);
  expect(rest).toEqual({ level: "warn", room: "shop", count: 3, msg: "line is long" });
  expect(new Date(time).toISOString()).toBe(time);
});

test("text has one line for an event, however many lines its values have", () => {
  const lines = linesOf("text", "info", (log) =>
    log.error({ room: "shop", why: "a b\nc", list: ["x"], none: null, empty: "" }, "origin failed"),
  );
  expect(lines).toHaveLength(1);
  expect(lines[0]).toMatch(
    /^\d\d:\d\d:\d\d\.\d{3} error origin failed {2}room=shop why="a b\\nc" list=\["x"\] none=null empty=\n$/,
  );
});

test.each(["text", "json"] as const)("%s shows what a terminal would act upon, and JSON still means it", (format) => {
  const target = "/\u001b[2J\u009b31m\u202egnp.exe\u007f\r\u2028";
  const [line = ""] = linesOf(format, "info", (log) => log.info({ target }, "access\n    \u001b[31mto"));
  expect(line.trimEnd()).toMatch(/^[ -~]*$/);
  expect(line).toContain("\\u001b[2J\\u009b31m\\u202egnp.exe\\u007f");
  if (format === "json") expect(JSON.parse(line)).toMatchObject({ target });
  else expect(line).toContain("access; \\u001b[31mto  target=");
});

test("text without fields has no blanks at its end", () => {
  expect(linesOf("text", "info", (log) => log.info({}, "stopped"))[0]).toMatch(/ info {2}stopped\n$/);
});

test.each([
  ["error", ["error"]],
  ["warn", ["error", "warn"]],
  ["info", ["error", "warn", "info"]],
  ["debug", ["error", "warn", "info", "debug"]],
] as const)("level %s writes %j", (level, written) => {
  const lines = linesOf("json", level, (log) => {
    for (const each of ["error", "warn", "info", "debug"] as const) log[each]({}, "event");
  });
  expect(lines.map((line) => JSON.parse(line).level)).toEqual(written);
});

function linesOf(format: "json" | "text", level: LogLevel, use: (log: ReturnType<typeof createLog>) => void): string[] {
  const lines: string[] = [];
  use(createLog({ level, format, write: (line) => void lines.push(line) }));
  return lines;
}
