/** Bugs planted in `node/admission/`: a room at one node: the line, sessions, lanes and waits. */

import { DOORS, DOORS_VERDICT, HARSH, law, type Mutant, RESTARTS, SITE_CUT, TESTIMONY } from "../mutant.ts";

export const ADMISSION_MUTANTS: readonly Mutant[] = [
  // Removed nodes that return.
  {
    name: "a testimony's table is not held",
    file: "node/admission/room-sessions.ts",
    find: "    this.#sessions.absorb(held);\n",
    replace: "",
    by: TESTIMONY,
  },
  // Doors of rooms: passes, lanes, proofs, slots that wait for their visitors, receipts.
  {
    name: "a session that is not entered lasts as long as any other",
    file: "node/admission/room-sessions.ts",
    find: "const lastGood = trialSeconds > 0 ?",
    replace: 'const lastGood = trialSeconds > 0 && id === "" ?',
    by: DOORS,
  },
  {
    name: "a lane gets no place in front of others",
    file: "node/admission/line.ts",
    find: "this.#lanes?.placeFor(lane, ",
    replace: "this.#lanes?.placeFor(0 * lane, ",
    by: DOORS_VERDICT,
  },
  // Sites.
  {
    name: "a site does not count the sessions of its members",
    file: "node/admission/room-sessions.ts",
    find: "this.#sessions.held(nowMs) + ofMembers(this.#config, (member) => member.inside(nowMs));",
    replace: "this.#sessions.held(nowMs) + 0 * ofMembers(this.#config, (member) => member.inside(nowMs));",
    by: SITE_CUT,
  },
  {
    name: "a site does not count the new visitors of its members",
    file: "node/admission/admission.ts",
    find: "return own + ofMembers(this.#config, (member) => member.admittedInMinute(nowMs));",
    replace: "return own + 0 * ofMembers(this.#config, (member) => member.admittedInMinute(nowMs));",
    by: SITE_CUT,
  },
  // The disk.
  {
    name: "admissions of the minute are forgotten by a restart",
    file: "node/admission/room-minute.ts",
    find: "this.#admitted = restored?.admittedInMinute ?? 0;",
    replace: "this.#admitted = 0;",
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
    name: "after a restart more sessions are acknowledged than slots were held",
    file: "node/admission/sessions.ts",
    find: "      if (slots > 1) this.#unknown.set(lastGood, slots - 1);\n      else this.#unknown.delete(lastGood);\n",
    replace: "",
    by: HARSH,
  },
  // Sessions.
  {
    name: "a session is adopted without a slot",
    file: "node/admission/room-sessions.ts",
    find: 'checkIn.kind === "not-mine" && isFree',
    replace: 'checkIn.kind === "not-mine"',
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
  // Time.
  {
    name: "the minute goes back with the clock",
    file: "node/admission/room-minute.ts",
    find: "    if (minute > this.#minute) {",
    replace: "    if (minute !== this.#minute) {",
    by: law("law/room-never-over"),
  },
  {
    name: "the minute goes back with a restart",
    file: "node/admission/room-minute.ts",
    find: "this.#minute = restored?.minute ?? (0 as Minute);",
    replace: "this.#minute = 0 as Minute;",
    by: HARSH,
  },
  // Nobody waits for nothing, and in the order of the line.
  {
    name: "new visitors overtake the line at its counter",
    file: "node/admission/admission.ts",
    find: "(!queueAll && this.#line.size < free)",
    replace: "(!queueAll && free > 0)",
    by: law("law/line-order"),
  },
  // How long sessions last.
  {
    name: "a longer session counts at once",
    file: "node/admission/room-sessions.ts",
    find: "Math.min(sessionDuration, this.#sessionMinutesMost?.() ?? sessionDuration)",
    replace: "sessionDuration",
    by: law("simulator/changed-rooms"),
  },
  // The order of a line.
  {
    name: "a line stays in its order when the method changes",
    file: "node/admission/admission.ts",
    find: "    this.#line.follow(orderIn(this.#config));",
    replace: "",
    by: law("law/line-order"),
  },
  // Events.
  {
    name: "programs that join a whole mesh and never ask again keep a slot each",
    file: "node/admission/line.ts",
    find: "return this.#turnout.freshShare === 1 ? visitors",
    replace: "return this.#turnout.freshShare <= 1 ? visitors",
    by: { kind: "seeds", scenario: "silent-joins", seeds: 1 },
  },
];
