/**
 * The verdict of a run: promises, what was measured for each, and its limit.
 *
 * Chaos and the simulator judge by lists of these. A check that could not be judged says so and fails nothing: a
 * promise holds within bounds, such as faults shorter than a session, and a plan may go beyond them.
 */

import { fits, number, type TableOptions, type TableParts, table, wrap } from "./print.ts";

/** The promise to which it belongs; `mesh` for the basis of all of them. */
export type Promised = "never over" | "never early" | "never slow" | "never lost" | "mesh";

export interface Check {
  readonly name: string;
  readonly promise: Promised;
  /** What was measured. */
  readonly value: number;
  /** The limit; null if it is only reported. */
  readonly limit: number | null;
  /** The aim, where the check is not held to it yet. */
  readonly aim?: number;
  /** Whether the limit is the most or the least that the value may be. */
  readonly bound: "most" | "least";
  /** Of value and limit, such as `s`; absent for plain counts. */
  readonly unit?: string;
  readonly ok: boolean;
  /** A note for readers: which visitor or node, when, or why it was not judged. */
  readonly note?: string;
}

type Measured = Pick<Check, "name" | "promise" | "value" | "limit" | "aim" | "unit" | "note">;

/** A check that holds while the value is at most the limit. */
export function atMost(measured: Measured): Check {
  const { value, limit } = measured;
  return { ...measured, bound: "most", ok: limit === null || value <= limit };
}

/** A check that holds while the value is at least the limit. */
export function atLeast(measured: Measured): Check {
  const { value, limit } = measured;
  return { ...measured, bound: "least", ok: limit === null || value >= limit };
}

/** Whether all hold; true for none. */
export function allHold(checks: readonly Check[]): boolean {
  return checks.every(({ ok }) => ok);
}

/**
 * The checks as a table for people, failures marked by word and colour. Where the lines would be too long with their
 * notes, each note stands below its check: it may say why one failed.
 */
export function checksTable(checks: readonly Check[], options: TableOptions): string {
  const { columns, rows } = checksParts(checks);
  const whole = table(columns, rows, options);
  if (fits(whole, options.width)) return whole;
  const withoutNotes = (row: (typeof rows)[number]) => row.slice(0, -1);
  const [titles = "", ...lines] = table(columns.slice(0, -1), rows.map(withoutNotes), options).split("\n");
  const noted = lines.map((line, index) => {
    const { note } = checks[index] ?? {};
    return note === undefined ? line : `${line}\n${wrap(`  ${note}`, options.width, "  ")}`;
  });
  return [titles, ...noted].join("\n");
}

/** The checks as columns and rows. */
function checksParts(checks: readonly Check[]): TableParts {
  const rows = checks.map((check) => [
    check.promise,
    check.name,
    withUnit(check.value, check.unit),
    limitText(check),
    check.ok
      ? { text: check.limit === null ? "–" : "ok", style: "cyan" as const }
      : { text: "FAILED", style: "red" as const },
    check.note ?? "",
  ]);
  const columns = [
    { title: "PROMISE" },
    { title: "CHECK" },
    { title: "MEASURED", align: "right" as const },
    { title: "LIMIT", align: "right" as const },
    { title: "" },
    { title: "" },
  ];
  return { columns, rows };
}

function limitText({ limit, aim, bound, unit }: Check): string {
  const text = (value: number): string => (bound === "least" ? `≥ ${withUnit(value, unit)}` : withUnit(value, unit));
  const parts = limit === null ? [] : [text(limit)];
  return aim === undefined || aim === limit ? parts.join("") : [...parts, `aim ${text(aim)}`].join(", ");
}

function withUnit(value: number, unit: string | undefined): string {
  const text = Number.isInteger(value) ? number(value) : value.toFixed(Math.abs(value) < 10 ? 2 : 1);
  return unit === undefined ? text : `${text} ${unit}`;
}
