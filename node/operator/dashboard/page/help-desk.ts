/**
 * One visitor who asks for help, by the number on the waiting page: where that visitor is in line, and what an operator
 * may do about it. The node knows when the visitor's page asks the next time, so each call is made again until then.
 */

import type { VisitorFound } from "../../api/visitors.ts";
import { type Call, messageOf, roomPath, send } from "./calls.ts";
import { button, make } from "./dom.ts";
import type { Field } from "./fields.ts";
import { openPanel, order, orderForm } from "./panel.ts";
import { numbers, waitText } from "./room-words.ts";
import { dayText } from "./times.ts";

/** Pages near the front of the line ask every 2 s. */
const AGAIN_MS = 500;

const SINCE: Field = { name: "since", title: "Joined at", type: "moment", help: "within the last 24 hours" };
const NUMBER: Field = {
  name: "number",
  title: "Number",
  type: "text",
  help: "as the page shows it, such as 4QK7-X2MD",
};

/** What the buttons ask before. */
const QUESTIONS = {
  admit: "The next free slot is theirs, before all others in line; no limit is exceeded.",
  remove: "Place or session ends. The visitor may join again at the end of the line.",
  block: "Place or session ends, and the visitor gets neither for 24 hours.",
  unblock: "The visitor may join again.",
} as const;

/** What is said once it is done. */
const DONE = {
  find: "",
  admit: " Put at the front, for the next free slot.",
  "put-back": " Put back to that place.",
  remove: "",
  block: "",
  unblock: "",
} as const;

export async function openHelpDesk(room: string): Promise<void> {
  await openPanel(`A visitor of ${room}`, async () => {
    const result = make("div", { role: "status" });
    const find = orderForm<VisitorFound>({
      label: "Find a visitor",
      fields: [NUMBER],
      button: "Find",
      call: ({ values }) => callOf(room, String(values().number), { action: "find" }),
      done: (answer, call) => follow(call, { room, action: "find", result }, answer),
    });
    return [find, result];
  });
}

function callOf(room: string, number: string, body: object): Call {
  return { method: "POST", path: `${roomPath(room)}/visitors/${encodeURIComponent(number)}`, body };
}

interface Desk {
  readonly room: string;
  /** What the call orders. */
  readonly action: keyof typeof DONE;
  readonly result: HTMLElement;
}

/** The call whose answer is awaited: an earlier one is not shown any more. */
let awaited: Call | undefined;

/** Shows what comes of a call with this first answer, as soon as the visitor's page has asked. */
async function follow(call: Call, desk: Desk, answer: VisitorFound): Promise<void> {
  awaited = call;
  const { result } = desk;
  try {
    let found = answer;
    while (found.state === "looking") {
      result.replaceChildren(make("p", {}, `Looking for ${found.visitor}, until the page asks the next time.`));
      await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
      if (awaited !== call || !result.isConnected) return;
      found = await send<VisitorFound>(call);
    }
    result.replaceChildren(make("p", {}, wordsOf(found, desk)), ...ordersFor(found, desk));
  } catch (error) {
    result.replaceChildren(make("p", { class: "problem" }, messageOf(error)));
  }
}

function wordsOf(found: VisitorFound, { action }: Desk): string {
  const { visitor, state, since_ms: since = 0, until_ms: until = 0, position = 0, wait_seconds: wait = null } = found;
  if (isRemoved(found, action)) return `${visitor} was ${state === "inside" ? "inside" : "in line"}, and is removed.`;
  if (state === "blocked") return `${visitor} is blocked since ${dayText(since)}, until ${dayText(until)}.`;
  if (state === "unblocked") return `${visitor} is not blocked any more, and may join again.`;
  if (state === "not-seen") return `Nobody asked as ${visitor}: the page is closed, or shows another number.`;
  if (state === "unproved") return `${visitor} is not in line: the proof of work is still owed.`;
  if (state === "inside") return `${visitor} is inside since ${dayText(since)}, until ${dayText(until)} at least.`;
  const place = position === 0 ? "at a place that is not known" : `at place ${numbers.format(position)}`;
  const kept = action === "put-back" ? " That moment gives no better place." : "";
  const done = found.done === true ? DONE[action] : kept;
  return `${visitor} is in line ${place}, since ${dayText(since)}. Wait: ${waitText(wait)}.${done}`;
}

function isRemoved({ done }: VisitorFound, action: Desk["action"]): boolean {
  return done === true && action === "remove";
}

function ordersFor(found: VisitorFound, desk: Desk): readonly HTMLElement[] {
  const { visitor, state } = found;
  const { room } = desk;
  const ordered = (text: string, action: keyof typeof QUESTIONS) => {
    const call = callOf(room, visitor, { action });
    const done = (answer: VisitorFound) => follow(call, { ...desk, action }, answer);
    return button(text, () => void order(`${text}: ${visitor}? ${QUESTIONS[action]}`, call, done));
  };
  const buttons = (...all: readonly HTMLElement[]) => make("p", { class: "buttons" }, ...all);
  const block = ordered("Block", "block");
  if (state === "blocked") return [buttons(ordered("Unblock", "unblock"))];
  if (state === "unblocked" || state === "not-seen" || isRemoved(found, desk.action)) return [buttons(block)];
  const remove = ordered("Remove", "remove");
  if (state === "inside") return [buttons(remove, block)];
  const putBack = orderForm<VisitorFound>({
    label: "Put the visitor back",
    fields: [SINCE],
    button: "Put back",
    call: ({ values }) => callOf(room, visitor, { action: "put-back", ...values() }),
    done: (answer, call) => follow(call, { ...desk, action: "put-back" }, answer),
  });
  return [buttons(ordered("Admit next", "admit"), remove, block), putBack];
}
