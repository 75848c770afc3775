/**
 * What is wrong with a piece of configuration, in a form on which a person can act.
 *
 * Checks never stop at the first problem: they return all of them, each with its place, the value found there, what is
 * wrong with it, and what repairs it. The caller decides how to print them; `problemText` is the form for a terminal or
 * a log.
 */

export interface Problem {
  /** The place: `rooms[0].total_active_users`, `--listen`, `ANTEROOM_LISTEN`, `line 3, column 7`. */
  readonly path: string;
  /** The value found there, shortened; absent where there is none, and for secrets. */
  readonly value?: string;
  /** The line of the file, from 1, where the place is in a file. */
  readonly line?: number;
  /** The name of the room, where the place is in a rooms file. */
  readonly room?: string;
  /** What is wrong, to be read after "the value …". */
  readonly problem: string;
  /** What to do about it, as an instruction. */
  readonly repair: string;
}

/** The result of a check: the value, or every problem found. */
export type Checked<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly problems: readonly Problem[] };

/** The result of checking one text: undefined if it is valid. */
export type Complaint = Pick<Problem, "problem" | "repair"> | undefined;

/** Longest value shown, in characters: a template or a list would hide the problem itself. */
const SHOWN_VALUE_MAX = 60;

/** `value`, or `problems` when there are any. */
export function checked<Value>(value: Value, problems: readonly Problem[]): Checked<Value> {
  return problems.length === 0 ? { ok: true, value } : { ok: false, problems };
}

/**
 * Secrets that are known by their form: the user and password of a URL, and our own tokens and secrets of webhooks.
 * Problems are logged, and pasted into tickets.
 */
const SECRETS = /(?<=:\/\/)[^\s/?#"]*@|(?<=anteroom_|whsec_)[0-9A-Za-z+/]{24,}=*/g;

/** A value in JSON form, without secrets, cut to 60 characters; undefined when it has no such form. */
export function shownValue(value: unknown): string | undefined {
  const whole = typeof value === "number" ? String(value) : JSON.stringify(value);
  const text = whole?.replace(SECRETS, (secret) => (secret.endsWith("@") ? "…@" : "…"));
  if (text === undefined || text.length <= SHOWN_VALUE_MAX) return text;
  return `${text.slice(0, SHOWN_VALUE_MAX - 1)}…`;
}

/** A problem with `value` shown, if it has a form to show. */
export function problemAt(path: string, value: unknown, complaint: NonNullable<Complaint>): Problem {
  const shown = shownValue(value);
  return { path, ...(shown !== undefined && { value: shown }), problem: complaint.problem, repair: complaint.repair };
}

/** A problem for each place whose value an earlier place has: `what` is, for instance, its name. Undefined is no value. */
export function sameValues(
  values: readonly unknown[],
  { placeOf, field, what }: { placeOf: (index: number) => string; field: string; what: string },
): Problem[] {
  const first = new Map<unknown, number>();
  return values.flatMap((value, index) => {
    const earlier = first.getOrInsert(value, index);
    if (value === undefined || earlier === index) return [];
    const problem = `is the ${what} of ${placeOf(earlier)} too`;
    return [problemAt(`${placeOf(index)}.${field}`, value, { problem, repair: `give each its own ${what}` })];
  });
}

/** The same problems, found in the file `file`. */
export function problemsIn(file: string, problems: readonly Problem[]): Problem[] {
  return problems.map((problem) => {
    const { path, line } = problem;
    const at = line === undefined ? file : `${file}:${line}`;
    return { ...problem, path: path === "" ? at : `${at}: ${path}` };
  });
}

/** Two lines: place, value and problem; then the repair, indented. */
export function problemText({ path, value, room, problem, repair }: Problem): string {
  const where = `${path}${value === undefined ? "" : ` = ${value}`}${room === undefined ? "" : ` (room ${room})`}`;
  return `${where}: ${problem}\n    ${repair}`;
}
