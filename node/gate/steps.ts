/**
 * The steps of a request of a room: what the gate asks for, and how the request ends.
 *
 * `request-step.ts` chooses the steps, and `gate.ts` carries them out.
 */

import type { Minute } from "../../mesh/core/ids.ts";
import type { MeshDecision } from "../admission/mesh/entrance.ts";
import type { ProvedPlace, Verdict } from "../cookie/proof-of-work.ts";
import type { InsideCookie, VisitorCookie, WaitingCookie } from "../cookie/seal.ts";
import type { Client } from "../http/client.ts";
import type { Exchange } from "../http/message.ts";
import type { Target } from "../origin/target.ts";
import type { LiveRoom } from "../rooms/live-room.ts";
import type { BadCookieCount, Outcome, PassResult } from "../rooms/room-counts.ts";
import type { Lookups } from "../rules/lookups.ts";
import type { RuleAction } from "../rules/rules.ts";
import type { CrawlerStanding } from "./crawler-proofs.ts";
import type { GateError } from "./error-page.ts";
import type { PassSeen } from "./passes.ts";
import type { PressureLevel } from "./pressure.ts";
import type { RequestKind } from "./request-kind.ts";

/** What `request-step.ts` knows of a request of a room: all that was known when it came. */
export interface Visit {
  readonly exchange: Pick<Exchange, "request" | "question">;
  readonly live: LiveRoom;
  readonly client: Client;
  readonly kind: RequestKind;
  /**
   * Whether its sender is a crawler, found out once; asked only where the room, or a rule of it, treats crawlers otherwise than
   * visitors.
   */
  readonly crawler: () => CrawlerStanding;
  /** What an operator's files say of senders; asked only by rules. */
  readonly lookups: () => Lookups;
  /** What a rule of the room says about it; undefined if none applies. */
  readonly ruling?: RuleAction | undefined;
  readonly nowMs: number;
  readonly minuteMs: number;
  /** The pressure on this node. */
  readonly pressure: PressureLevel;
  /** An id for a new visitor. */
  readonly newId: () => string;
}

/** A session that was admitted, and the target of its requests. */
export interface LetInSession {
  readonly target: Target | undefined;
  /** What its newest cookie says. */
  readonly cookie: InsideCookie;
  /** Its last good minute, as far as its slot is surely held: an extension counts once it is on disk (`checkedIn`). */
  readonly lastGood: Minute;
}

/** A visitor who has neither session nor place yet. */
export type NewVisitor = Pick<WaitingCookie, "id" | "pass" | "work" | "hasContact">;

type NotAdmitted = Exclude<MeshDecision, { kind: "admitted" | "used" }>;

/** Asks the room (slots and line), the disk, or the seal. */
export type Question =
  /** A cookie that opened is not accepted after all: its visitor is a new one. `ended`: by an operator, now. */
  | { readonly kind: "start over"; readonly badCookie: BadCookieCount; readonly ended?: InsideCookie }
  /** `before`: a place that is kept if the lane of the pass gives no better one. */
  | { readonly kind: "arrive"; readonly visitor: NewVisitor; readonly before?: WaitingCookie }
  /** `isFirst`: the visitor was outside the line until now. */
  | { readonly kind: "poll"; readonly cookie: WaitingCookie; readonly isFirst?: boolean }
  | {
      readonly kind: "check proof";
      readonly cookie: WaitingCookie;
      readonly place: ProvedPlace;
      readonly proof: string;
    }
  | { readonly kind: "check in"; readonly cookie: InsideCookie; readonly end: LetIn }
  /** `isNew`: the visitor has not received the session yet. */
  | { readonly kind: "commit"; readonly cookie: InsideCookie; readonly end: LetIn; readonly isNew: boolean }
  | { readonly kind: "seal"; readonly cookie: VisitorCookie; readonly end: LetIn | Wait | TurnAway };

/** When a session was checked in, in Unix ms, and its last good minute. */
export interface CheckedIn {
  readonly atMs: number;
  readonly lastGood: Minute;
}

export interface LetIn {
  readonly kind: "let in";
  readonly outcome: "admitted" | "inside";
  readonly session: LetInSession;
  /** For a cookie that is new or extended. */
  readonly setCookie?: string;
  /** The check-in or admission of this minute, once the visitor has it or gets it: for a token of the fast lane. */
  readonly checkedIn?: CheckedIn;
  /** Until when, in Unix ms, the visitor is to enter the site: the page asks for that. */
  readonly enterUntilMs?: number;
}

export interface Wait {
  readonly kind: "wait";
  readonly outcome: Outcome;
  /** `unproved`: not in line before the proof of work. */
  readonly decision: NotAdmitted | { readonly kind: "cookieless" } | { readonly kind: "unproved" };
  /** The visitor's id; only of those who have a place. */
  readonly id?: string;
  /** Whether the visitor has left an address. */
  readonly hasContact?: boolean;
  /** The answer has a challenge for this place. */
  readonly owed?: ProvedPlace | undefined;
  /** Why the proof that came is not accepted. */
  readonly refused?: Refused | undefined;
  readonly setCookie?: string;
  /**
   * Whether the answer tests if the browser keeps cookies: one that never had any would look like one that keeps none.
   */
  readonly probes?: boolean;
}

export interface TurnAway {
  readonly kind: "turn away";
  readonly outcome: Outcome;
  readonly error: GateError;
  /** The admission that is withdrawn, because the visitor never received it. */
  readonly withdrawn?: string;
  /** Why the pass that was shown is refused. */
  readonly pass?: PassResult;
  /** The place or session that ends, as an operator has blocked its visitor. */
  readonly ended?: VisitorCookie;
  readonly setCookie?: string;
  /** When the same request may get a better answer; undefined for the room's refresh interval. */
  readonly retryAfterSeconds?: number;
}

export type Refused = Exclude<Verdict, "solved">;

/** How a request ends. */
export type End =
  | LetIn
  | Wait
  | TurnAway
  /** Lets it through without a session. */
  | {
      readonly kind: "pass through";
      readonly outcome: Outcome;
      readonly isPreflight?: boolean;
      readonly isStaff?: true;
    }
  /** Asks whether the place is to be given up. */
  | { readonly kind: "ask to leave"; readonly outcome: "asked" }
  /** Shows the languages that the page may have. */
  | { readonly kind: "ask language"; readonly outcome: "asked" }
  /**
   * The place that the page has shown is gone, as its cookie is: only a person's step makes another one. `taken`: an
   * operator takes it away now.
   */
  | { readonly kind: "gone"; readonly outcome: "left"; readonly taken?: WaitingCookie }
  /** Gives up a place in line; undefined if there is none. */
  | { readonly kind: "leave"; readonly outcome: "left"; readonly place: WaitingCookie | undefined }
  /** Keeps an address at which the visitor is told of the turn; `place` is undefined without a place in line. */
  | { readonly kind: "keep contact"; readonly outcome: "asked"; readonly place: WaitingCookie | undefined }
  /** A proxy asks about a visitor who is not known to be inside: it sends the request here. */
  | { readonly kind: "not inside"; readonly outcome: "asked" }
  /** Says that the place is given up, and makes no other one. */
  | { readonly kind: "farewell"; readonly outcome: "left" }
  /** The cheapest answer there is: a place in line is kept, as it is in the cookie. */
  | { readonly kind: "shed"; readonly outcome: "shed" }
  /**
   * Makes the browser ask once more by GET, for which it sends the cookie: its visitor may have a session or a place in
   * line.
   */
  | { readonly kind: "send back"; readonly outcome: "sent_back" }
  /** The same without losing the form: a page of ours sends it again. */
  | { readonly kind: "send again"; readonly outcome: "sent_back" }
  /** Our page has sent the form again, and its visitor is still not recognised. */
  | { readonly kind: "lose form"; readonly outcome: "sent_back" }
  /** Asks the person who opened a link with an invitation to use it. */
  | { readonly kind: "invite"; readonly outcome: "sent_back" }
  /** The person does: the browser comes back with the pass in its cookie, which then counts. */
  | { readonly kind: "use invitation"; readonly outcome: "sent_back" }
  /** The visitor goes on without the pass that the gate keeps. `dropsPlace`: nor with the place that it gave. */
  | { readonly kind: "drop pass"; readonly outcome: "sent_back"; readonly dropsPlace: boolean };

export type Step = Question | End;

/** What the gate knows of it besides, on its way through the steps. */
export interface Request extends Visit {
  readonly exchange: Exchange;
  ruling?: RuleAction | undefined;
  /** The last one. */
  step?: Step;
  /** Whether it continued without its check-in: a later request of the minute gets the cookie. */
  isOverdue: boolean;
  /** When its head was there, in ms that never go back. */
  readonly startedMs: number;
  /** When its visitor joined the line, in Unix ms; undefined for one who is not in line. */
  joinedMs?: number;
  /** The pass that it shows, as far as that matters. */
  seen: PassSeen;
  /** The Set-Cookie value that keeps this pass, or gives up the one that is kept. */
  passCookie?: string | undefined;
}
