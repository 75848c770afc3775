/**
 * `anteroom restore`: the rooms of a backup, as they were, on all nodes. All of them or none.
 *
 * It is `room apply` of a file whose seal was checked. Rooms that the backup does not have stay, and orders that were
 * in place are told, because giving one is a decision about now.
 */

import { type Problem, problemsIn, shownValue } from "../node/config/problem.ts";
import { placed } from "../node/config/yaml-places.ts";
import { parseYaml } from "../node/config/yaml-text.ts";
import type { Applied } from "../node/rooms/declared-changes.ts";
import { type AdminClient, adminClient, answerField } from "./admin-client.ts";
import { newerProblem, type OrderNote, readSeal } from "./backup-file.ts";
import { type Invocation, isOn } from "./command.ts";
import { EXIT } from "./exit.ts";
import { Failure } from "./failure.ts";
import { roomsIn } from "./load-rooms.ts";
import { problemsOf, readInput, shownPath } from "./read-input.ts";
import { applied } from "./room.ts";
import { outcomeLines } from "./room-outcomes.ts";
import { VERSION } from "./version.ts";

const REFUSED = "Cannot restore the backup; nothing was changed";

export async function restore(invocation: Invocation): Promise<number> {
  const { io, positionals } = invocation;
  const [path = ""] = positionals;
  const isTrial = isOn(invocation, "dry-run");
  const { file, seal } = readBackup(invocation, path);
  const client = adminClient(invocation);
  const newer = newerProblem(seal, String(answerField(await client.call("GET", "/v1/status"), "version")));
  if (newer !== undefined) throw new Failure(REFUSED, { problems: problemsIn(shownPath(path), [newer]) });
  const before = await roomNames(client);
  const results = await applied(file, client, isTrial);
  const others = isTrial ? othersThan(results, before) : othersThan(results, await roomNames(client));
  const { made, orders } = seal;
  if (isOn(invocation, "json")) {
    io.answer(JSON.stringify({ dry_run: isTrial, made, results, not_in_backup: others, orders }));
    return EXIT.ok;
  }
  if (results.length > 0) io.answer(outcomeLines(results, { isTrial }).join("\n"));
  for (const line of notes({ others, orders, isTrial })) io.talk(line);
  return EXIT.ok;
}

/** A backup that this release can restore. Throws `Failure` with all problems. */
function readBackup({ io }: Invocation, path: string) {
  const text = readInput(io, path);
  if (!text.ok) throw new Failure(REFUSED, { problems: text.problems });
  const located = (problems: readonly Problem[]) => problemsIn(shownPath(path), placed(problems, text.value));
  const data = parseYaml(text.value);
  if (!data.ok) throw new Failure(REFUSED, { problems: located(data.problems) });
  const { seal, problems } = readSeal(data.value, VERSION);
  if (seal === undefined) throw new Failure(REFUSED, { problems: located(problems) });
  const file = roomsIn(text.value, path, io);
  if (file.ok && problems.length === 0) return { file: file.value, seal };
  throw new Failure(REFUSED, { problems: [...located(problems), ...problemsOf(file)] });
}

async function roomNames(client: AdminClient): Promise<readonly string[]> {
  const rooms = answerField(await client.call("GET", "/v1/rooms"), "rooms") as readonly { readonly name: string }[];
  return rooms.map(({ name }) => name);
}

/** The rooms of the mesh that the backup does not have; one that gets its earlier name back is not among them. */
function othersThan(results: readonly Applied[], names: readonly string[]): readonly string[] {
  const renamed = results.flatMap(({ changes = [] }) => changes.filter(({ field }) => field === "name"));
  const known = new Set(results.map(({ name }) => name));
  const earlier = new Set(renamed.map(({ from }) => from));
  return names.filter((name) => !known.has(name) && !earlier.has(shownValue(name) ?? ""));
}

interface Noted {
  readonly others: readonly string[];
  readonly orders: readonly OrderNote[];
  readonly isTrial: boolean;
}

function notes({ others, orders, isTrial }: Noted): readonly string[] {
  const orderNotes = orders.map(
    ({ room, order, since }) =>
      `Room ${room} had an operator's order since ${since}, which is not restored. Give it again: anteroom room ${order} ${room}`,
  );
  const stays = others.length === 0 ? [] : [`Not in the backup, and left as they are: ${others.join(", ")}`];
  return [...stays, ...orderNotes, ...(isTrial ? ["Nothing was changed."] : [])];
}
