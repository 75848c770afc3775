/**
 * `anteroom pass ROOM --pause WAVE`, `--resume` and `--end`: what becomes of a wave of passes that was started before.
 */

import { problemAt } from "../../node/config/problem.ts";
import { adminClient, roomPath } from "../admin-client.ts";
import { flagValue, type Invocation } from "../command.ts";
import { EXIT } from "../exit.ts";
import { Failure } from "../failure.ts";

const CHANGES = {
  pause: "no more of its passes begin to be good",
  resume: "its passes go on to be good step by step",
  end: "all its passes are good",
} as const;

/** Flags about passes that are made. */
const MAKING = ["key", "expires", "lane", "staff", "url", "csv", "wave", "wave-name", "wave-start"];

/** Carries out an order about a wave; undefined if no flag gives one. */
export async function waveOrder(invocation: Invocation): Promise<number | undefined> {
  const { io, positionals } = invocation;
  const [room = ""] = positionals;
  const given = (Object.keys(CHANGES) as (keyof typeof CHANGES)[]).flatMap((change) => {
    const name = flagValue(invocation, change);
    return name === undefined ? [] : [{ change, name }];
  });
  const [order] = given;
  if (order === undefined) return undefined;
  const { change, name } = order;
  const other = MAKING.find((flag) => invocation.flags.has(flag)) ?? given[1]?.change;
  if (other !== undefined) {
    const problem = { problem: `comes with --${other}`, repair: "give an order about a wave alone" };
    throw new Failure("Cannot change a wave", { problems: [problemAt(`--${change}`, name, problem)] });
  }
  const client = adminClient(invocation);
  await client.call("POST", `${roomPath(room)}/wave`, { wave: name, [change]: true });
  io.answer(`Wave ${name} of room ${room}: ${CHANGES[change]}.`);
  if (change === "pause") io.talk(`Go on with: anteroom pass ${room} --resume ${name}`);
  return EXIT.ok;
}
