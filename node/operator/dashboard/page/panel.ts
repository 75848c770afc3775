/**
 * What all views of the desk share: the one dialog in which they open, its forms, its tables, and orders that are asked
 * about first. Each call can be seen as curl before it is made.
 */

import { type Call, curlOf, messageOf, send } from "./calls.ts";
import { byId, type Children, folded, make, say } from "./dom.ts";
import { type Entry, entryOf, type Field, type Values } from "./fields.ts";

const dialog = byId("panel", HTMLDialogElement);
const content = byId("panel-content");
byId("panel-close").onclick = () => dialog.close();

/** Draws the view again, as things are now. */
export type Redraw = () => Promise<void>;

let opened = 0;

/** Opens the dialog with what `draw` gives; a later view takes its place, also before that. */
export async function openPanel(title: string, draw: (redraw: Redraw) => Promise<Children>): Promise<void> {
  opened += 1;
  const view = opened;
  const redraw = async (): Promise<void> => {
    const drawn = await draw(redraw).catch(problemOf);
    if (view !== opened) return;
    say(byId("panel-title"), title);
    content.replaceChildren(...drawn);
  };
  await redraw();
  if (view !== opened) return;
  if (!dialog.open) return dialog.showModal();
  // From one view to the next: read from its top.
  byId("panel-title").focus();
  dialog.scrollTop = 0;
}

export function closePanel(): void {
  dialog.close();
}

/** A view of what went wrong. */
export function problemOf(error: unknown): readonly HTMLElement[] {
  return [problem(messageOf(error))];
}

function problem(text = ""): HTMLParagraphElement {
  return make("p", { class: "problem", role: "alert" }, text);
}

/** A call for a terminal, on request. `call` is asked when it is opened. */
export function asCurl(call: () => Call): HTMLDetailsElement {
  const text = make("pre", { tabindex: "0" });
  const details = folded("As curl", text);
  details.addEventListener("toggle", () => {
    try {
      say(text, curlOf(call()));
    } catch (error) {
      say(text, messageOf(error));
    }
  });
  return details;
}

/** Asks first, with the call as curl; then makes it. `done` gets the answer. */
export async function order<Answer>(
  question: string,
  call: Call,
  done: (answer: Answer) => unknown = () => {},
): Promise<void> {
  if (!confirm(`${question}\n\nAs curl: ${curlOf(call)}`)) return;
  try {
    await done(await send<Answer>(call));
  } catch (error) {
    alert(messageOf(error));
  }
}

export interface Form {
  readonly element: HTMLFormElement;
  /** What the inputs say, without fields that say nothing. */
  readonly values: () => Values;
  /** The same, without what nobody has changed. */
  readonly changed: () => Values;
  readonly entries: readonly Entry[];
  /** Does something, and says why it went wrong. */
  readonly attempt: (act: () => unknown) => Promise<void>;
  /** Says what is wrong; nothing for an empty text. */
  readonly complain: (text: string) => void;
}

export interface FormPlan {
  /** What it is for. */
  readonly label: string;
  readonly fields: readonly Field[];
  /** Rarely needed. */
  readonly more?: readonly Field[];
  readonly values?: Values;
  /** Below the fields. */
  readonly below?: (form: Form) => Children;
}

/** Inputs for fields, and a place for problems. */
export function formOf({ label, fields, more = [], values = {}, below = () => [] }: FormPlan): Form {
  const entries = [...fields, ...more].map((field) => entryOf(field, values[field.name] ?? field.byDefault));
  const elements = (of: readonly Entry[]) => of.flatMap((entry) => entry.elements);
  const wrong = problem();
  const rest = entries.slice(fields.length);
  const element = make(
    "form",
    { "aria-label": label, novalidate: true },
    ...elements(entries.slice(0, fields.length)),
    ...(rest.length === 0 ? [] : [folded("More fields", ...elements(rest))]),
  );
  const said = (): [string, unknown][] => entries.flatMap((entry) => saidBy(entry));
  const first = Object.fromEntries(said());
  const form: Form = {
    element,
    entries,
    values: () => Object.fromEntries(said()),
    changed: () => Object.fromEntries(said().filter(([name, value]) => !isSame(value, first[name]))),
    attempt: async (act) => {
      say(wrong, "");
      try {
        await act();
      } catch (error) {
        say(wrong, messageOf(error));
      }
    },
    complain: (text) => say(wrong, text),
  };
  element.append(wrong, ...below(form));
  return form;
}

export function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

function saidBy({ field, read }: Entry): [string, unknown][] {
  const value = read();
  return value === undefined ? [] : [[field.name, value]];
}

export interface OrderPlan<Answer> extends Omit<FormPlan, "below"> {
  readonly button: string;
  readonly call: (form: Form) => Call;
  readonly done: (answer: Answer, call: Call) => unknown;
  /** Sees the form at first, and at each input. */
  readonly watch?: (form: Form) => void;
}

/** A form that makes one call. */
export function orderForm<Answer>(plan: OrderPlan<Answer>): HTMLFormElement {
  const form = formOf({
    ...plan,
    below: (form) => {
      const { element, attempt } = form;
      element.onsubmit = (event) => {
        event.preventDefault();
        void attempt(async () => {
          const call = plan.call(form);
          await plan.done(await send<Answer>(call), call);
        });
      };
      const curl = asCurl(() => plan.call(form));
      element.addEventListener("input", () => {
        curl.dispatchEvent(new Event("toggle"));
        plan.watch?.(form);
      });
      plan.watch?.(form);
      return [make("p", { class: "buttons" }, make("button", { type: "submit" }, plan.button)), curl];
    },
  });
  return form.element;
}

export interface Column<Row> {
  readonly title: string;
  readonly of: (row: Row) => string | Node;
  readonly isNumber?: boolean;
}

export interface TablePlan<Row> {
  /** What it lists. */
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  /** In place of an empty table. */
  readonly none: string;
  /** Of a row; without any there is no column for them. */
  readonly buttons?: (row: Row) => readonly HTMLElement[];
}

/** A table; its first column names the row. */
export function tableOf<Row>({ label, columns, rows, none, buttons }: TablePlan<Row>): HTMLElement {
  if (rows.length === 0) return make("p", { class: "words" }, none);
  const isNumber = ({ isNumber = false }: Column<Row>) => (isNumber ? "number" : undefined);
  const heads = columns.map((column) => make("th", { scope: "col", class: isNumber(column) }, column.title));
  const cells = (row: Row) =>
    columns.map((column, at) =>
      at === 0 ? make("th", { scope: "row" }, column.of(row)) : make("td", { class: isNumber(column) }, column.of(row)),
    );
  const orders = (row: Row) =>
    buttons === undefined ? [] : [make("td", {}, make("span", { class: "buttons" }, ...buttons(row)))];
  const head = buttons === undefined ? heads : [...heads, make("td")];
  const lines = rows.map((row) => make("tr", {}, ...cells(row), ...orders(row)));
  const table = make("table", {}, make("thead", {}, make("tr", {}, ...head)), make("tbody", {}, ...lines));
  return make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": label }, table);
}
