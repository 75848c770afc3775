/** Elements of the page: made, found and changed. A text is never read as HTML. */

type Handler = (event: Event) => void;
export type Attributes = Readonly<Record<string, string | number | boolean | undefined | Handler>>;
export type Children = readonly (Node | string)[];

/** An element with attributes and children; an attribute that begins with `on` is a handler. */
export function make<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Attributes = {},
  ...children: Children
): HTMLElementTagNameMap[Name] {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(key.slice("on".length), value);
    else if (value !== undefined && value !== false) element.setAttribute(key, value === true ? "" : String(value));
  }
  element.append(...children);
  return element;
}

/** An element of the page's HTML. */
export function byId(id: string): HTMLElement;
export function byId<Kind extends HTMLElement>(id: string, kind: new () => Kind): Kind;
export function byId(id: string, kind: new () => HTMLElement = HTMLElement): HTMLElement {
  const element = document.getElementById(id);
  if (element instanceof kind) return element;
  throw new Error(`Cannot find element ${id}`);
}

/** Changes a text only where it differs, so that a selection and a screen reader are not disturbed. */
export function say(element: HTMLElement, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}

/** Changes the children only where they differ. */
export function setList(element: HTMLElement, items: readonly HTMLElement[]): void {
  const key = JSON.stringify(items.map((item) => item.outerHTML));
  if (element.dataset.key === key) return;
  element.dataset.key = key;
  element.replaceChildren(...items);
}

/** `label` is what a screen reader says, where several buttons have one text. */
export function button(text: string, act: () => void, label = text): HTMLButtonElement {
  return make("button", { type: "button", onclick: act, "aria-label": label === text ? undefined : label }, text);
}

/** A text that opens on request. */
export function folded(summary: string, ...children: Children): HTMLDetailsElement {
  return make("details", {}, make("summary", {}, summary), ...children);
}
