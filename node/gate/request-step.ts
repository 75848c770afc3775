/**
 * What the gate does with a request of a room, step by step: pure, as all that happens comes in as an argument.
 *
 * A step either asks for something, and one of the functions below gives the next step from what came of it; or it ends
 * the request. `gate.ts` carries the steps out.
 *
 *     endUnasked, afterCookie ─┬─► arrive, poll ─► afterDecision ─┬─► commit ─► afterCommit ─► seal ─► afterSeal
 *                              ├─► check in ─► afterCheckIn ──────┘
 *                              └─► check proof ─► afterProof ─► poll
 *
 * An admission and an extension are on disk before a cookie carries them. Bad input never throws: a cookie that does
 * not count makes a new visitor.
 */

import { minuteOf, minutePlus, startOfMinuteMs } from "../../mesh/core/minute.ts";
import type { PreflightBudget } from "../admission/address-limit.ts";
import { isToSay } from "../admission/draw/draw-close.ts";
import { KEPT_SECONDS_MAX, keepsPromise } from "../admission/kept-place.ts";
import type { CheckInOutcome } from "../admission/mesh/check-ins.ts";
import type { MeshDecision, Waits } from "../admission/mesh/entrance.ts";
import { KEYS_PER_MS, NO_DRAWS } from "../admission/queue-order.ts";
import { keepsLine } from "../admission/room-config.ts";
import { cookieValues, keepsCookies } from "../cookie/cookie-header.ts";
import type { Verdict } from "../cookie/proof-of-work.ts";
import type { InsideCookie, PassUse, VisitorCookie, WaitingCookie } from "../cookie/seal.ts";
import { addressGroup, addressPrefix } from "../http/client.ts";
import type { RequestHead } from "../http/message.ts";
import type { Target } from "../origin/target.ts";
import type { LiveRoom } from "../rooms/live-room.ts";
import type { Outcome } from "../rooms/room-counts.ts";
import type { RuleAction } from "../rules/rules.ts";
import { GATE_ERRORS, type GateError } from "./error-page.ts";
import { cleanTarget } from "./marked-target.ts";
import {
  holdsUnproved,
  isDrawClosed,
  keyOutsideLine,
  noteAskedAgain,
  noteJoined,
  owedFor,
  workOf,
} from "./owed-proof.ts";
import { NO_PASS, PASS_ERRORS, type PassSeen } from "./passes.ts";
import { LEVELS } from "./pressure.ts";
import type { End, LetIn, NewVisitor, Question, Step, TurnAway, Visit, Wait } from "./steps.ts";
import { supportId } from "./support-id.ts";

/**
 * An operator puts a visitor at the front by a key that is a day earlier: nearly all who wait have joined since then,
 * and no two visitors have one key.
 */
const FRONT_KEYS = 86_400_000 * KEYS_PER_MS;

type Admitted = Extract<MeshDecision, { kind: "admitted" }>;

/** What the rules of the room say about a request; a room that is suspended has none. */
export function rulingOf({ live, client, crawler, lookups, exchange }: Visit): RuleAction | undefined {
  if (live.room.suspended) return undefined;
  const provenCrawler = (): string | undefined => {
    const standing = crawler();
    return standing.kind === "proven" ? standing.name : undefined;
  };
  return live.ruling({ request: withoutMarks(exchange.request), client, crawler: provenCrawler, lookups });
}

/** How a request ends that needs no cookie; undefined for all others. */
export function endUnasked(visit: Visit): End | undefined {
  const { live, ruling } = visit;
  if (live.room.suspended) return { kind: "pass through", outcome: "passed" };
  if (ruling === "bypass_waiting_room") return { kind: "pass through", outcome: "bypassed" };
  if (ruling === "block") return turnedAway(GATE_ERRORS.blocked, "blocked");
  return crawlerEnd(visit, ruling !== undefined);
}

/** As the origin sees it: a rule about the query must treat a visitor and the polls of its page alike. */
function withoutMarks(request: RequestHead): RequestHead {
  const target = cleanTarget(request.target);
  return target === request.target ? request : { ...request, target };
}

/** What happens to a crawler; undefined if it is treated like a visitor. `isQueued`: by a rule of the room. */
function crawlerEnd({ live, crawler }: Visit, isQueued: boolean): End | undefined {
  const { crawlers } = live.room;
  if (crawlers === "wait") return undefined;
  const standing = crawler();
  if (standing.kind === "proven") return isQueued ? undefined : { kind: "pass through", outcome: "crawler" };
  if (standing.kind === "visitor" || crawlers !== "refuse") return undefined;
  const { retryAfterSeconds } = standing;
  return { ...turnedAway(GATE_ERRORS.crawlerUnproven, "crawler_refused"), retryAfterSeconds };
}

/** `cookie` is the visitor's; undefined if none is accepted. `seen` is the pass that the request shows. */
export function afterCookie(visit: Visit, cookie: VisitorCookie | undefined, seen: PassSeen = NO_PASS): Step {
  if (cookie?.kind === "inside") return insideStep(visit, cookie);
  if (visit.exchange.question !== undefined) return { kind: "not inside", outcome: "asked" };
  if (visit.kind.asksLanguage) return { kind: "ask language", outcome: "asked" };
  if (visit.kind.leaves && visit.kind.asksToLeave && cookie !== undefined)
    return { kind: "ask to leave", outcome: "asked" };
  if (visit.kind.leaves) return { kind: "leave", outcome: "left", place: cookie };
  if (visit.kind.leavesContact) return { kind: "keep contact", outcome: "asked", place: provedPlace(visit, cookie) };
  if (visit.kind.hasLeft && cookie === undefined) return { kind: "farewell", outcome: "left" };
  if (seen.kind === "given-up")
    return { kind: "drop pass", outcome: "sent_back", dropsPlace: cookie?.pass !== undefined };
  if (seen.kind === "good" && seen.pass.isStaff) return { kind: "pass through", outcome: "bypassed", isStaff: true };
  const refused = passRefusal(visit, cookie, seen);
  if (refused !== undefined) return refused;
  if (isShed(visit, cookie)) return { kind: "shed", outcome: "shed" };
  if (!visit.kind.takesPlace) return withoutPlace(visit);
  const pass = seen.kind === "good" ? seen.use : undefined;
  if (seen.kind === "good" && seen.by === "query") {
    if (visit.kind.usesInvitation && seen.isKept) return { kind: "use invitation", outcome: "sent_back" };
    // Scanners and previews open links as well: that alone must not use it up.
    const isUnused = pass?.name !== undefined && !seen.isKept && cookie === undefined;
    if (isUnused && visit.kind.usesInvitation) return COOKIELESS;
    const isOpened = visit.exchange.request.method === "GET" && !visit.kind.wantsJson && !visit.kind.asksAgain;
    if (isUnused && isOpened) return { kind: "invite", outcome: "sent_back" };
  }
  if (cookie !== undefined && pass?.lane !== undefined && pass.lane !== cookie.pass?.lane && hasLane(visit, pass.lane))
    return mayTakeNewPlace(visit)
      ? { kind: "arrive", visitor: { id: cookie.id, work: 0, pass }, before: cookie }
      : withPlace(visit, cookie);
  if (cookie !== undefined) return withPlace(visit, withPass(cookie, pass));
  if (visit.kind.hadPlace && visit.kind.asksAgain && !showsPlace(visit)) return { kind: "gone", outcome: "left" };
  if (isCookieless(visit)) return COOKIELESS;
  return arrival(visit, pass);
}

/** A place in line; undefined for a visitor who owes a proof for it. */
function provedPlace({ live }: Visit, cookie: WaitingCookie | undefined): WaitingCookie | undefined {
  return cookie === undefined || owedFor(cookie, live) !== undefined ? undefined : cookie;
}

/** Whether the browser has any cookie of the room, also one that is no longer good. */
function showsPlace({ exchange: { request }, live }: Visit): boolean {
  return cookieValues(request.headers, live.cookieName).length > 0;
}

const COOKIELESS: Wait = { kind: "wait", outcome: "cookieless", decision: { kind: "cookieless" }, probes: true };

/**
 * Whether a visitor of the lane may stand in front of others: not where places are drawn. A second place would be one
 * for nobody.
 */
function hasLane({ live: { room, meshRoom } }: Visit, lane: number): boolean {
  return (room.lanes[lane] ?? 0) > 0 && meshRoom.order.isLike(NO_DRAWS);
}

/** Another visitor uses the pass: this one gets neither slot nor place by it. */
export function passInUse(): TurnAway {
  return { ...turnedAway(GATE_ERRORS.passInUse, "pass_refused"), pass: "in-use" };
}

/** `asked` is the new visitor, or the place that was shown. */
export function afterDecision(visit: Visit, asked: NewVisitor | WaitingCookie, decision: MeshDecision): Step {
  const before = "kind" in asked ? asked : undefined;
  if (decision.kind === "used")
    return before === undefined ? turnedAway(GATE_ERRORS.busy) : { kind: "start over", badCookie: "used" };
  if (decision.kind === "admitted") {
    if (before === undefined ? (asked.work ?? 0) > 0 : owedFor(before, visit.live) !== undefined)
      visit.live.counts.proofs.unsolved += 1;
    return admitted(visit, asked, decision);
  }
  if (decision.kind === "waiting") {
    const { key } = decision.place;
    return waits(visit, asked, { key, decision: before === undefined ? decision : notBack(visit, before, decision) });
  }
  if (before === undefined) return { kind: "wait", outcome: decision.kind, decision, probes: true };
  // The room may open again: until then the place is kept, as in a line.
  return waits(visit, before, { key: before.key, decision });
}

/** A place that was told once does not go back, whatever another gate knows: unless the order of the line changed. */
function notBack({ live }: Visit, { id, key, told }: WaitingCookie, decision: Waits): Waits {
  if (told === undefined || told[0] !== live.meshRoom.placeOf(id, key)) return decision;
  const { position } = decision;
  return { ...decision, position: position === 0 ? told[1] : Math.min(position, told[1]) };
}

/**
 * What the cookie says about the place, besides its key. A node alone remembers in its line what it told; nor is
 * anything kept of places that are being drawn, or not counted yet.
 */
function standing(
  { live, nowMs }: Visit,
  asked: NewVisitor | WaitingCookie,
  decision: Wait["decision"],
): Pick<WaitingCookie, "line" | "told"> {
  const { id } = asked;
  if (decision.kind !== "waiting") {
    const { line, told } = "kind" in asked ? asked : {};
    return { ...(line !== undefined && { line }), ...(told && { told }) };
  }
  const { line, position, place } = decision;
  const { meshRoom, roomNode } = live;
  const isKept = position > 0 && roomNode.others.length > 0 && !meshRoom.order.isDrawing(place.key, nowMs);
  return { line, ...(isKept && { told: [meshRoom.placeOf(id, place.key), position] }) };
}

function isAsBefore({ line, told }: WaitingCookie, now: Pick<WaitingCookie, "line" | "told">): boolean {
  return line === now.line && told?.[0] === now.told?.[0] && told?.[1] === now.told?.[1];
}

/** A new visitor is outside the line until the proof comes. */
function outsideLine(visit: Visit, visitor: NewVisitor): Step {
  const { live, nowMs } = visit;
  if (live.meshRoom.waitingHere >= live.room.queueMax)
    return { kind: "wait", outcome: "full", decision: { kind: "full" }, probes: true };
  return waits(visit, visitor, { key: keyOutsideLine(visitor.id, nowMs), decision: { kind: "unproved" } });
}

export function afterProof(
  visit: Visit,
  { cookie, place }: Extract<Question, { kind: "check proof" }>,
  verdict: Verdict,
): Step {
  const { live } = visit;
  live.counts.proofs[verdict === "solved" ? "solved" : "failed"] += 1;
  if (verdict !== "solved") return unproved(visit, cookie, { owed: place, refused: verdict });
  const { work: _, ...proved } = cookie;
  const key = isDrawClosed(cookie, live, visit.nowMs) ? keyOutsideLine(cookie.id, visit.nowMs) : cookie.key;
  // Due for renewal: the new cookie says that nothing is owed.
  return { kind: "poll", cookie: { ...proved, key, lastCheckInTime: 0 }, isFirst: holdsUnproved(live) };
}

export function afterCheckIn(
  visit: Visit,
  { cookie, end }: Extract<Question, { kind: "check in" }>,
  outcome: CheckInOutcome,
): Step {
  if (outcome.kind === "unchanged") return end;
  if (outcome.kind === "unsure") return turnedAway(GATE_ERRORS.busy);
  // No node holds a slot for this session, or its origin ended it.
  if (outcome.kind === "revoked") return { kind: "start over", badCookie: "revoked" };
  const { home, lastGood } = outcome;
  // Requests at the same time share one answer, and an earlier one may have shown an older cookie of the session.
  if (lastGood < cookie.lastGood) return end;
  const { target: _, ...kept } = cookie;
  const { target } = end.session;
  const renewed = { ...kept, home, lastCheckInTime: visit.nowMs, lastGood, ...targetOf(visit.live, target) };
  return {
    kind: "commit",
    cookie: renewed,
    end: { ...end, session: { ...end.session, cookie: renewed } },
    isNew: false,
  };
}

/** What happens to a request whose check-in takes too long: it continues. Undefined if it no longer waits for that. */
export function afterDeadline(step: Step | undefined): LetIn | undefined {
  const isRenewed = step?.kind === "check in" || step?.kind === "commit" || step?.kind === "seal";
  return isRenewed && step.end.outcome === "inside" && step.end.kind === "let in" ? step.end : undefined;
}

export function afterCommit({ cookie, end, isNew }: Extract<Question, { kind: "commit" }>, isOnDisk: boolean): Step {
  if (isOnDisk) return { kind: "seal", cookie, end };
  // The session continues with its earlier cookie.
  if (end.outcome === "inside") return end;
  return { ...turnedAway(GATE_ERRORS.busy), ...(isNew && { withdrawn: cookie.id }) };
}

/**
 * A visitor whom an operator has blocked gets the cookie of before once more: a browser that drops it, or keys that
 * retire, would make a new visitor.
 */
export function refuseBlocked(cookie: VisitorCookie): Step {
  return { kind: "seal", cookie, end: { ...turnedAway(GATE_ERRORS.blocked, "blocked"), ended: cookie } };
}

/** `setCookie` is undefined if the cookie could not be sealed. */
export function afterSeal({ end, cookie }: Extract<Question, { kind: "seal" }>, setCookie: string | undefined): Step {
  if (end.kind === "turn away") return setCookie === undefined ? end : { ...end, setCookie };
  if (setCookie !== undefined) return { ...end, setCookie, ...(cookie.kind === "inside" && checkedInBy(cookie)) };
  return end.outcome === "inside" ? end : turnedAway(GATE_ERRORS.busy);
}

function insideStep(visit: Visit, cookie: InsideCookie): Step {
  const { live, kind, nowMs, minuteMs } = visit;
  const { helpDesk } = live.meshRoom;
  // A connector would go on to let the visitor in.
  if (helpDesk.isLooking && live.room.queueIt === undefined && helpDesk.orders(supportId(cookie.id), "remove"))
    return { kind: "start over", badCookie: "revoked", ended: cookie };
  const target = live.origin.keep(cookie.id, cookie.target, nowMs);
  const end: LetIn = { kind: "let in", outcome: "inside", session: { target, cookie, lastGood: cookie.lastGood } };
  // A page that asks in the background must not enter for its visitor.
  if (isTrial(cookie) && kind.isPagePoll) return { ...end, enterUntilMs: enterUntilMs(visit, cookie) };
  // Nor must its icon or logo, which the browser loads with it.
  if (isTrial(cookie) && kind.isEmblem) return end;
  const minute = live.admission.minuteAt(nowMs);
  // A home whose clock is a little behind may still have been in the minute before, and answered by that.
  const endsUnasked = cookie.lastGood <= minute && !live.room.disableSessionRenewal;
  const isRenewed = minuteOf(cookie.lastCheckInTime, minuteMs) >= minute;
  if (isRenewed && !endsUnasked) return { ...end, ...checkedInBy(cookie) };
  // Not in parallel with the request to the origin: a fast one would win each time, and an active visitor's session
  // would end.
  return { kind: "check in", cookie, end };
}

/**
 * Why a request is refused for its pass, or for want of one. A bad one that the gate itself keeps matters only where a
 * pass is needed: its bearer may have forgotten it.
 */
function passRefusal({ live, kind }: Visit, cookie: WaitingCookie | undefined, seen: PassSeen): TurnAway | undefined {
  const { inviteOnly } = live.room;
  const isNeeded = inviteOnly && kind.takesPlace && cookie?.pass === undefined;
  if (seen.kind === "bad" && (isNeeded || seen.by !== "cookie")) {
    const refused = { ...turnedAway(PASS_ERRORS[seen.reason], "pass_refused"), pass: seen.reason };
    const comesLater = seen.reason === "early";
    return comesLater
      ? { ...refused, retryAfterSeconds: seen.againSeconds ?? live.room.refreshIntervalSeconds }
      : refused;
  }
  return isNeeded && seen.kind !== "good" ? turnedAway(GATE_ERRORS.inviteOnly, "uninvited") : undefined;
}

/**
 * What happens to a visitor with a place who has asked for one by a lane: the one that is further to the front counts,
 * and the other one lapses.
 */
export function afterLane(before: WaitingCookie, pass: PassUse | undefined, decision: MeshDecision): Step | undefined {
  // Without a proof of work there is no place before.
  if (before.work !== undefined || decision.kind === "admitted") return undefined;
  if (decision.kind === "waiting" && decision.place.key < before.key) return undefined;
  return { kind: "poll", cookie: withPass(before, pass) };
}

/** A place that was taken without a pass, or with another one, is kept by the pass that is shown now. */
function withPass(cookie: WaitingCookie, pass: PassUse | undefined): WaitingCookie {
  if (pass === undefined || isSamePass(cookie.pass, pass)) return cookie;
  // As if it were written long ago: it is written again.
  return { ...cookie, pass, lastCheckInTime: 0 };
}

function isSamePass(one: PassUse | undefined, { name, lane }: PassUse): boolean {
  return one !== undefined && one.name === name && one.lane === lane;
}

/** A request that takes neither slot nor place: an asset, a HEAD, a frame of another site. */
function withoutPlace({ live, client, kind, nowMs }: Visit): Step {
  const { room, preflights, emblems, admission, meshRoom } = live;
  const isWithin = (budget: PreflightBudget): boolean =>
    budget.take(addressGroup(client.address), admission.minuteAt(nowMs), room.totalActiveUsers);
  const isPreflight = kind.isPreflight && isWithin(preflights);
  if (isPreflight || (!room.inviteOnly && meshRoom.isOpen(nowMs)))
    return { kind: "pass through", outcome: "passed", isPreflight };
  if (kind.isEmblem && isWithin(emblems)) return { kind: "pass through", outcome: "passed" };
  if (!kind.isForeignForm) return turnedAway(GATE_ERRORS.busy);
  // A connector lets visitors in by GET in any case.
  if (room.queueIt !== undefined) return { kind: "send back", outcome: "sent_back" };
  return { kind: kind.isResent ? "lose form" : "send again", outcome: "sent_back" };
}

/** Whether the client's address and network may take one more place in this minute. */
function mayTakeNewPlace({ live, client: { address }, nowMs }: Visit): boolean {
  const { addressLimit, prefixLimit, admission, room } = live;
  const { newPlacesPerAddressPerMinute: ofAddress, newPlacesPerPrefixPerMinute: ofPrefix } = room;
  const minute = admission.minuteAt(nowMs);
  // Most rooms limit neither: then it does not matter whose the address is.
  return (
    (ofAddress === 0 || addressLimit.take(addressGroup(address), minute, ofAddress)) &&
    (ofPrefix === 0 || prefixLimit.take(addressPrefix(address), minute, ofPrefix))
  );
}

function arrival(visit: Visit, pass: PassUse | undefined): Step {
  if (!mayTakeNewPlace(visit)) return turnedAway(GATE_ERRORS.addressLimited, "address_limited");
  const { live } = visit;
  // A pass is proof enough.
  const work = pass === undefined && live.asksProof ? workOf(visit) : 0;
  const visitor = { id: visit.newId(), work, ...(pass && { pass }) };
  return work > 0 && holdsUnproved(live) ? outsideLine(visit, visitor) : { kind: "arrive", visitor };
}

function admitted(visit: Visit, { id, pass }: NewVisitor, { home, lastGood, isKnown }: Admitted): Step {
  const { live, nowMs } = visit;
  const target = live.origin.choose(id, nowMs);
  const isToEnter = asksToEnter(visit);
  // A session that was there before may be a short one still: the next request checks in, and makes it a whole one.
  const enteredMs = isKnown === true ? nowMs - visit.minuteMs : nowMs;
  const cookie: InsideCookie = {
    kind: "inside",
    room: live.id,
    id,
    home,
    bucketId: bucketOf(visit),
    lastCheckInTime: isToEnter ? nowMs - visit.minuteMs : enteredMs,
    acceptedAt: isToEnter ? nowMs : enteredMs,
    lastGood,
    ...targetOf(live, target),
    ...(pass && { pass }),
  };
  return {
    kind: "commit",
    cookie,
    end: {
      kind: "let in",
      outcome: "admitted",
      session: { target, cookie, lastGood },
      ...(isToEnter && { enterUntilMs: enterUntilMs(visit, cookie) }),
    },
    isNew: isKnown !== true,
  };
}

/**
 * Whether the visitor is to enter by a step of the page's own: a waiting page has asked by itself, and nobody may be
 * looking at it.
 */
export function asksToEnter({ live, kind }: Visit): boolean {
  const { enterWithinSeconds, disableSessionRenewal } = live.room;
  // An event may forbid what the room allows: then the session could not be extended when it is entered.
  return enterWithinSeconds > 0 && !disableSessionRenewal && (kind.isPagePoll || kind.asksAgain);
}

/**
 * When the turn of a visitor ends who has not entered. Never after the slot is given up: an event may have shorter
 * sessions than the room, and so may a node whose members do not know the room's longer ones yet.
 */
function enterUntilMs({ live, minuteMs }: Visit, { acceptedAt, lastGood }: InsideCookie): number {
  const sessionEndMs = startOfMinuteMs(minutePlus(lastGood, 1), minuteMs);
  return Math.min(acceptedAt + live.room.enterWithinSeconds * 1_000, sessionEndMs);
}

/** The check-in that a cookie carries; none of a session that has not been entered. */
function checkedInBy(cookie: InsideCookie): Pick<LetIn, "checkedIn"> {
  return isTrial(cookie) ? {} : { checkedIn: { atMs: cookie.lastCheckInTime, lastGood: cookie.lastGood } };
}

/**
 * Whether a session has not been entered: its cookie is from before its admission, so that its first request checks in.
 */
function isTrial({ lastCheckInTime, acceptedAt }: InsideCookie): boolean {
  return lastCheckInTime < acceptedAt;
}

/** Refuses without a place in line; nothing reaches the origin. */
function turnedAway(error: GateError, outcome: Outcome = "turned_away"): TurnAway {
  return { kind: "turn away", outcome, error };
}

/**
 * Whether this node is under too much pressure for visitors without a session: first for new visitors, last for those
 * in line.
 */
function isShed({ pressure }: Visit, cookie: VisitorCookie | undefined): boolean {
  if (pressure < LEVELS.closed) return false;
  return cookie === undefined || pressure >= LEVELS.bare;
}

/**
 * Whether the poll comes from a waiting page whose browser keeps no cookies: each of its polls would take another slot
 * or place.
 */
function isCookieless({ live, kind, exchange }: Visit): boolean {
  return keepsLine(live.room) && kind.asksAgain && !keepsCookies(exchange.request.headers, live.cookieName);
}

/** A request that shows a place in line. */
function withPlace(visit: Visit, cookie: WaitingCookie): Step {
  const { live, nowMs } = visit;
  const { helpDesk } = live.meshRoom;
  if (helpDesk.isLooking && helpDesk.orders(supportId(cookie.id), "remove"))
    return { kind: "gone", outcome: "left", taken: cookie };
  const given = helpDesk.isLooking ? placeGiven(visit, cookie) : undefined;
  if (given !== undefined) {
    live.meshRoom.giveUp(cookie, nowMs);
    // An address goes with the place at which it was left.
    const { work: _, hasContact: __, ...proved } = cookie;
    // Due for renewal: the new cookie has the new place.
    return { kind: "poll", cookie: { ...proved, ...given, lastCheckInTime: 0 } };
  }
  if (visit.live.room.proofOfWorkMode !== "off") noteAskedAgain(visit, cookie);
  const owed = owedFor(cookie, visit.live);
  if (owed === undefined) return { kind: "poll", cookie };
  const { proof } = visit.kind;
  if (proof !== undefined) return { kind: "check proof", cookie, place: owed, proof };
  return unproved(visit, cookie, { owed });
}

/** The place that an operator gives to a visitor; undefined for none, and for one that is no better. */
function placeGiven(
  { live, minuteMs }: Visit,
  { id, key, bucketId }: WaitingCookie,
): Pick<WaitingCookie, "key" | "bucketId"> | undefined {
  const { helpDesk, order } = live.meshRoom;
  const number = supportId(id);
  // Where places are drawn, an earlier key would be another ticket.
  if (!order.isLike(NO_DRAWS)) return undefined;
  if (helpDesk.orders(number, "admit")) return { key: key - FRONT_KEYS, bucketId };
  const placeMs = helpDesk.placeMsFor(number);
  if (placeMs === undefined) return undefined;
  const earlier = keyOutsideLine(id, placeMs);
  if (earlier >= key || !helpDesk.orders(number, "put-back")) return undefined;
  return { key: earlier, bucketId: bucketOf({ nowMs: placeMs, minuteMs }) };
}

/** The proof has not come yet. */
function unproved(visit: Visit, cookie: WaitingCookie, about: Pick<Wait, "owed" | "refused">): Step {
  if (!holdsUnproved(visit.live)) return { kind: "poll", cookie };
  return waits(visit, cookie, { key: cookie.key, decision: { kind: "unproved" }, ...about });
}

/** A visitor with a queue key waits; the cookie is new, or renewed if that is due. */
function waits(
  visit: Visit,
  asked: NewVisitor | WaitingCookie,
  { key, decision, refused }: Pick<Wait, "decision" | "refused"> & { readonly key: number },
): Step {
  const { live, nowMs } = visit;
  const { id, pass, work = 0, hasContact } = asked;
  const before = "kind" in asked ? asked : undefined;
  if (before === undefined && live.room.proofOfWorkMode !== "off") noteJoined(visit, work);
  const outcome = decision.kind !== "waiting" ? decision.kind : before === undefined ? "joined" : "polled";
  const owed = work > 0 ? owedFor({ room: live.id, id, key, work }, live) : undefined;
  const end: Wait = { kind: "wait", outcome, decision, id, owed, refused, ...(hasContact && { hasContact }) };
  const waitSeconds = hasContact ? KEPT_SECONDS_MAX : keptWaitSeconds(visit, decision);
  const by = { room: live.room, minuteMs: visit.minuteMs, nowMs };
  const stands = standing(visit, asked, decision);
  const isSaid = before !== undefined && isAsBefore(before, stands) && !isToSay(before, live.room, nowMs);
  if (isSaid && keepsPromise(before, waitSeconds, by)) return end;
  const cookie: WaitingCookie = {
    kind: "waiting",
    room: live.id,
    id,
    key,
    ...stands,
    bucketId: before?.bucketId ?? bucketOf(visit),
    lastCheckInTime: nowMs,
    ...(waitSeconds > 0 && { waitSeconds }),
    ...(pass && { pass }),
    ...(hasContact && { hasContact }),
    ...(work > 0 && { work }),
  };
  return { kind: "seal", cookie, end };
}

/** The wait for which the visitor's place is kept: as long as it may take, and 0 where that is unknown. */
function keptWaitSeconds({ live, nowMs }: Visit, decision: Wait["decision"]): number {
  if (decision.kind !== "waiting") return 0;
  const { event } = live.room;
  const toStartMs = event?.phase === "prequeue" ? event.startMs - nowMs : 0;
  return Math.max(decision.place.wait?.latestSeconds ?? 0, Math.ceil(toStartMs / 1_000));
}

/** The present minute cohort, as the source writes it: the start of its minute (WR-4). */
function bucketOf({ nowMs, minuteMs }: Pick<Visit, "nowMs" | "minuteMs">): number {
  return startOfMinuteMs(minuteOf(nowMs, minuteMs), minuteMs);
}

/** What a cookie says about its session's target: nothing where the room has only one. */
function targetOf({ origin }: LiveRoom, target: Target | undefined): Pick<InsideCookie, "target"> {
  return target !== undefined && origin.isSeveral ? { target: target.id } : {};
}
