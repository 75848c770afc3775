/**
 * Deliberate bugs, to see that the net of simulated worlds and laws catches them: one changed place of the product each.
 *
 * `find` stands in `file` exactly once, which mutants.test.ts keeps true; the changed text is put in its place when the file is
 * loaded (preload.ts, vitest.config.ts). The product has no switch for any of this. `by` is who must notice, and within
 * how much.
 */

export interface Mutant {
  /** What is wrong, in words; also its name on the command line. */
  readonly name: string;
  readonly file: string;
  readonly find: string;
  readonly replace: string;
  readonly by: Net;
}

/**
 * `seeds`: a seed of `anteroom simulate` that breaks a promise, among so many of the scenario. `verdict`: a check over so many
 * seeds that fails. `law`: a test file.
 */
export type Net =
  | { readonly kind: "seeds"; readonly scenario: string; readonly seeds: number }
  | { readonly kind: "verdict"; readonly scenario: string; readonly seeds: number }
  | { readonly kind: "law"; readonly test: string };

/** Faults of all kinds at random. */
const HARSH: Net = { kind: "seeds", scenario: "harsh", seeds: 80 };
/** One node is cut off for longer than its island time. */
const CUT_OFF: Net = { kind: "seeds", scenario: "cut-off", seeds: 12 };
/** Nodes restart one after the other, and nobody inside may notice. */
const RESTARTS: Net = { kind: "verdict", scenario: "restarts", seeds: 3 };
/** One of two nodes is started from an old copy of its disk. */
const OLD_DISKS: Net = { kind: "seeds", scenario: "old-disks", seeds: 24 };
const MEMBERS: Net = law("law/members");
const CORE_MEMBERS: Net = law("mesh/core/members");
const LEAVING: Net = law("mesh/core/leaving-together");

export const MUTANTS: readonly Mutant[] = [
  // The disk.
  {
    name: "messages leave a step before their writes",
    file: "mesh/core/outbox.ts",
    find: "const batch = { writes: this.#writes, isVote: this.#isVote, sent: this.#sent };",
    replace:
      "const self = this as any; const batch = { writes: self.late ?? new Map(), isVote: this.#isVote, sent: this.#sent }; self.late = this.#writes;",
    by: HARSH,
  },
  {
    name: "a gift given is not put on disk",
    file: "mesh/core/replica.ts",
    find: "    this.#putCell(this.self, gift);\n",
    replace: "",
    by: HARSH,
  },
  {
    name: "a gift received is not put on disk",
    file: "mesh/core/replica.ts",
    find: "      this.#putCell(account, gift);\n",
    replace: "      if (isOwn) this.#putCell(account, gift);\n",
    by: HARSH,
  },
  {
    name: "an admission is not put on disk",
    file: "node/admission/mesh/mesh-room.ts",
    find: "    const { lastGood } = known ?? this.admission.admit(id, nowMs);\n    this.#touch();",
    replace: "    const { lastGood } = known ?? this.admission.admit(id, nowMs);",
    by: HARSH,
  },
  {
    name: "an extension is not put on disk",
    file: "node/admission/mesh/mesh-room.ts",
    find: '    if (checked.kind !== "acknowledged") return checked.kind;\n    this.#touch();',
    replace: '    if (checked.kind !== "acknowledged") return checked.kind;',
    by: HARSH,
  },
  {
    name: "slots are not held after a restart",
    file: "node/admission/sessions.ts",
    find: "this.takeOver(restored ?? { slots: [] }, revoked);",
    replace: "this.takeOver({ slots: [] }, revoked);",
    by: HARSH,
  },
  {
    name: "admissions of the minute are forgotten by a restart",
    file: "node/admission/admission.ts",
    find: "this.#admittedInMinute = restored?.record?.admittedInMinute ?? 0;",
    replace: "this.#admittedInMinute = 0;",
    by: HARSH,
  },
  {
    name: "unknown sessions are not acknowledged after a restart",
    file: "node/admission/sessions.ts",
    find: "if ((known === undefined || known < minute) && cookie >= minute) known = this.#claimUnknown(minute);",
    replace: "",
    by: RESTARTS,
  },
  {
    name: "a cookie that is over claims the slot of another after a restart",
    file: "node/admission/sessions.ts",
    find: "if ((known === undefined || known < minute) && cookie >= minute) known",
    replace: "if (known === undefined || known < minute) known",
    by: law("node/admission/admission-mesh"),
  },
  {
    name: "after a restart more sessions are acknowledged than slots were held",
    file: "node/admission/sessions.ts",
    find: "      if (slots > 1) this.#unknown.set(lastGood, slots - 1);\n      else this.#unknown.delete(lastGood);\n",
    replace: "",
    by: HARSH,
  },
  {
    name: "an old disk is not noticed",
    file: "node/peer.ts",
    find: "outdated: (reason) => events.over(",
    replace: "outdated: (reason) => events.log({}, reason) ?? ((..._: unknown[]) => {})(",
    by: OLD_DISKS,
  },
  {
    name: "writes given back win over newer ones",
    file: "mesh/core/outbox.ts",
    find: "this.#writes = new Map([...writes, ...this.#writes]);",
    replace: "this.#writes = new Map([...this.#writes, ...writes]);",
    by: law("mesh/core/outbox"),
  },
  {
    name: "that an origin ended a session is not put on disk",
    file: "node/admission/mesh/mesh-room.ts",
    find: ", revoked.lastGood);",
    replace: ", undefined);",
    by: law("node/admission/mesh/mesh-room-disk"),
  },
  {
    name: "a room whose counts were lost is used",
    file: "node/peer-mesh.ts",
    find: " && members.mayAct(now) && !this.#parts.lost.isHeld(room);",
    replace: " && members.mayAct(now);",
    by: law("node/peer"),
  },

  // Shares.
  {
    name: "copies of a row are joined by adding",
    file: "mesh/core/ledger.ts",
    find: "if (!cell.raise(minute, total)) continue;",
    replace: "if (!cell.raise(minute, cell.at(minute) + total)) continue;",
    by: HARSH,
  },
  {
    name: "a gift is not deducted",
    file: "mesh/core/ledger.ts",
    find: "return { units: owned - given, from: minute, until };",
    replace: "return { units: owned, from: minute, until };",
    by: HARSH,
  },
  {
    name: "a kept balance survives a gift",
    file: "mesh/core/ledger.ts",
    find: "this.#forgetBalances(room, resource, [this.self, to]);",
    replace: "this.#forgetBalances(room, resource, [to]);",
    by: HARSH,
  },
  {
    name: "a gift of arrivals is used at once",
    file: "mesh/core/ledger.ts",
    find: 'const since = resource === "arrivals" ? minute : AT_ONCE;',
    replace: "const since = AT_ONCE;",
    by: law("law/never-over"),
  },
  {
    name: "a node gives what its sessions hold",
    file: "mesh/core/shares.ts",
    find: "unitsForSlots(limit, used + kept)",
    replace: "unitsForSlots(limit, kept)",
    by: HARSH,
  },
  {
    name: "slots are rounded up",
    file: "mesh/core/shares.ts",
    find: "Math.floor((limit * units) / UNITS + FORGIVEN)",
    replace: "Math.ceil((limit * units) / UNITS - FORGIVEN)",
    by: law("law/never-over"),
  },
  {
    name: "a writer is believed who is none by the view",
    file: "mesh/core/replica.ts",
    find: '    if (rightful !== writer) return "notTheWriter";\n',
    replace: "",
    by: HARSH,
  },

  // Sessions.
  {
    name: "a session is adopted without a slot",
    file: "node/admission/admission.ts",
    find: 'checkIn.kind === "not-mine" && held < this.#account.active(this.#room.totalActiveUsers, minute)',
    replace: 'checkIn.kind === "not-mine"',
    by: HARSH,
  },
  {
    name: "a cookie is extended though its home is silent",
    file: "node/admission/mesh/check-ins.ts",
    find: 'if (session.lastGood - minute > half) told({ kind: "unchanged" }, nowMs);',
    replace:
      'if (session.lastGood - minute >= 0) told({ kind: "acknowledged", home: session.home, lastGood: (minute + this.#parts.sessionDuration()) as Minute }, nowMs);',
    by: HARSH,
  },
  {
    name: "a slot is free as soon as its last good minute begins",
    file: "node/admission/sessions.ts",
    find: "startOfMinuteMs(minutePlus(lastGood, 1), this.#minuteMs) + this.#graceMs",
    replace: "startOfMinuteMs(lastGood, this.#minuteMs) + this.#graceMs",
    by: HARSH,
  },
  {
    name: "no grace after the last good minute",
    file: "node/admission/sessions.ts",
    find: "startOfMinuteMs(minutePlus(lastGood, 1), this.#minuteMs) + this.#graceMs",
    replace: "startOfMinuteMs(minutePlus(lastGood, 1), this.#minuteMs)",
    by: HARSH,
  },
  {
    name: "sessions are extended without lease or island",
    file: "node/admission/mesh/mesh-room.ts",
    find: ': this.#mesh.mayExtend())) return "later";',
    replace: ': true)) return "later";',
    by: CUT_OFF,
  },
  {
    name: "the island time never ends",
    file: "mesh/core/lease.ts",
    find: "return this.#extending !== undefined && leftMsOf(this.#extending, now) > 0;",
    replace: "return this.#extending !== undefined;",
    by: CUT_OFF,
  },
  {
    name: "gifts of an older view are taken",
    file: "node/peer.ts",
    find: "const mayShare = stamp.view === this.members.view?.number &&",
    replace: "const mayShare = stamp.view <= (this.members.view?.number ?? 0) &&",
    by: law("node/peer"),
  },
  {
    name: "who is fenced is given slots",
    file: "node/admission/mesh/own-slots.ts",
    find: "|| !this.#mesh.mayGiveTo(to)) return undefined;",
    replace: "|| to === this.#mesh.self) return undefined;",
    by: law("node/peer"),
  },
  {
    name: "a question that arrives twice is acted on twice",
    file: "node/admission/mesh/mesh-room.ts",
    find: "    if (this.#answered.has(key)) {",
    replace: "    if (this.#answered.get(key) === null) {",
    by: law("node/admission/mesh/mesh-room-twice"),
  },

  // Time.
  {
    name: "steps of the clock are believed",
    file: "node/wall-guard.ts",
    find: "if (!this.#isConfirmed()) return",
    replace: "if (stepMs > Number.POSITIVE_INFINITY) return",
    by: law("node/wall-guard"),
  },
  {
    name: "many small steps of the clock are believed",
    file: "node/wall-guard.ts",
    find: "if (Math.abs(stepMs) <= STEP_MS) return wallMs;\n",
    replace: "if (Math.abs(stepMs) <= STEP_MS) this.#zeroMs = wallMs - steadyMs;\n",
    by: law("node/wall-guard"),
  },
  {
    name: "a node uses slots while its time stands still",
    file: "node/peer-mesh.ts",
    find: "isClockTrusted && !isTimeBehind;",
    replace: "isClockTrusted;",
    by: law("node/peer"),
  },
  {
    name: "time goes back in small steps, and nothing is held",
    file: "node/peer.ts",
    find: "    if (!this.#isTimeBehind) this.#roomMs = seenMs;\n",
    replace: "    this.#roomMs = seenMs;\n",
    by: law("node/peer"),
  },
  {
    name: "time that went back between two runs holds nothing",
    file: "node/peer.ts",
    find: "if (this.#hasOthers && admission.record.minute > minute)",
    replace: "if (this.#hasOthers && admission.record.minute > minute + 1_000_000)",
    by: law("node/peer"),
  },
  {
    name: "of clocks that agree the one furthest from the median holds back",
    file: "mesh/core/clock-offset.ts",
    find: "return areApart(moved) && Math.abs(",
    replace: "return Math.abs(",
    by: law("mesh/core/clock-offset"),
  },
  {
    name: "a node admits with a clock that is off",
    file: "mesh/core/members.ts",
    find: 'return this.lease(now) === "held" && !this.#standing.isClockOff(now);',
    replace: 'return this.lease(now) === "held";',
    by: CORE_MEMBERS,
  },
  {
    name: "the minute goes back with the clock",
    file: "node/admission/admission.ts",
    find: "    if (minute > this.#minute) {",
    replace: "    if (minute !== this.#minute) {",
    by: law("law/room-never-over"),
  },
  {
    name: "the minute goes back with a restart",
    file: "node/admission/admission.ts",
    find: "this.#minute = restored?.record?.minute ?? this.#minute;",
    replace: "",
    by: HARSH,
  },

  // Lease, fences, votes.
  {
    name: "the lease is forgotten",
    file: "mesh/core/standing.ts",
    find: 'if (this.isFree || this.leaseLeftMs(now) > 0) return "held";',
    replace: 'return "held";',
    by: CUT_OFF,
  },
  {
    name: "a lease counts from the answer",
    file: "mesh/core/heartbeats.ts",
    find: "    return asked;\n",
    replace: "    return { ...asked, at: now };\n",
    by: law("mesh/core/heartbeats"),
  },
  {
    name: "pings are answered with a lease after having voted",
    file: "mesh/core/members.ts",
    find: "const grants = this.#fences.has(from) || !this.#app.isInStep() ? [] : [...this.#voter.unvoted];",
    replace: "const grants = this.#fences.has(from) ? [] : this.#voter.record.voters.map(([voter]) => voter);",
    by: CORE_MEMBERS,
  },
  {
    name: "a node votes whose disk may be an old one",
    file: "mesh/core/members.ts",
    find: "    if (DECIDING.has(message.kind) && !this.#app.isInStep()) return true;\n",
    replace: "",
    by: CORE_MEMBERS,
  },
  {
    name: "of two clocks a start believes its own",
    file: "mesh/core/clock-offset.ts",
    find: "if (most === undefined) return Math.min(...sorted);",
    replace: "if (most === undefined) return 0;",
    by: law("node/peer"),
  },
  {
    name: "two clocks of five that are wrong convince one that starts",
    file: "mesh/core/clock-offset.ts",
    find: "groups.find((group) => 2 * group.length > count)",
    replace: "groups.find((group) => 2 * group.length > sorted.length)",
    by: law("mesh/core/clock-offset"),
  },
  {
    name: "a step is confirmed by one of four others",
    file: "mesh/core/clock-offset.ts",
    find: "return 2 * (near.length + 1) > count && ",
    replace: "return near.length > 0 && ",
    by: law("mesh/core/clock-offset"),
  },
  {
    name: "who is fenced gets a lease, and who has voted gives one",
    file: "mesh/core/members.ts",
    find: "const grants = this.#fences.has(from) || !this.#app.isInStep() ? [] : [...this.#voter.unvoted];",
    replace: "const grants = this.#voter.record.voters.map(([voter]) => voter);",
    by: CORE_MEMBERS,
  },
  {
    name: "a fence keeps nothing out",
    file: "mesh/core/fences.ts",
    find: "return this.#copies.has(account);",
    replace: "return false;",
    by: MEMBERS,
  },
  {
    name: "a fence is forgotten by a restart",
    file: "mesh/core/members.ts",
    find: "if (fences !== undefined) this.#fences.restore(fences);",
    replace: "",
    by: CORE_MEMBERS,
  },
  {
    name: "not all that stay need to fence",
    file: "mesh/core/proposer.ts",
    find: "if (this.#fencing(attempt).length > 0) return;",
    replace: "",
    by: HARSH,
  },
  {
    name: "a node is removed that others hear",
    file: "mesh/core/members.ts",
    find: "(isForgetting ? this.#isHeard(node, now) : this.#hasHeard(node, now)));",
    replace: "isForgetting && this.#isHeard(node, now));",
    by: CORE_MEMBERS,
  },
  {
    name: "a promise does not tell what was voted for",
    file: "mesh/core/voter.ts",
    find: "[voter, this.#votes.acceptedBy(voter) ?? null]",
    replace: "[voter, null]",
    by: MEMBERS,
  },
  {
    name: "a voter votes below its promise",
    file: "mesh/core/voter.ts",
    find: "if (promised !== undefined || heard.length > 0)",
    replace: "if (heard.length > 0)",
    by: law("mesh/core/voter"),
  },
  {
    name: "votes are not on disk",
    file: "mesh/core/voter.ts",
    find: 'if (isNew.includes(true)) this.#put(view);\n    return { kind: "accepted"',
    replace: 'if (isNew.includes(true)) this.#noteUnvoted(view);\n    return { kind: "accepted"',
    by: CORE_MEMBERS,
  },
  {
    name: "less than half of the voters decide",
    file: "mesh/core/voters.ts",
    find: "return Math.floor(voters.length / 2) + 1;",
    replace: "return Math.max(1, Math.floor(voters.length / 2));",
    by: MEMBERS,
  },
  {
    name: "of two values found the lower ballot's is finished",
    file: "mesh/core/proposer.ts",
    find: "isAbove(accepted.ballot, found.ballot)",
    replace: "isAbove(found.ballot, accepted.ballot)",
    by: law("mesh/core/proposer"),
  },
  {
    name: "fences of an earlier try count for another",
    file: "mesh/core/proposer.ts",
    find: 'if (attempt?.step !== "fencing" || answer.nodes.join() !== attempt.removed.join()) return;',
    replace: 'if (attempt?.step !== "fencing") return;',
    by: law("mesh/core/proposer"),
  },
  {
    name: "answers given in one view count for a lease in the next",
    file: "mesh/core/lease.ts",
    find: "  begin(): void {\n    this.#asked.clear();\n",
    replace: "  begin(): void {\n",
    by: CORE_MEMBERS,
  },
  {
    name: "a voter votes to remove whom it hears",
    file: "mesh/core/members.ts",
    find: "const heard = accept.removes.filter((node) => this.#hasHeard(node, now));",
    replace: "const heard: NodeId[] = [];",
    by: CORE_MEMBERS,
  },

  // Inheritance.
  {
    name: "two heirs take the pot",
    file: "mesh/core/view-book.ts",
    find: "return this.#index.accounts.get(node) ?? [];",
    replace:
      "const isLast = this.known.members.at(-1)?.node === node; return [...(this.#index.accounts.get(node) ?? []), ...(isLast ? this.known.heirs.map(([account]) => account) : [])];",
    by: CUT_OFF,
  },
  {
    name: "a pot is settled at once",
    file: "node/pot-clock.ts",
    find: "(pot) => pot.passedMs > this.activeMs(pot, now) ||",
    replace: "(pot) => true ||",
    by: CUT_OFF,
  },
  {
    name: "a pot is settled when the lease is over",
    file: "node/pot-clock.ts",
    find: "(pot) => pot.passedMs > this.activeMs(pot, now) ||",
    replace: "(pot) => pot.passedMs > this.#times.leaseMs ||",
    by: CUT_OFF,
  },
  {
    name: "the arrivals of a pot are used at once",
    file: "node/pot-clock.ts",
    find: "return (runsNowhere ? 0 : leaseMs) + 2 * minuteMs;",
    replace: "return 0 * (runsNowhere ? 0 : leaseMs) * minuteMs - 1;",
    by: law("node/pot-clock"),
  },
  {
    name: "more sessions of a pot are acknowledged than it has slots",
    file: "node/admission/admission.ts",
    find: "if (this.#pot.held(nowMs) >= this.#account.pot(this.#room.totalActiveUsers, minute)) return NOT_MINE;",
    replace: "",
    by: law("node/admission/admission-mesh"),
  },
  {
    name: "a pot's time is forgotten by a restart",
    file: "mesh/core/members.ts",
    find: "this.#pots.restore((restored.get(POTS_KEY) as Pot[] | undefined) ?? [], now);",
    replace: "",
    by: CUT_OFF,
  },
  {
    name: "counts lost again while the room is held hold it no longer",
    file: "node/lost-counts.ts",
    find: "    this.#leftMs.set(id, NOT_BEGUN);\n",
    replace: "    if (isNews) this.#leftMs.set(id, NOT_BEGUN);\n",
    by: law("node/lost-counts"),
  },
  {
    name: "a hold for lost counts ends by the wall clock",
    file: "node/lost-counts.ts",
    find: "tick({ steadyMs }: Instant",
    replace: "tick({ wallMs: steadyMs }: Instant",
    by: law("node/lost-counts"),
  },
  {
    name: "the heir of a node with lost counts uses its slots",
    file: "mesh/core/members.ts",
    find: "this.#app.hasLostCounts() ? ",
    replace: "this.#over !== undefined ? ",
    by: law("node/peer"),
  },
  {
    name: "the heir of a node with lost counts holds its sessions on own slots",
    file: "node/peer.ts",
    find: "areAllInPots ? tables.map(inPot) : tables",
    replace: "tables",
    by: law("node/peer"),
  },
  {
    name: "a node leaves before it knows what others know of its rows",
    file: "mesh/core/members.ts",
    find: " && this.#app.mayHandOver()",
    replace: "",
    by: CORE_MEMBERS,
  },
  {
    name: "a pot's age is not saved while it is held",
    file: "mesh/core/members.ts",
    find: "if (this.#pots.isSaveDue(now)) this.#options.outbox.put(POTS_KEY, this.#pots.at(now));",
    replace: "",
    by: CORE_MEMBERS,
  },
  {
    name: "a pot gets older while its heir is down",
    file: "mesh/core/pots.ts",
    find: "this.#pots.push({ accounts, runsNowhere, sessionMinutes, learntMs: steadyMs - passedMs });",
    replace:
      "this.#pots.push({ accounts, runsNowhere, sessionMinutes, learntMs: passedMs === 0 ? steadyMs : steadyMs - passedMs - 100_000 });",
    by: CORE_MEMBERS,
  },
  {
    name: "a pot's time is that of the wall clock",
    file: "mesh/core/pots.ts",
    find: "  at({ steadyMs }: Instant): Pot[] {\n",
    replace: "  at({ wallMs: steadyMs }: Instant): Pot[] {\n",
    by: CORE_MEMBERS,
  },
  {
    name: "the rows decided with a view are not taken in",
    file: "mesh/core/members.ts",
    find: "this.#app.mergeDecided([...rows, ...view.rows]);",
    replace: "",
    by: MEMBERS,
  },
  {
    name: "a leaver's row is taken over without its table",
    file: "node/peer.ts",
    find: "    this.#handed.takeOver(areAllInPots ? tables.map(inPot) : tables, this.rooms, this.#roomMs);\n",
    replace: "",
    by: HARSH,
  },
  {
    name: "an heir takes over while it has a fence up",
    file: "mesh/core/members.ts",
    find: "const mayTake = this.#over === undefined && !this.#leaver.isLeaving(now) && !this.#fences.stand;",
    replace: "const mayTake = this.#over === undefined && !this.#leaver.isLeaving(now);",
    by: CORE_MEMBERS,
  },
  {
    name: "who is leaving itself takes over from a leaver",
    file: "mesh/core/members.ts",
    find: "const mayTake = this.#over === undefined && !this.#leaver.isLeaving(now) && !this.#fences.stand;",
    replace: "const mayTake = this.#over === undefined && !this.#fences.stand;",
    by: CORE_MEMBERS,
  },
  {
    name: "a removed node keeps its identity",
    file: "node/peer.ts",
    find: 'else if (reason === "removed") over("new-identity", "this node was removed from the mesh");',
    replace: 'else if (reason === "removed") return;',
    by: { ...CUT_OFF, seeds: 4 },
  },
  {
    name: "a late copy of a refused offer is taken",
    file: "mesh/core/handovers.ts",
    find: "return attempt <= (this.#refused.get(from) ?? 0);",
    replace: "return attempt < (this.#refused.get(from) ?? 0);",
    by: CORE_MEMBERS,
  },
  {
    name: "an older refusal that comes late undoes a newer one",
    file: "mesh/core/handovers.ts",
    find: "Math.max(attempt, this.#refused.get(from) ?? 0)",
    replace: "attempt",
    by: CORE_MEMBERS,
  },
  {
    name: "a leaver's pots are not handed over",
    file: "mesh/core/members.ts",
    find: "this.#pots.allOf(accounts, now) : this.#pots.at(now),",
    replace: "this.#pots.allOf(accounts, now) : [],",
    by: MEMBERS,
  },
  {
    name: "who is removed beside a forgotten node counts as one that runs nowhere",
    file: "mesh/core/members.ts",
    find: "accounts: inherited.filter((each) => ended.has(each) === runsNowhere) }))",
    replace: "accounts: runsNowhere === ended.size > 0 ? inherited : [] }))",
    by: CORE_MEMBERS,
  },
  {
    name: "a removed node counts as one that runs nowhere",
    file: "mesh/core/next-view.ts",
    find: "...(removal?.isForgetting === true && { forgotten: removal.removed }),",
    replace: "...(removal !== undefined && { forgotten: removal.removed }),",
    by: CORE_MEMBERS,
  },
  {
    name: "frames are told again after a handler has thrown",
    file: "mesh/frames.ts",
    find: "      this.#keep(rest);\n",
    replace: "",
    by: law("mesh/frames"),
  },
  {
    name: "an order to forget is good for ever",
    file: "mesh/core/forget-order.ts",
    find: "return now.steadyMs - this.#sinceMs >= FORGET_MS_MAX;",
    replace: "return now.steadyMs === this.#sinceMs - FORGET_MS_MAX;",
    by: CORE_MEMBERS,
  },
  {
    name: "an order to forget a node stands though it is back",
    file: "mesh/core/proposer.ts",
    find: "    if (back.length > 0) this.#takeBack(",
    replace: "    if (back.length < 0) this.#takeBack(",
    by: CORE_MEMBERS,
  },
  {
    name: "a member that answers is forgotten",
    file: "mesh/core/members.ts",
    find: "    const heard = nodes.filter((node) => this.#isHeard(node, now));\n",
    replace: "    const heard: NodeId[] = [];\n",
    by: CORE_MEMBERS,
  },
  {
    name: "a member that others hear is forgotten",
    file: "mesh/core/members.ts",
    find: "(isForgetting ? this.#isHeard(node, now) : this.#hasHeard(node, now)));",
    replace: "!isForgetting && this.#hasHeard(node, now));",
    by: CORE_MEMBERS,
  },
  {
    name: "a leaver drops its heir at any new view",
    file: "mesh/core/leaver.ts",
    find: "if (this.isStopped && heir !== undefined && !isMember(heir)) this.#turnAway(now);",
    replace: "if (this.isStopped && heir !== undefined) this.#turnAway(now);",
    by: law("mesh/core/leaver"),
  },
  {
    name: "a leaver is silent between two offers",
    file: "mesh/core/members.ts",
    find: "if (this.#over === undefined && !this.#leaver.isOffering) return this.#hearMember(",
    replace: "if (this.#over === undefined && !this.#leaver.isStopped) return this.#hearMember(",
    by: LEAVING,
  },
  {
    name: "a leaver votes while an heir may do so in its name",
    file: "mesh/core/members.ts",
    find: "if (this.#over === undefined && !this.#leaver.isOffering) return this.#hearMember(",
    replace: "if (this.#over === undefined) return this.#hearMember(",
    by: LEAVING,
  },
  {
    name: "nobody says whether an heir has left to it",
    file: "mesh/core/members.ts",
    find: 'if (leavers.includes(of)) this.#send(from, { kind: "heir-found", leavers }, now);',
    replace: "",
    by: LEAVING,
  },
  {
    name: "a leaver turns to another heir though the first had taken it over",
    file: "mesh/core/leaver.ts",
    find: "    if (leavers.includes(this.#parts.self)) this.#leftTo(holder);\n    else this.#turnAway(now);\n",
    replace: "    this.#turnAway(now);\n",
    by: LEAVING,
  },
  {
    name: "a leaver offers what it has while its fence stands",
    file: "mesh/core/leaver.ts",
    find: "const candidates = this.#parts.mayOffer() ? this.#parts.candidates(now) : [];",
    replace: "const candidates = this.#parts.candidates(now);",
    by: LEAVING,
  },
  {
    name: "a stopped leaver claims nothing of what it writes",
    file: "mesh/core/members.ts",
    find: "    const writes = this.#written;\n",
    replace: "    const writes = this.writes();\n",
    by: LEAVING,
  },
  {
    name: "who gave up leaving takes others over while its process ends",
    file: "mesh/core/leaver.ts",
    find: "return this.#isWanted || this.isStopped || now.steadyMs - this.#resumedMs < LINGER_MS;",
    replace: "return this.#isWanted || this.isStopped;",
    by: law("mesh/core/leaver"),
  },
  {
    name: "whoever missed a view is told of the next as if it knew that one",
    file: "mesh/core/members.ts",
    find: "[node, Math.min(number, this.#book.seenIn(node))] as const",
    replace: "[node, number] as const",
    by: CORE_MEMBERS,
  },
  {
    name: "a second order to leave strands the first",
    file: "mesh/core/leaver.ts",
    find: "    if (this.#told !== undefined) {\n",
    replace: "    if (this.#told === told) {\n",
    by: law("mesh/core/leaver"),
  },
  {
    name: "a pot without arrivals is taken for one without anything",
    file: "mesh/core/ledger.ts",
    find: "      RESOURCES.every((resource) =>\n",
    replace: "      RESOURCES.some((resource) =>\n",
    by: law("node/peer"),
  },

  // Nobody waits for nothing, and in the order of the line.
  {
    name: "new visitors overtake the line at its counter",
    file: "node/admission/admission.ts",
    find: "(!queueAll && this.#line.size < free)",
    replace: "(!queueAll && free > 0)",
    by: RESTARTS,
  },
  {
    name: "who was sent in at one gate is sent in at another",
    file: "node/admission/mesh/desk.ts",
    find: "      this.#sent.set(id, accountOf(waiter.from), nowMs);\n",
    replace: "",
    by: law("node/admission/mesh/desk"),
  },
  {
    name: "slots are never sent for again after a lender died",
    file: "node/admission/mesh/desk.ts",
    find: "      this.#fetching -= 1;\n      const lent = answer as Lent | undefined;",
    replace: "      const lent = answer as Lent | undefined;\n      if (lent !== undefined) this.#fetching -= 1;",
    by: law("node/admission/mesh/desk"),
  },
  {
    name: "slots of others are not sent for",
    file: "node/admission/mesh/desk.ts",
    find: "this.#sendFor(Math.min(admission.waiting, this.#fair(nowMs)), nowMs);",
    replace: "",
    by: law("node/admission/mesh/mesh-room"),
  },

  // Callbacks that throw.
  {
    name: "a callback that throws costs the others the answer",
    file: "mesh/core/tell-all.ts",
    find: "      errors.push(error);\n",
    replace: "      throw error;\n",
    by: law("node/admission/mesh/window"),
  },
  {
    name: "a question that could not be sent counts as under way for ever",
    file: "node/admission/mesh/batches.ts",
    find: "      if (!isSent) answered(undefined, nowMs);\n",
    replace: "",
    by: law("node/admission/mesh/batches"),
  },
  {
    name: "a decision that throws holds up the ticket counter",
    file: "node/admission/mesh/desk.ts",
    find: "      if (!mustWait) this.#held.shift();\n    }\n",
    replace: "    }\n    this.#held.shift();\n",
    by: law("node/admission/mesh/desk"),
  },

  // The origin.
  {
    name: "a session follows a rollout while it is inside",
    file: "node/origin/room-origin.ts",
    find: "    if (own?.health.isUp === true) return own;\n",
    replace: "    if (own?.health.isUp === true) return this.choose(key, nowMs);\n",
    by: law("node/gate/gate-targets"),
  },
  {
    name: "sessions are not sent away from a target that is down",
    file: "node/origin/room-origin.ts",
    find: "    if (own?.health.isUp === true) return own;\n",
    replace: "    if (own !== undefined) return own;\n",
    by: law("node/gate/gate-targets"),
  },
  {
    name: "a session without a target in its cookie goes by the rollout",
    file: "node/origin/room-origin.ts",
    find: "    const other = this.#ofBase(key, nowMs);\n",
    replace: "    const other = own === undefined ? this.choose(key, nowMs) : this.#ofBase(key, nowMs);\n",
    by: law("node/origin/room-origin"),
  },
  {
    name: "weights count for nothing",
    file: "node/origin/room-origin.ts",
    find: " / (target.weight || 1);",
    replace: ";",
    by: law("node/origin/room-origin"),
  },
  {
    name: "the cookie does not follow to the new target",
    file: "node/gate/gate.ts",
    find: "          ...targetOf(live, target),\n",
    replace: "          ...(cookie.target !== undefined && { target: cookie.target }),\n",
    by: law("node/gate/gate-targets"),
  },
  {
    name: "a retry needs no budget",
    file: "node/origin/retry-budget.ts",
    find: "    if (!isInPart && this.#inSecond >= FLOOR_PER_SECOND) return false;\n",
    replace: "",
    by: law("node/gate/gate-targets"),
  },
  {
    name: "requests are sent again for ever",
    file: "node/gate/http/forward.ts",
    find: "    this.#retried = true;\n",
    replace: "",
    by: law("node/gate/gate-targets"),
  },
  {
    name: "a POST is sent again",
    file: "node/gate/http/forward.ts",
    find: "this.#retried || !this.#repeatable() ?",
    replace: "this.#retried ?",
    by: law("node/gate/gate-targets"),
  },
  {
    name: "a slow answer is sent again",
    file: "node/gate/http/forward.ts",
    find: 'this.#fail({ kind: "timeout", detail: `no answer within',
    replace: 'this.#failOrRetry({ kind: "timeout", detail: `no answer within',
    by: law("node/gate/gate-targets"),
  },
  {
    name: "a visitor who leaves is a failure of the origin",
    file: "node/gate/http/exchange.ts",
    find: "      this.#plan?.onAbandoned?.();",
    replace: '      this.#plan?.retry?.({ kind: "unreachable", detail: "" });',
    by: law("node/gate/gate-targets"),
  },
  {
    name: "an encoded slash beside parameters is read in one way",
    file: "node/gate/path-reading.ts",
    find: "  if (hasHiddenSlash && ",
    replace: "  if (hasHiddenSlash && path.length > 1_000 && ",
    by: law("node/gate/path-bypass"),
  },
  {
    name: "dot segments are taken for names",
    file: "node/gate/path-reading.ts",
    find: 'if (DOT_SEGMENT.test(utf8.replace(IGNORED, "")))',
    replace: "if (DOT_SEGMENT.test(path))",
    by: law("node/gate/path-bypass"),
  },
  {
    name: "of two rooms that a path may be in the longer one is taken",
    file: "node/gate/match.ts",
    find: "      if (found !== undefined && found !== value) return CONTESTED;\n",
    replace: "      if (found !== undefined) break;\n",
    by: law("node/gate/path-bypass"),
  },
  {
    name: "blanks after a name are looked for from each of them on",
    file: "node/gate/path-reading.ts",
    find: 'const name = trimmed(text.replace(IGNORED, ""));',
    replace: 'const name = trimmed(text.replace(IGNORED, "").replace(/[.\\s]+$/, ""));',
    by: law("node/gate/match-linear"),
  },
  {
    name: "a connection whose origin answered early is used again",
    file: "node/gate/http/forward.ts",
    find: "!this.#isEarly",
    replace: "!(this.#isEarly && this.#client.limits.headMs === 0)",
    by: law("node/gate/http/upstream"),
  },
  {
    name: "the origin is asked whether a body may come",
    file: "node/gate/http/hop-by-hop.ts",
    find: "      separated.expect = joined(separated.expect, value.toLowerCase());\n      return false;",
    replace: "      separated.expect = joined(separated.expect, value.toLowerCase());\n      return true;",
    by: law("node/gate/http/request-head"),
  },
  {
    name: "a connection is used again after HEAD",
    file: "node/gate/http/response-head.ts",
    find: 'method !== "HEAD" && ',
    replace: "",
    by: law("node/gate/http/upstream"),
  },
  {
    name: "connections that owe a body never make room",
    file: "node/gate/http/connection.ts",
    find: '  discard: "answered",',
    replace: '  discard: "working",',
    by: law("node/gate/http/patience"),
  },
  {
    name: "clients that stand still never make room",
    file: "node/gate/http/connection.ts",
    find: 'this.#isStill(awaited) ? "stalled" : ',
    replace: "",
    by: law("node/gate/http/patience"),
  },
  {
    name: "a head is looked at from its beginning for each byte",
    file: "node/gate/http/head-scan.ts",
    find: "    for (; this.#seen < length; ",
    replace: "    this.restart();\n    for (; this.#seen < length; ",
    by: law("node/gate/http/linear"),
  },
  {
    name: "one connection's requests are all answered before those of others",
    file: "node/gate/http/connection.ts",
    find: "this.#turnsLeft -= 1;",
    replace: "",
    by: law("node/gate/http/serving"),
  },
  {
    name: "a request that comes back from the origin is a new visitor",
    file: "node/gate/gate.ts",
    find: "    if (this.#toOrigin.refusesLoop(exchange)) return;\n",
    replace: "",
    by: law("node/gate/gate-origin"),
  },
  {
    name: "a rollout judges by what was before it",
    file: "node/origin/room-origin.ts",
    find: "    for (const target of this.all) target.forget();\n",
    replace: "",
    by: law("node/origin/room-origin"),
  },
  {
    name: "a rollout is completed a step early",
    file: "node/rollouts.ts",
    find: ">= 100",
    replace: ">= 86",
    by: law("node/rollouts"),
  },
  {
    name: "a rooms file ends a rollout",
    file: "node/rooms.ts",
    find: "      return { live, room: goesOn ? { ...declared, rollout: live.declared.rollout } : declared };",
    replace: "      return { live, room: goesOn ? declared : declared };",
    by: law("node/rollouts"),
  },
  {
    name: "a hard-pressed node turns those in line away first",
    file: "node/gate/gate.ts",
    find: "    return cookie === undefined || level >= LEVELS.bare;",
    replace: "    return cookie !== undefined || level >= LEVELS.bare;",
    by: law("node/gate/gate-pressure"),
  },
  {
    name: "who is turned away is let in as well, by a timer",
    file: "node/gate/first-only.ts",
    find: "    if (this.#isTaken) return;\n",
    replace: "",
    by: law("node/gate/gate-once"),
  },
  {
    name: "frames of other sites take places",
    file: "node/gate/request-kind.ts",
    find: 'isFrame ? site === "same-origin" : !isForeignForm',
    replace: "!isForeignForm",
    by: law("node/gate/browser-requests"),
  },
  {
    name: "a script of another site takes places for JSON",
    file: "node/gate/request-kind.ts",
    find: ' || (asksForJson && site !== "cross-site")',
    replace: " || asksForJson",
    by: law("node/gate/browser-requests"),
  },
  {
    name: "over plain http assets take places",
    file: "node/gate/request-kind.ts",
    find: ' : accepts(accept, "text/html");',
    replace: " : true;",
    by: law("node/gate/browser-requests"),
  },
  {
    name: "a browser that is sent on may end at another host",
    file: "node/gate/marked-target.ts",
    find: "[/\\\\]/.test(target)",
    replace: "[/\\\\]$/.test(target)",
    by: law("node/gate/marked-target"),
  },
  {
    name: "a preflight may carry credentials",
    file: "node/gate/preflight.ts",
    find: ' || isField(name, "authorization")',
    replace: "",
    by: law("node/gate/preflight"),
  },
  {
    name: "preflights have no budget",
    file: "node/gate/gate.ts",
    find: "visit.kind.isPreflight && this.#takePreflight(visit)",
    replace: "visit.kind.isPreflight",
    by: law("node/gate/preflight"),
  },
  {
    name: "a connection is used again whose answer was cut",
    file: "node/gate/http/forward.ts",
    find: " && !this.#relay.isCut",
    replace: "",
    by: law("node/gate/http/forward"),
  },
  {
    name: "the first good cookie counts, not the best",
    file: "node/gate/visitor-cookies.ts",
    find: "best = betterOf(best, opened.cookie);",
    replace: "best ??= opened.cookie;",
    by: law("node/gate/gate-hosts"),
  },
  {
    name: "a cookie is taken back from one host only",
    file: "node/gate/visitor-cookies.ts",
    find: "      secure,\n      domain: live.room.cookieDomain,\n",
    replace: '      secure,\n      domain: "",\n',
    by: law("node/gate/gate-hosts"),
  },
  {
    name: "each poll of a browser without cookies takes a place",
    file: "node/gate/gate.ts",
    find: "cookie === undefined && this.#isCookieless(visit)",
    replace: "cookie === undefined && false",
    by: law("node/gate/gate-cookieless"),
  },
  {
    name: "who found the line full is taken for cookieless",
    file: "node/gate/gate.ts",
    find: 'before === undefined ? ["Set-Cookie", this.#cookies.probe(visit)] : []',
    replace: "[]",
    by: law("node/gate/gate-cookieless"),
  },
  {
    name: "one long pause sheds load",
    file: "node/pressure.ts",
    find: "    const lasting = this.#asked.length < LOOKS_UP ? LEVELS.none : ",
    replace: "    const lasting = ",
    by: law("node/pressure"),
  },
  // How long sessions last.
  {
    name: "a longer session counts at once",
    file: "node/admission/admission.ts",
    find: "Math.min(sessionDuration, this.#sessionMinutesMost?.() ?? sessionDuration)",
    replace: "sessionDuration",
    by: law("sim/changed-rooms"),
  },
  {
    name: "a longer session counts when it is told, not when that is answered",
    file: "mesh/core/members.ts",
    find: "this.#lease.coveredMinutes(voters, this.#voter.unvoted, this.sessions.allowed)",
    replace: "this.sessions.allowed",
    by: law("sim/changed-rooms"),
  },
  {
    name: "earlier sessions are forgotten when they are made shorter",
    file: "mesh/core/longest-session.ts",
    find: "    if (minutes < before) this.#mayLast(before, now);\n",
    replace: "",
    by: law("mesh/core/longest-session"),
  },
  {
    name: "an inherited share is handed on without the length of its sessions",
    file: "mesh/core/pots.ts",
    find: "      ...(sessionMinutes !== undefined && { sessionMinutes }),\n",
    replace: "",
    by: law("node/pot-clock"),
  },
  {
    name: "a fence does not tell how long sessions last",
    file: "mesh/core/members.ts",
    find: "leavers: this.#handovers.leavers, ...this.#longest(now) },",
    replace: "leavers: this.#handovers.leavers },",
    by: CORE_MEMBERS,
  },
  {
    name: "lost counts are held for sessions of now only",
    file: "node/lost-counts.ts",
    find: "Math.max(room.room.sessionDuration, longestEarlier())",
    replace: "room.room.sessionDuration",
    by: law("node/lost-counts"),
  },
  {
    name: "the founder owns nothing when it has given away what all know of",
    file: "mesh/core/ledger.ts",
    find: "    if (accounts.includes(this.founder)) return false;\n",
    replace: "",
    by: law("mesh/core/ledger"),
  },
  // Sessions that the origin ends.
  {
    name: "the slot of a revoked session is free before all gates know",
    file: "node/admission/mesh/revocations.ts",
    find: "        if (untold.size === 0) this.#allKnow(id, revocation, thenMs);",
    replace: "        this.#allKnow(id, revocation, thenMs);",
    by: law("sim/revoked"),
  },
  {
    name: "a gate that was cut off is not told again of a revoked session",
    file: "node/admission/mesh/revocations.ts",
    find: "      else this.#tell(id, revocation, nowMs);",
    replace: "",
    by: law("sim/revoked"),
  },
  {
    name: "a gate asks the home of a revoked session, whatever it has heard",
    file: "node/admission/mesh/mesh-room.ts",
    find: "    if (this.admission.isRevoked(session.id)) {",
    replace: "    if (false) {",
    by: law("sim/revoked"),
  },
  {
    name: "an inherited session that was revoked gets a slot",
    file: "node/admission/admission.ts",
    find: '    if (this.isRevoked(id)) return { kind: "revoked" };\n    const minute = this.minuteAt(nowMs);\n    const extended',
    replace: "    const minute = this.minuteAt(nowMs);\n    const extended",
    by: law("node/admission/admission-mesh"),
  },
  {
    name: "a revoked session is adopted",
    file: "node/admission/admission.ts",
    find: '    if (this.isRevoked(id)) return { kind: "revoked" };\n    const minute = this.minuteAt(nowMs);\n    const held',
    replace: "    const minute = this.minuteAt(nowMs);\n    const held",
    by: law("node/admission/admission-mesh"),
  },
  // Rooms that are deleted and created again.
  {
    name: "a leaver hands on only the rooms at work",
    file: "node/peer-tables.ts",
    find: "return [...loaded, ...[...stored, ...[...this.#waiting.values()].flat()]",
    replace: "return [...loaded, ...[...[...this.#waiting.values()].flat()]",
    by: law("sim/changed-rooms"),
  },
  {
    name: "what waits for its room is not handed on",
    file: "node/peer-tables.ts",
    find: "return [...loaded, ...[...stored, ...[...this.#waiting.values()].flat()]",
    replace: "return [...loaded, ...[...stored]",
    by: law("sim/changed-rooms"),
  },
  // Rooms.
  {
    name: "a room too large for its register is not refused",
    file: "node/room-changes.ts",
    find: "documentSizeProblems(roomDocument(room),",
    replace: "documentSizeProblems({},",
    by: law("node/rooms"),
  },
  {
    name: "every start applies the rooms file",
    file: "node/declared-rooms.ts",
    find: '    if (verdict === "apply") {',
    replace: "    if (digest !== verdict) {",
    by: law("node/declared-rooms"),
  },
  {
    name: "a node goes back to its own file when others have applied a newer one",
    file: "node/applied-files.ts",
    find: "  if (own?.digest === digest) return",
    replace: "  if (own === undefined && files.length < 0) return",
    by: law("node/applied-files"),
  },
  {
    name: "templates are kept for ever",
    file: "node/gate/parsed-templates.ts",
    find: "      if (this.#chars <= this.#charsMax) return;",
    replace: "      return;",
    by: law("node/gate/parsed-templates"),
  },
  {
    name: "a changed document lifts an order",
    file: "node/live-room.ts",
    find: "    const room = inForce(declared, this.#order);",
    replace: "    this.#order = undefined;\n    const room = inForce(declared, this.#order);",
    by: law("node/rooms"),
  },
  {
    name: "orders are lost with the process",
    file: "node/rooms.ts",
    find: "      order: this.#orderOf(stored.id),",
    replace: "      order: undefined,",
    by: law("node/rooms"),
  },
  {
    name: "rooms are stored one by one",
    file: "node/rooms.ts",
    find: "new Map<RegisterKey, Register>() : this.#place.registers.set(values);",
    replace:
      "new Map<RegisterKey, Register>() : new Map([...values].flatMap((value) => [...this.#place.registers.set(new Map([value]))]));",
    by: law("node/rooms"),
  },
  {
    name: "a stored document is taken for JSON",
    file: "node/config/room-document.ts",
    find: "    return parseRoom(JSON.parse(text), path);\n  } catch (error) {",
    replace: "    return parseRoom(JSON.parse(text), path);\n  } catch (error) {\n    throw error;",
    by: law("node/rooms"),
  },
];

function law(name: string): Net {
  return { kind: "law", test: `test/${name}.test.ts` };
}

/** The text of a mutant's file with the change; throws if the place is not there exactly once. */
export function mutated({ name, file, find, replace }: Mutant, text: string): string {
  const parts = text.split(find);
  const [before, after] = parts;
  if (parts.length !== 2 || before === undefined || after === undefined)
    throw new Error(
      `Cannot plant "${name}" as its text must be in ${file} exactly once: current value is ${parts.length - 1} times`,
    );
  return before + replace + after;
}

/** The mutant of a name; undefined without a name. */
export function mutantOf(name: string | undefined): Mutant | undefined {
  if (name === undefined) return undefined;
  const mutant = MUTANTS.find((each) => each.name === name);
  if (mutant === undefined)
    throw new Error(`Cannot plant a mutant as its name must be in mutants.ts: current value is ${name}`);
  return mutant;
}
