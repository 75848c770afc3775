/** What came of a run of tests, as the reporter writes it down. */

export interface Ran {
  readonly tests: readonly RanTest[];
  /**
   * What failed outside of tests: a file that does not load or does not end, a hook, a promise that nobody waited for.
   */
  readonly broken: readonly Broken[];
}

export interface RanTest extends Place {
  readonly name: string;
  readonly outcome: "passed" | "failed" | "skipped";
}

export interface Broken extends Place {
  readonly problem: string;
}

/** Relative to the root of the project; both are empty where the file is unknown. */
export interface Place {
  readonly project: string;
  readonly file: string;
}

/** In the environment of a run: where its reporter writes. */
export const RAN_FILE = "ANTEROOM_RAN_FILE";
