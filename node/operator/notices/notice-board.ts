/**
 * Finds what has changed in the mesh, writes it into the journals, and gives its listeners the new notices.
 *
 * All nodes look, and for each journal one of them writes: the first by rendezvous hashing among those that answer. If
 * it does not, because it is about to be found lost or its disk is full, the next one does. While nodes disagree about
 * who answers, two may write; journals merge. A node that finds what it knows overwritten writes both together.
 */

import type { NodeId, RoomId } from "../../../mesh/core/ids.ts";
import { ranked } from "../../../mesh/core/members/ring.ts";
import { noticesKey, type RegisterKey } from "../../../mesh/core/replica/register-keys.ts";
import type { Register } from "../../../mesh/core/replica/registers.ts";
import type { RoomRegisters } from "../../rooms/room-registers.ts";
import { sha256Hex } from "../../sha256.ts";
import { unlessRefused } from "../../storage/disk-watch.ts";
import type { NodeStatus } from "../status/status.ts";
import {
  byAge,
  EMPTY_JOURNAL,
  isSameJournal,
  type Journal,
  journalIn,
  journalRegister,
  merged,
  noted,
  pruned,
  type Reporter,
} from "./journal.ts";
import type { Notice } from "./notice.ts";
import {
  aliveIn,
  DELETED,
  heldMs,
  isOver,
  memberSubjects,
  normalOf,
  type Observation,
  roomSubjects,
  typeOf,
} from "./observe.ts";

export interface BoardParts {
  readonly mesh: string;
  readonly node: NodeId;
  readonly registers: RoomRegisters;
  /** Whether this node has heard what is in the mesh's registers. */
  readonly knowsRegisters: () => boolean;
  /** How a former member went. */
  readonly formerOf: (node: string) => "left" | "removed";
}

/** A room that has no journal and is older than this was there before there were notices: it is not reported as new. */
const NEW_ROOM_MS = 10 * 60_000;

/** A node that starts among others takes this long to hear from all of them. Halved, a restart reports them as lost. */
const WARM_UP_MS = 15_000;

/** How long each node waits for those before it to write. Halved, a slow gossip makes two of them write. */
const TURN_MS = 3_000;

/** A journal as this node has it. */
interface Page {
  readonly room: RoomId | undefined;
  /** The register that was read last. */
  register: Register | undefined;
  inRegister: Journal;
  journal: Journal;
  /** Notices that listeners have got, by id. */
  readonly reported: Set<string>;
  /** Since when a subject's value differs from the journal's, and which value it is. */
  readonly differing: Map<string, { readonly value: string; readonly sinceMs: number }>;
  /** The room's name when it was last seen. */
  name: string | undefined;
  /** Since when the register lacks something. */
  lackingMs: number | undefined;
}

export class NoticeBoard {
  readonly #parts: BoardParts;
  readonly #pages = new Map<string, Page>();
  readonly #listeners = new Set<(notices: readonly Notice[]) => void>();
  /** What this look writes, by one commit. */
  #writes = new Map<RegisterKey, Omit<Register, "stamp">>();
  /** Of configurations; a document may have 256 KiB. */
  readonly #versions = new WeakMap<Register, string>();
  #startedMs: number | undefined;

  constructor(parts: BoardParts) {
    this.#parts = parts;
  }

  /** Tells `listener` of new notices, the oldest first; what is returned ends it. */
  listen(listener: (notices: readonly Notice[]) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Every journal that is known, by its key. */
  *journals(): Iterable<{ readonly key: string; readonly room: RoomId | undefined; readonly journal: Journal }> {
    for (const [key, { room, journal }] of this.#pages) yield { key, room, journal };
  }

  /** Looks at the mesh. Call it about once a second. */
  look(status: NodeStatus): void {
    if (status.view === null || !this.#parts.knowsRegisters()) return;
    const nowMs = status.now_ms;
    this.#startedMs ??= nowMs;
    const alive = aliveIn(status);
    const all = this.#parts.registers.all();
    const rooms = new Map(status.rooms.map((room) => [room.id, room]));
    this.#lookAt(undefined, { status, alive, observe: (journal) => this.#members(status, journal) });
    for (const [id, register] of all) {
      const room = rooms.get(id);
      const version = this.#versionOf(register);
      this.#lookAt(id, {
        ...{ status, alive, name: room?.name, firstName: register.firstName },
        isOld: nowMs - register.createdMs > NEW_ROOM_MS,
        observe: ({ states }) => {
          if (version === undefined) return [{ subject: "room", value: DELETED, data: {} }];
          return room === undefined ? [] : roomSubjects(room, version, states);
        },
      });
    }
    this.#write();
    this.#notify();
  }

  #versionOf(register: Register): string | undefined {
    if (register.document === undefined) return undefined;
    const known = this.#versions.get(register);
    if (known !== undefined) return known;
    const version = sha256Hex(register.document).slice(0, 16);
    this.#versions.set(register, version);
    return version;
  }

  #members(status: NodeStatus, { states }: Journal): Observation[] {
    const isAlone = (status.view?.members ?? 0) <= 1;
    if (!isAlone && status.now_ms - (this.#startedMs ?? status.now_ms) < WARM_UP_MS) return [];
    return memberSubjects(status, states, this.#parts.formerOf);
  }

  #lookAt(room: RoomId | undefined, look: Look): void {
    const { status, alive, name, firstName, isOld = true, observe } = look;
    const key = noticesKey(room);
    const page = this.#read(key, room);
    page.name = name ?? page.name ?? page.journal.notices.at(-1)?.room ?? firstName;
    const reporter: Reporter = { mesh: this.#parts.mesh, node: this.#parts.node, key, room: page.name };
    const minuteMs = status.minute_ms;
    const isFirst = page.journal.states.size === 0;
    let journal = page.journal;
    const observations = observe(journal);
    const observed = new Set(observations.map(({ subject }) => subject));
    for (const subject of page.differing.keys()) if (!observed.has(subject)) page.differing.delete(subject);
    for (const { subject, value, data } of observations) {
      const isSilent = isFirst && isOld;
      const known = journal.states.get(subject)?.value;
      const before = known ?? (isSilent ? undefined : normalOf(subject));
      if (before === value) {
        page.differing.delete(subject);
        continue;
      }
      const atMs = sinceOf(page, { subject, value }, status.now_ms);
      if (!isSilent && status.now_ms - atMs < heldMs({ subject, value }, minuteMs)) continue;
      const type = isSilent ? undefined : typeOf(subject, before, value);
      journal = noted(journal, { subject, value, type, atMs, data }, reporter);
      if (value === DELETED) journal = withoutTrouble(journal, status.now_ms, reporter);
    }
    page.journal = pruned(page.journal, status.now_ms, isOver);
    const next = pruned(journal, status.now_ms, isOver);
    if (isSameJournal(next, pruned(page.inRegister, status.now_ms, isOver))) {
      page.lackingMs = undefined;
      return;
    }
    page.lackingMs = Math.min(page.lackingMs ?? status.now_ms, status.now_ms);
    const turn = Math.max(0, ranked(key, alive).indexOf(this.#parts.node));
    if (status.now_ms - page.lackingMs < turn * TURN_MS) return;
    this.#writes.set(key, journalRegister(next, status.now_ms));
  }

  #write(): void {
    const writes = this.#writes;
    if (writes.size === 0) return;
    this.#writes = new Map();
    // What the disk refuses is found again by the next look.
    unlessRefused(() => void this.#parts.registers.set(writes));
    for (const key of writes.keys()) this.#read(key, this.#pages.get(key)?.room);
  }

  /** The page of a journal, with what its register has by now. */
  #read(key: RegisterKey, room: RoomId | undefined): Page {
    const register = this.#parts.registers.get(key);
    let page = this.#pages.get(key);
    if (page === undefined) {
      page = {
        ...{ room, register: undefined, inRegister: EMPTY_JOURNAL, journal: EMPTY_JOURNAL },
        ...{ reported: new Set<string>(), differing: new Map(), name: undefined, lackingMs: undefined },
      };
      this.#pages.set(key, page);
      // Watchers of this node do not get what happened before it started.
      for (const { id, atMs } of journalIn(register).notices) if (atMs < (this.#startedMs ?? 0)) page.reported.add(id);
    }
    if (register === page.register) return page;
    page.register = register;
    page.inRegister = journalIn(register);
    page.journal = merged(page.journal, page.inRegister);
    return page;
  }

  #notify(): void {
    const news: Notice[] = [];
    for (const page of this.#pages.values()) {
      const ids = new Set(page.journal.notices.map(({ id }) => id));
      for (const id of page.reported) if (!ids.has(id)) page.reported.delete(id);
      for (const notice of page.journal.notices) {
        if (page.reported.has(notice.id)) continue;
        page.reported.add(notice.id);
        news.push(notice);
      }
    }
    if (news.length === 0) return;
    news.sort(byAge);
    for (const listener of this.#listeners) listener(news);
  }
}

interface Look {
  readonly status: NodeStatus;
  readonly alive: readonly NodeId[];
  /** Of a room. */
  readonly name?: string | undefined;
  readonly firstName?: string;
  /** Whether an empty journal takes the present state without notices. */
  readonly isOld?: boolean;
  readonly observe: (journal: Journal) => readonly Observation[];
}

/** Since when the subject has this value, as far as this node has seen. */
function sinceOf({ differing }: Page, { subject, value }: Pick<Observation, "subject" | "value">, nowMs: number) {
  const known = differing.get(subject);
  if (known?.value === value && known.sinceMs <= nowMs) return known.sinceMs;
  differing.set(subject, { value, sinceMs: nowMs });
  return nowMs;
}

/** A deleted room has no trouble: if it is created again, it begins without any. */
function withoutTrouble(journal: Journal, atMs: number, reporter: Reporter): Journal {
  let left = journal;
  for (const [subject, { value }] of journal.states) {
    const normal = normalOf(subject);
    if (normal === undefined || normal === value) continue;
    left = noted(left, { subject, value: normal, type: undefined, atMs, data: {} }, reporter);
  }
  return left;
}
