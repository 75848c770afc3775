/**
 * What `anteroom top` shows and what its keys do: a pure step from state and keys to state and effect.
 *
 * An order needs two keystrokes, its own and `y`, and these never come from one piece of input: what is pasted by
 * mistake orders nothing.
 */

import type { NodeStatus } from "../../node/operator/status/status.ts";

export type Order = "hold" | "open" | "resume";

export interface TopState {
  /** The last one heard; undefined before the first. */
  readonly status: NodeStatus | undefined;
  /** Why there is none now. */
  readonly trouble: string | undefined;
  /** The name of the chosen room; the first room while it is not there. */
  readonly chosen: string | undefined;
  /** The order that waits for a yes. */
  readonly question: { readonly order: Order; readonly room: string } | undefined;
  /** What became of the last order. */
  readonly said: string;
}

export interface Pressed {
  readonly state: TopState;
  readonly effect?: "quit" | { readonly order: Order; readonly room: string };
}

export const START: TopState = {
  status: undefined,
  trouble: undefined,
  chosen: undefined,
  question: undefined,
  said: "",
};

const ORDERS: Readonly<Record<string, Order>> = { h: "hold", o: "open", r: "resume" };
const STEPS: Readonly<Record<string, number>> = { "\x1b[A": -1, "\x1bOA": -1, k: -1, "\x1b[B": 1, "\x1bOB": 1, j: 1 };
const CTRL_C = "\x03";

/** An escape sequence of an arrow, or one character. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: keys are control characters.
const KEY = /\x1b[[O][A-Z]|[\s\S]/gu;

/** The state after the keys of one piece of input. */
export function pressed(state: TopState, input: string): Pressed {
  let now = state;
  for (const [key] of input.matchAll(KEY)) {
    if (key === CTRL_C) return { state: now, effect: "quit" };
    const { question } = now;
    if (question !== undefined) {
      now = { ...now, question: undefined };
      return key === "y" || key === "Y"
        ? { state: now, effect: question }
        : { state: { ...now, said: "Nothing changed." } };
    }
    if (key === "q") return { state: now, effect: "quit" };
    const [order, step] = [ORDERS[key], STEPS[key]];
    const room = chosenRoom(now);
    if (step !== undefined) now = moved(now, step);
    else if (order !== undefined && room !== undefined) {
      return { state: { ...now, said: "", question: { order, room } } };
    }
  }
  return { state: now };
}

/** The name of the room that a key is about; undefined where there are no rooms. */
export function chosenRoom({ status, chosen }: TopState): string | undefined {
  const names = status?.rooms.map(({ name }) => name) ?? [];
  return chosen !== undefined && names.includes(chosen) ? chosen : names[0];
}

function moved(state: TopState, step: number): TopState {
  const names = state.status?.rooms.map(({ name }) => name) ?? [];
  const at = names.indexOf(chosenRoom(state) ?? "");
  const chosen = names[Math.min(names.length - 1, Math.max(0, at + step))];
  return { ...state, chosen, said: "" };
}
