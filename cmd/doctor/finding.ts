/** What a check of `anteroom doctor` found, in one line, with the repair. */

export interface Finding {
  /** One word: what was looked at. */
  readonly check: string;
  readonly verdict: "ok" | "warning" | "problem";
  readonly text: string;
  /** What to do, as an instruction; left out where the text says it. */
  readonly repair?: string;
}

export function ok(check: string, text: string): Finding {
  return { check, verdict: "ok", text };
}

export function warning(check: string, text: string, repair?: string): Finding {
  return { check, verdict: "warning", text, ...(repair !== undefined && { repair }) };
}

export function problem(check: string, text: string, repair?: string): Finding {
  return { check, verdict: "problem", text, ...(repair !== undefined && { repair }) };
}
