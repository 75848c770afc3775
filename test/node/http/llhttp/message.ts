/**
 * What a reader of HTTP/1.1 made of some bytes, whichever reader it was.
 *
 * Text is latin1, as it came.
 */

export interface Message {
  /** Empty for an answer. */
  readonly method: string;
  readonly target: string;
  /** 0 for a request. */
  readonly status: number;
  readonly reason: string;
  readonly minorVersion: number;
  /** Name, value, name, value…, as they came. */
  readonly fields: readonly string[];
  readonly body: string;
  readonly trailers: readonly string[];
  readonly keepAlive: boolean;
  /** Whether all of it has come. */
  readonly isComplete: boolean;
  /** Index of the first byte that is no part of it. */
  readonly end: number;
}

export interface Reading {
  /** In order; the last may be incomplete. */
  readonly messages: readonly Message[];
  /** Why what follows them is no message; undefined when it is empty, ignored, or may still become one. */
  readonly refusal: string | undefined;
}
