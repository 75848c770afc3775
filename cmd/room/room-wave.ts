/**
 * `anteroom room wave`: pauses, resumes or ends a wave of passes, which `anteroom pass --wave` has started.
 */

import { adminClient } from "../admin-client.ts";
import { flagValue, type Invocation } from "../command.ts";
import { EXIT } from "../exit.ts";
import { Failure } from "../failure.ts";

const CHANGES = {
  pause: "no more of its passes begin to be good",
  resume: "its passes go on to be good step by step",
  end: "all its passes are good",
} as const;

export async function wave(invocation: Invocation): Promise<number> {
  const { io, positionals } = invocation;
  const [room = ""] = positionals;
  const given = (Object.keys(CHANGES) as (keyof typeof CHANGES)[]).flatMap((change) => {
    const name = flagValue(invocation, change);
    return name === undefined ? [] : [{ change, name }];
  });
  const [order] = given;
  if (order === undefined || given.length > 1) {
    const problem = "is missing, and so are --resume and --end, or more than one is given";
    const repair = `write anteroom room wave ${room} --pause WAVE, --resume WAVE or --end WAVE`;
    throw new Failure("Cannot change a wave", { problems: [{ path: "--pause", problem, repair }] });
  }
  const { change, name } = order;
  const client = adminClient(invocation);
  await client.call("POST", `/v1/rooms/${encodeURIComponent(room)}/wave`, { wave: name, [change]: true });
  io.answer(`Wave ${name} of room ${room}: ${CHANGES[change]}.`);
  if (change === "pause") io.talk(`Go on with: anteroom room wave ${room} --resume ${name}`);
  return EXIT.ok;
}
