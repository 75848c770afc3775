/**
 * The rules of a room as a list that is changed: each has its fields, moves up and down, and goes. Nothing applies
 * before all are saved together, and nothing is saved over rules that somebody else has changed in the meantime.
 */

import type { ApiRoom } from "../../../rooms/api-room.ts";
import { answerOf, type Call, type Problem, Refused, roomPath } from "./calls.ts";
import { button, make, say } from "./dom.ts";
import { chosen, type Field, type Values } from "./fields.ts";
import { asCurl, type Form, formOf, isSame } from "./panel.ts";

export interface Rule {
  readonly description: string;
  readonly action: string;
  readonly expression: string;
  readonly enabled: boolean;
}

/** A room as the node has it. */
interface Saved {
  readonly room: ApiRoom;
  readonly etag: string | undefined;
}

const ORDER = ["description", "action", "expression", "enabled"];

interface Item {
  readonly form: Form;
  readonly details: HTMLDetailsElement;
}

export async function savedRoom(name: string): Promise<Saved> {
  return savedIn(await answerOf({ method: "GET", path: roomPath(name) }));
}

async function savedIn(answer: Response): Promise<Saved> {
  const { room }: { readonly room: ApiRoom } = await answer.json();
  return { room, etag: answer.headers.get("ETag") ?? undefined };
}

export function rulesOf({ rules = [] }: ApiRoom): readonly Rule[] {
  return rules.map(({ description = "", action = "", expression, enabled = true }) => {
    return { description, action, expression, enabled };
  });
}

export function actionText({ action, enabled }: Rule): string {
  return enabled ? action.replaceAll("_", " ") : "off";
}

export class RuleList {
  readonly element: HTMLElement;
  readonly #name: string;
  readonly #fields: readonly Field[];
  readonly #list = make("ol", { class: "rules" });
  readonly #said = make("p", { role: "status" });
  readonly #add = button("Add a rule", () => this.#append());
  readonly #bar: Form;
  #items: readonly Item[];
  #saved: Saved;

  /** `fields`: those of a rule. */
  constructor(name: string, saved: Saved, fields: readonly Field[]) {
    this.#name = name;
    this.#fields = chosen(fields, ORDER);
    this.#saved = saved;
    const curl = asCurl(() => this.#call());
    this.#bar = formOf({
      label: `Save the rules of ${name}`,
      fields: [],
      below: () => [
        this.#said,
        make("p", { class: "buttons" }, this.#add, make("button", { type: "submit" }, "Save")),
        curl,
      ],
    });
    this.#bar.element.onsubmit = (event) => {
      event.preventDefault();
      void this.#bar.attempt(() => this.#save());
    };
    this.#items = rulesOf(saved.room).map((rule) => this.#itemOf(rule));
    this.element = make("section", { "aria-label": `Rules of ${name}` }, this.#list, this.#bar.element);
    this.#list.addEventListener("input", () => this.#changed());
    this.#draw();
  }

  /** The room as the node has it. */
  get room(): ApiRoom {
    return this.#saved.room;
  }

  #itemOf(rule?: Rule): Item {
    const form = formOf({ label: "Rule", fields: this.#fields, values: { ...rule } });
    form.element.onsubmit = (event) => {
      event.preventDefault();
      this.#bar.element.requestSubmit();
    };
    return { form, details: make("details", { open: rule === undefined }, make("summary"), form.element) };
  }

  #draw(): void {
    const rows = this.#items.map(({ form, details }, at) => {
      form.element.setAttribute("aria-label", `Rule ${at + 1}`);
      const named = (text: string, act: () => void, isOff = false): HTMLButtonElement => {
        const made = button(text, act, `${text}: rule ${at + 1}`);
        made.disabled = isOff;
        return made;
      };
      const up = named("Up", () => this.#move(at, at - 1, "Up"), at === 0);
      const down = named("Down", () => this.#move(at, at + 1, "Down"), at === this.#items.length - 1);
      const remove = named("Delete", () => this.#remove(at));
      return make("li", { class: "rule" }, details, make("p", { class: "buttons" }, up, down, remove));
    });
    const none = make("li", { class: "words" }, "This room has no rule: each request is one of a visitor.");
    this.#list.replaceChildren(...(rows.length === 0 ? [none] : rows));
    this.#describe();
  }

  #describe(): void {
    for (const [at, rule] of this.#rules().entries()) {
      const words = [`Rule ${at + 1}`, rule.description, actionText(rule)].filter(Boolean).join(" · ");
      this.#items[at]?.details.querySelector("summary")?.replaceChildren(words, make("code", {}, rule.expression));
    }
  }

  #changed(what = ""): void {
    this.#describe();
    this.#bar.element.querySelector("details")?.dispatchEvent(new Event("toggle"));
    say(this.#said, isSame(this.#rules(), rulesOf(this.room)) ? "" : `${what} Not saved yet.`.trim());
  }

  #append(): void {
    const added = this.#itemOf();
    this.#items = [...this.#items, added];
    this.#draw();
    this.#changed(`Rule ${this.#items.length} is new.`);
    added.form.element.querySelector<HTMLElement>("input, textarea")?.focus();
  }

  #remove(at: number): void {
    this.#items = this.#items.toSpliced(at, 1);
    this.#draw();
    this.#changed(`Rule ${at + 1} is gone.`);
    this.#add.focus();
  }

  /** The focus moves with the rule, to the button that is left at either end. */
  #move(from: number, to: number, by: string): void {
    const [moved] = this.#items.slice(from, from + 1);
    if (moved === undefined) return;
    this.#items = this.#items.toSpliced(from, 1).toSpliced(to, 0, moved);
    this.#draw();
    this.#changed(`Rule ${from + 1} is rule ${to + 1} now.`);
    const buttons = [...(this.#list.children[to]?.querySelectorAll("button") ?? [])].filter((each) => !each.disabled);
    (buttons.find(({ textContent }) => textContent === by) ?? buttons[0])?.focus();
  }

  #rules(): readonly Rule[] {
    return this.#items.map(({ form }) => form.values() as Values & Rule);
  }

  #call(rules = this.#rules()): Call {
    return {
      method: "PATCH",
      path: roomPath(this.#name),
      body: { rules },
      ifMatch: this.#saved.etag,
    };
  }

  /** What is changed while the call is under way is not part of it. */
  async #save(): Promise<void> {
    const [items, rules] = [this.#items, this.#rules()];
    for (const { form } of this.#items) form.complain("");
    say(this.#said, "");
    try {
      this.#saved = await savedIn(await this.#sent(rules));
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      const others = error.problems.filter((problem) => !isShown(problem, items));
      if (error.problems.length === 0 || others.length > 0) throw error;
      throw new Error("Not saved: a rule has a problem.");
    }
    say(this.#said, isSame(this.#rules(), rules) ? "Saved." : "Saved. Later changes are not saved yet.");
  }

  /** Another change of the room is no obstacle, if it left the rules as they were. */
  async #sent(rules: readonly Rule[]): Promise<Response> {
    try {
      return await answerOf(this.#call(rules));
    } catch (error) {
      if (!(error instanceof Refused) || error.code !== "changed") throw error;
      const now = await savedRoom(this.#name);
      if (!isSame(rulesOf(now.room), rulesOf(this.room)))
        throw new Error("Not saved: somebody else changed the rules while you were editing. Open them again.");
      this.#saved = now;
      return answerOf(this.#call(rules));
    }
  }
}

/** Says a problem at its rule; false if it is none of a rule. */
function isShown({ path, problem, repair }: Problem, items: readonly Item[]): boolean {
  const [, at = "", field = ""] = /^rules\[(\d+)\]\.?(.*)$/.exec(path) ?? [];
  const item = at === "" ? undefined : items[Number(at)];
  if (item === undefined) return false;
  item.details.open = true;
  item.form.complain(`${field} ${problem}: ${repair}`);
  return true;
}
