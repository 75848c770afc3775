/** The worker of the waiting page that does the proof of work, run as a function. */

import { pageSource } from "../../../node/gate/own-page.ts";
import html from "../../../node/gate/proof-of-work.html" with { type: "text" };

export interface Challenge {
  readonly parameters: {
    readonly salt: string;
    readonly nonce: string;
    readonly keyPrefix: string;
    readonly data: { readonly goodUntil: number; readonly triesMax: number };
  };
  readonly signature: string;
}

export interface Solution {
  readonly counter: number;
  readonly derivedKey: string;
}

type Worker = (message: { readonly data: Challenge["parameters"] }) => void;

const [, code = ""] = /<script id="solver"[^>]*>([\s\S]*?)<\/script>/.exec(pageSource(String(html))) ?? [];
let found: Solution | undefined;
const worker = new Function("postMessage", `let onmessage;\n${code}\nreturn onmessage;`)((solution: Solution) => {
  found = solution;
}) as Worker;

/** What the page's worker finds. */
export function solved({ parameters }: Challenge): Solution {
  found = undefined;
  worker({ data: parameters });
  if (found === undefined) throw new Error("The worker found nothing");
  return found;
}

/** What the page sends. */
export function proofOf(challenge: Challenge, solution: Solution = solved(challenge)): string {
  return btoa(JSON.stringify({ challenge, solution }));
}
