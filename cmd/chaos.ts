/**
 * `anteroom chaos`: real nodes, real visitors and a real origin on this host, with faults between them.
 *
 * Nodes are this same program, started again; kill -9, SIGSTOP and wiped disks are real. Connections between nodes go
 * through relays, so that they can be cut without any rights. The verdict comes from what visitors and origin saw.
 */

import { type ChaosOptions, commandLine, readChaosOptions } from "./chaos/options.ts";
import { limitsOf, type Outcome, runChaos } from "./chaos/run.ts";
import { allHold, checksTable } from "./checks.ts";
import type { Invocation } from "./command.ts";
import { starvedText } from "./crowd/starved.ts";
import { EXIT } from "./exit.ts";
import { Failure } from "./failure.ts";
import { untilStopped } from "./interrupt.ts";
import type { Io } from "./io.ts";
import { count, number, styled, tableOptions } from "./print.ts";

export async function chaos(invocation: Invocation): Promise<number> {
  const { io } = invocation;
  const options = readChaosOptions(invocation);
  const problems = [...invocation.problems, ...(options.ok ? [] : options.problems)];
  if (!options.ok || problems.length > 0) throw new Failure("the run was not started", { problems });
  const say = options.value.json ? io.talk : io.answer;
  announce(options.value, say);
  const outcome = await untilStopped((signal) =>
    runChaos({ options: options.value, say, table: () => tableOptions(io), signal }),
  );
  io.answer(options.value.json ? verdictJson(outcome, options.value) : verdictText(outcome, options.value, io));
  if (!allHold(outcome.checks)) return EXIT.checkFailed;
  if (outcome.isCutShort) return EXIT.failed;
  return outcome.isJudged ? EXIT.ok : EXIT.notJudged;
}

function announce(options: ChaosOptions, say: (text: string) => void): void {
  const { nodes, localities, minuteMs, durationMs, plan } = options;
  const { limit, perMinute } = limitsOf(options);
  say(
    `${count(nodes, "node")} in ${localities.join(", ")}: one room of ${limit} visitors at a time, ${perMinute} new ones a minute ` +
      `(a minute lasts ${minuteMs / 1_000} s here).`,
  );
  say(`${count(plan.length, "fault")} within ${durationMs / 1_000} s. Ctrl-C ends the run.`);
}

function verdictText(outcome: Outcome, options: ChaosOptions, io: Io): string {
  const { checks, came, letIn, joined, longestLine, isCutShort, folder } = outcome;
  const { color } = tableOptions(io);
  const failed = checks.filter(({ ok }) => !ok).length;
  const held = outcome.isJudged ? "All checks held." : "Not judged: the machine was busy.";
  const verdict = failed === 0 ? held : `${count(failed, "check")} failed.`;
  const isBusy = outcome.starved.is_starved;
  return [
    "",
    styled(
      isCutShort ? `The run was ended before its time. ${verdict}` : verdict,
      failed === 0 ? "bold" : "red",
      color,
    ),
    ...(isBusy ? [`The machine was busy: ${starvedText(outcome.starved)}.`] : []),
    checksTable(checks, tableOptions(io)),
    "",
    `${number(came)} visits, ${number(letIn)} admitted, ${number(joined)} put in line, ${number(longestLine)} in line at most.`,
    ...(folder === undefined ? [] : [`Data and logs of the nodes are in ${folder}`]),
    `Seed ${options.seed}. The same plan again: ${commandLine(options)}`,
  ].join("\n");
}

/** One line; field names as in the API, but for `plan`, which has the names of `Fault`. */
function verdictJson(outcome: Outcome, options: ChaosOptions): string {
  const { nodes, localities, durationMs, minuteMs, seed, plan } = options;
  const { limit, perMinute } = limitsOf(options);
  return JSON.stringify({
    ok: allHold(outcome.checks),
    cut_short: outcome.isCutShort,
    judged: outcome.isJudged,
    busy: outcome.starved,
    seed,
    again: commandLine(options),
    nodes,
    localities,
    duration_seconds: durationMs / 1_000,
    minute_ms: minuteMs,
    total_active_users: limit,
    new_users_per_minute: perMinute,
    came: outcome.came,
    let_in: outcome.letIn,
    joined: outcome.joined,
    longest_line: outcome.longestLine,
    origin_requests: outcome.originRequests,
    checks: outcome.checks,
    plan,
    ...(outcome.folder !== undefined && { folder: outcome.folder }),
  });
}
