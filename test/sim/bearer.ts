/**
 * What a simulated visitor brings besides cookies: a pass in a link or a field, a proof of work, a page that polls and
 * may never be looked at.
 */

import { COOKIE_PREFIX } from "../../node/cookie/cookie-header.ts";
import { POLL_FIELD, PROOF_FIELD } from "../../node/gate/request-kind.ts";
import type { HeaderList } from "../../node/http/message.ts";

/** The pass that a visitor has, and what it says. */
export interface SimPass {
  readonly text: string;
  /** In a link the first time, and in the gate's cookie after that; or in a field each time. */
  readonly by: "link" | "field";
  /** Whether a gate may accept it. */
  readonly isGood: boolean;
  readonly isStaff: boolean;
  /** Good for one visitor at a time; undefined for any number. */
  readonly key: string | undefined;
  /** 0 for none. */
  readonly lane: number;
}

export interface Bearer {
  readonly pass: SimPass | undefined;
  /** Whether it computes the proofs that it owes. */
  readonly solves: boolean;
  /** Whether it enters when it is asked to. */
  readonly enters: boolean;
  /** What it keeps of the gate's answers, and has done. */
  readonly kept: {
    passCookie: string | undefined;
    /** The challenge that it has not answered. */
    challenge: string | undefined;
    hasProved: boolean;
  };
}

/** Fields of a visitor's next request, besides its cookies, and its target. */
export function shownBy(
  { pass, solves, kept }: Bearer,
  { polls }: { readonly polls: boolean },
): { readonly target: string; readonly fields: readonly string[]; readonly cookies: readonly string[] } {
  const inLink = pass?.by === "link" && kept.passCookie === undefined;
  const proof = solves ? kept.challenge : undefined;
  return {
    target: inLink ? `/?anteroom_pass=${pass.text}` : "/",
    fields: [
      ...(pass?.by === "field" ? ["Anteroom-Pass", pass.text] : []),
      ...(proof === undefined ? [] : [PROOF_FIELD, proof]),
      ...(polls ? [POLL_FIELD, "1"] : []),
    ],
    cookies: kept.passCookie === undefined ? [] : [kept.passCookie],
  };
}

/** The cookie that keeps a pass, as a browser sends it; undefined if the answer sets none. */
export function passCookieIn(headers: HeaderList): string | undefined {
  const text = headers.find((value, at) => headers[at - 1] === "Set-Cookie" && value.startsWith(PASS_COOKIE));
  return text?.split(";", 1)[0];
}

const PASS_COOKIE = `${COOKIE_PREFIX}.pass_`;

/** The challenge in a JSON answer: of simulated proofs, which are the challenge itself (sim-proof.ts). */
export function challengeIn(body: string): string | undefined {
  return /"challenge":(\{.*?\})/.exec(body)?.[1];
}

/** Whether a JSON answer keeps its visitor outside the line, for want of a proof. */
export function isOutsideIn(body: string): boolean {
  return body.includes('"infiniteQueue":true');
}

/** The code of an error in JSON; undefined for other answers. */
export function errorIn(body: string): string | undefined {
  return /"error":\{[^}]*"code":"(\w+)"/.exec(body)?.[1];
}
