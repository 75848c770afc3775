/** `anteroom lane key`: the generation of the fast lane's keys, and its rotation on all nodes. */

import { adminClient, answerField } from "./admin-client.ts";
import { type Invocation, isOn, type Option } from "./command.ts";
import { EXIT } from "./exit.ts";

export const LANE_KEY_OPTIONS: readonly Option[] = [
  { flag: "rotate", help: "make all gates sign with the next key, which the proxies' snippets accept already" },
  {
    flag: "leaked",
    help: "make all gates sign with a key that no snippet has: visitors go through the gates until then",
  },
];

export async function laneKey(invocation: Invocation): Promise<number> {
  const client = adminClient(invocation);
  const leaked = isOn(invocation, "leaked");
  const isRotated = leaked || isOn(invocation, "rotate");
  const body = isRotated
    ? answerField(await client.call("POST", "/v1/lane/rotate", { leaked }), "generation")
    : generationIn(answerField(await client.call("GET", "/v1/lane"), "lane"));
  if (isOn(invocation, "json")) invocation.io.answer(JSON.stringify({ generation: body }));
  else invocation.io.answer(`The gates sign with key ${body}.`);
  if (leaked)
    invocation.io.talk("Install a new snippet at each proxy now: until then it accepts the keys that leaked.");
  else if (isRotated) invocation.io.talk("Print a new snippet for each proxy before the next rotation.");
  return EXIT.ok;
}

function generationIn(lane: unknown): unknown {
  return Object(lane).generation;
}
