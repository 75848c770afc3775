/**
 * Visitors who are looked for by the number on their page, one by one, because they asked an operator for help.
 *
 * No node knows who waits: a line has keys, and the visitor's own id is in the cookie. So nothing is searched. The
 * number is told to all nodes, and the gate at which its visitor asks next says where that visitor is, and may put the
 * visitor at the front of the line or back to an earlier place, or take the place away. That takes until the page asks
 * again, and costs nothing while nobody is looked for.
 */

import type { RoomId } from "../../../mesh/core/ids.ts";
import { GONE_AFTER_INTERVALS } from "../line.ts";
import type { LookAction, Sight } from "./room-messages.ts";
import type { RoomNode } from "./room-node.ts";

/** Visitors who are looked for at once, in one room. */
const LOOKS_MAX = 1_000;

/** How long the result of a look is kept for an operator who asks for it later. */
const KEPT_MS = 60_000;

/** A session is seen at a gate at least once a minute, also where a proxy lets it pass by. */
const MINUTES_MIN = 1.25;

export type Look =
  | { readonly state: "looking"; readonly untilMs: number; readonly isNew: boolean }
  | { readonly state: "found"; readonly sight: Sight }
  /** Nobody has asked with this number. */
  | { readonly state: "not-seen" };

/** What is to be done with a visitor; `placeMs`, in Unix ms, only with `put-back`. */
export interface LookOrder {
  readonly action: LookAction;
  readonly placeMs?: number | undefined;
}

interface Begun {
  readonly order: LookOrder;
  readonly untilMs: number;
  sight?: Sight;
}

/** A visitor whom this gate is to recognise. */
interface Wanted {
  order: LookOrder;
  /** Whether this gate has carried the action out. */
  isDone: boolean;
  readonly untilMs: number;
  readonly onSight: ((sight: Sight) => void)[];
}

export interface HelpDeskParts {
  readonly id: RoomId;
  readonly roomNode: Pick<RoomNode, "others" | "ask" | "minuteMs">;
  readonly refreshMs: () => number;
}

export class HelpDesk {
  readonly #parts: HelpDeskParts;
  /** By number: who is to be recognised here. */
  readonly #wanted = new Map<string, Wanted>();
  /** By number: what this node was asked for, until the answer was fetched. */
  readonly #looks = new Map<string, Begun>();

  /** Whether anybody is looked for: most of the time nobody is. A field, as every request asks. */
  isLooking = false;

  constructor(parts: HelpDeskParts) {
    this.#parts = parts;
  }

  /** Looks for a visitor on all nodes, or says what came of that; the answer is given once. */
  look(number: string, order: LookOrder, nowMs: number): Look {
    const { action, placeMs } = order;
    const known = this.#looks.get(number);
    if (known?.order.action === action && known.order.placeMs === placeMs) {
      const { sight, untilMs } = known;
      if (sight === undefined && untilMs > nowMs) return { state: "looking", untilMs, isNew: false };
      this.#looks.delete(number);
      return sight === undefined ? { state: "not-seen" } : { state: "found", sight };
    }
    if (this.#looks.size >= LOOKS_MAX) this.#looks.delete(this.#looks.keys().next().value ?? "");
    const { id: room, roomNode, refreshMs } = this.#parts;
    const forMs = Math.max(GONE_AFTER_INTERVALS * refreshMs(), MINUTES_MIN * roomNode.minuteMs);
    const begun: Begun = { order, untilMs: nowMs + forMs };
    this.#looks.set(number, begun);
    const found = (sight: Sight): void => {
      begun.sight = sight;
    };
    this.hear({ number, ...order, forMs }, nowMs, found);
    for (const node of roomNode.others) {
      roomNode.ask(
        node,
        { kind: "look", room, number, action, ...(placeMs !== undefined && { placeMs }), forMs },
        forMs,
        (answer) => {
          if (answer !== undefined) found(answer.sight);
        },
      );
    }
    return { state: "looking", untilMs: begun.untilMs, isNew: true };
  }

  /** A visitor is to be recognised at this gate. */
  hear(
    { number, action, placeMs, forMs }: LookOrder & { readonly number: string; readonly forMs: number },
    nowMs: number,
    onSight: (sight: Sight) => void,
  ): void {
    const order = { action, placeMs };
    const wanted = this.#wanted.get(number);
    if (wanted !== undefined) {
      if (wanted.onSight.length < LOOKS_MAX) wanted.onSight.push(onSight);
      if (action !== "find" && !wanted.isDone) wanted.order = order;
    } else if (this.#wanted.size < LOOKS_MAX) {
      this.#wanted.set(number, { order, isDone: false, untilMs: nowMs + forMs, onSight: [onSight] });
      this.isLooking = true;
    }
  }

  /** The moment whose place the visitor with this number is to get, in Unix ms. */
  placeMsFor(number: string): number | undefined {
    return this.#wanted.get(number)?.order.placeMs;
  }

  /** Whether `action` is to be carried out now on the visitor with this number, who asks at this gate: said once. */
  orders(number: string, action: LookAction): boolean {
    const wanted = this.#wanted.get(number);
    if (wanted === undefined || wanted.isDone || wanted.order.action !== action) return false;
    wanted.isDone = true;
    return true;
  }

  /** The visitor with this number was answered at this gate. */
  seen(number: string, sight: Omit<Sight, "isDone">): void {
    const wanted = this.#wanted.get(number);
    if (wanted === undefined) return;
    this.#wanted.delete(number);
    this.isLooking = this.#wanted.size > 0;
    for (const onSight of wanted.onSight) onSight({ ...sight, isDone: wanted.isDone });
  }

  /** Call it twice a second. */
  tick(nowMs: number): void {
    for (const [number, { untilMs }] of this.#looks) if (untilMs + KEPT_MS <= nowMs) this.#looks.delete(number);
    for (const [number, { untilMs }] of this.#wanted) if (untilMs <= nowMs) this.#wanted.delete(number);
    this.isLooking = this.#wanted.size > 0;
  }
}
