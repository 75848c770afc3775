/**
 * The rooms file of this node: applied at a start if its content is new, and whenever an operator orders it.
 *
 * A node among others first learns what they know. Until then its rooms are as stored, and a node that has not joined
 * yet holds visitors of the rooms in its file. SIGHUP is an order: it applies the file at once, whatever was applied
 * before. No file lifts an operator's order about a room.
 */

import { z } from "zod";
import type { Register } from "../../mesh/core/replica/registers.ts";
import type { Shape } from "../config/document-fields.ts";
import { timeText } from "../config/field-kinds.ts";
import { problemText } from "../config/problem.ts";
import type { Room } from "../config/room.ts";
import { isoOf } from "../iso-time.ts";
import type { Log } from "../log.ts";
import { type FileSeen, fileDigest, filesIn, verdictOf } from "./applied-files.ts";
import type { Changed } from "./changed.ts";
import type { Applied } from "./declared-changes.ts";
import { FIELD_CHANGE, type FieldChange } from "./field-changes.ts";
import type { Rooms } from "./rooms.ts";

/**
 * What happened to the rooms file of the answering node. `waiting`: undecided until other members were heard.
 * `unchanged`, `superseded`: not applied, because it or a later one was applied before. `refused`: it has problems.
 */
export const ROOMS_FILE_STATUS = z.object({
  state: z.enum(["waiting", "applied", "unchanged", "superseded", "refused"]).describe("what became of it"),
  since: timeText.describe("since when"),
  words: z.string().describe("the same in one sentence"),
  changes: z
    .array(z.object({ room: z.string().describe("its name"), ...FIELD_CHANGE.shape }))
    .describe("fields of existing rooms that changed"),
});
export type RoomsFileStatus = Shape<typeof ROOMS_FILE_STATUS>;

/** Changes that the status lists; the log has all of them. */
const SHOWN_MAX = 20;

export interface DeclaredRoomsParts {
  readonly rooms: Rooms;
  /** The rooms of the file. */
  readonly declared: readonly Room[];
  /** Whether this start may apply them: a restarted worker may not. */
  readonly mayApply: boolean;
  /** The file that this node saw last, from its disk. */
  readonly seen: FileSeen | undefined;
  readonly files: () => Register | undefined;
  readonly remember: (seen: FileSeen) => void;
  readonly clock: () => number;
  readonly log: Log;
}

export class DeclaredRooms {
  readonly #parts: DeclaredRoomsParts;
  #status: RoomsFileStatus | undefined;

  constructor(parts: DeclaredRoomsParts) {
    this.#parts = parts;
    if (parts.declared.length > 0 && parts.mayApply) this.#say("waiting", WAITING);
  }

  /** Undefined without a file, and if another process of this host handles it. */
  get status(): RoomsFileStatus | undefined {
    return this.#status;
  }

  /** What an operator should know about it at once. */
  get warnings(): readonly string[] {
    const { state, words } = this.#status ?? {};
    return words !== undefined && (state === "waiting" || state === "refused") ? [words] : [];
  }

  /** Decides once whether to apply the file; call it when this node knows what the others know. */
  decide(): Changed<readonly Applied[]> {
    if (this.#status?.state !== "waiting") {
      this.#parts.rooms.dropExpected();
      return NOTHING;
    }
    const { declared, seen, files, log, rooms } = this.#parts;
    const digest = fileDigest(declared);
    const verdict = verdictOf(digest, seen, filesIn(files()));
    if (verdict === "apply") {
      const applied = this.#apply(declared, "the start");
      rooms.dropExpected();
      return applied;
    }
    rooms.dropExpected();
    this.#remember(digest);
    this.#say(verdict, WORDS[verdict]);
    log.info({ rooms: declared.map(({ name }) => name) }, WORDS[verdict]);
    return NOTHING;
  }

  /** Applies `declared` on SIGHUP. */
  order(declared: readonly Room[]): Changed<readonly Applied[]> {
    return this.#apply(declared, "SIGHUP");
  }

  #apply(declared: readonly Room[], by: "the start" | "SIGHUP"): Changed<readonly Applied[]> {
    const { log, rooms } = this.#parts;
    const applied = rooms.apply(declared);
    if (!applied.ok) {
      const problems = applied.refusal.problems.map(problemText);
      this.#say("refused", `the rooms file was refused, and the rooms stay as they were: ${problems.join(" ")}`);
      return applied;
    }
    const changes = applied.value.flatMap(({ name, changes = [] }) =>
      changes.map((change) => ({ room: name, ...change })),
    );
    for (const change of changes) log.warn({ ...change, by }, "the rooms file changed a field");
    this.#remember(fileDigest(declared));
    const words = `the rooms file was applied ${by === "SIGHUP" ? "on SIGHUP" : "at the start"}${changes.length === 0 ? "" : `: ${changesText(changes)}`}`;
    this.#say("applied", words, changes);
    return applied;
  }

  #remember(digest: string): void {
    this.#parts.remember({ digest, atMs: this.#parts.clock() });
  }

  #say(state: RoomsFileStatus["state"], words: string, changes: RoomsFileStatus["changes"] = []): void {
    const since = isoOf(this.#parts.clock());
    this.#status = { state, since, words, changes: changes.slice(0, SHOWN_MAX) };
  }
}

const NOTHING: Changed<readonly Applied[]> = { ok: true, value: [] };

const APPLY_NOW = "to apply it anyway: send SIGHUP to this node, or anteroom room apply FILE";

const WORDS = {
  unchanged: "the rooms file has not changed since it was applied: it is not applied again",
  superseded: `the rooms file was applied before, and another one has been since: it is not applied again; ${APPLY_NOW}`,
};

const WAITING = `the rooms file is not applied before this node has heard from another member what was applied last; ${APPLY_NOW}`;

function changesText(changes: readonly (FieldChange & { readonly room: string })[]): string {
  const shown = changes.slice(0, SHOWN_MAX).map(({ room, field, from, to }) => `${room}.${field} ${from} → ${to}`);
  const more = changes.length - shown.length;
  return [...shown, ...(more > 0 ? [`${more} more, see the log`] : [])].join(", ");
}
