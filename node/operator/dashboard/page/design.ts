/** The waiting page of a room: the fields of its brand, beside the page as visitors would see it. */

import type { ApiRoom } from "../../../rooms/api-room.ts";
import { answerOf, type Call, messageOf, read, roomPath } from "./calls.ts";
import { make, say } from "./dom.ts";
import { fieldsOf } from "./fields.ts";
import { asCurl, closePanel, type Form, openPanel, orderForm } from "./panel.ts";

/** Pixels of a phone and of a screen. */
const WIDTHS: Readonly<Record<string, number>> = { Phone: 375, Desktop: 1280 };

/** Pixels; the page scrolls. */
const HEIGHT = 760;

/** Typing is over for so long before the page is drawn again. */
const STILL_MS = 300;

export async function openDesign(name: string): Promise<void> {
  await openPanel(`Page of ${name}`, async () => {
    const path = roomPath(name);
    const { room } = await read<{ readonly room: ApiRoom }>(path);
    const preview = new Preview(room, await languages());
    const form = orderForm({
      label: `Brand of ${name}`,
      fields: await fieldsOf("NewRoom", "page"),
      values: room.page ?? {},
      button: "Save",
      call: ({ changed }) => ({ method: "PATCH", path, body: { page: changed() } }),
      done: closePanel,
      watch: (now) => preview.drawSoon(now),
    });
    return [make("div", { class: "design" }, form, preview.element)];
  });
}

/** Those that the page speaks. */
async function languages(): Promise<readonly string[]> {
  const type = (await fieldsOf("PagePreview")).find(({ name }) => name === "language")?.type;
  return typeof type === "object" && "choices" in type ? type.choices : [];
}

/**
 * The page in a frame that runs no script, with a policy of its own: the page's styles and images are not those of the
 * dashboard.
 */
class Preview {
  readonly element: HTMLElement;
  readonly #frame = make("iframe", { src: "/dashboard/frame", title: "Preview", sandbox: "allow-same-origin" });
  readonly #stage = make("div", { class: "stage" }, this.#frame);
  readonly #problem = make("p", { class: "problem", role: "status" });
  readonly #language: HTMLSelectElement;
  readonly #width: HTMLSelectElement;
  readonly #template: string;
  #form: Form | undefined;
  #asked = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(room: ApiRoom, languages: readonly string[]) {
    this.#template = room.custom_page_html ?? "";
    this.#language = choiceOf("preview-language", languages);
    this.#language.value = room.default_template_language ?? "";
    this.#width = choiceOf("preview-width", Object.keys(WIDTHS));
    for (const choice of [this.#language, this.#width]) choice.onchange = () => void this.#draw();
    this.#frame.onload = () => void this.#draw();
    const of = (title: string, choice: HTMLSelectElement) => make("label", { for: choice.id }, title, choice);
    const choices = make("p", { class: "buttons" }, of("Language", this.#language), of("Width", this.#width));
    this.element = make(
      "div",
      {},
      choices,
      this.#problem,
      this.#stage,
      asCurl(() => this.#call()),
    );
  }

  /** Draws the page as the form says, once nobody types. */
  drawSoon(form: Form): void {
    this.#form = form;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#draw(), STILL_MS);
  }

  #call(): Call {
    const page = this.#form?.values() ?? {};
    const body = { custom_page_html: this.#template, page, language: this.#language.value };
    return { method: "POST", path: "/v1/preview", body };
  }

  /** An answer that comes after a later question is not shown. */
  async #draw(): Promise<void> {
    this.#fit();
    this.#asked += 1;
    const asked = this.#asked;
    try {
      const html = await (await answerOf(this.#call())).text();
      if (asked !== this.#asked) return;
      this.#show(html);
      say(this.#problem, "");
    } catch (error) {
      if (asked === this.#asked) say(this.#problem, messageOf(error));
    }
  }

  /** The frame's own parser has its policy. The notes for browsers without scripts are not what most see. */
  #show(html: string): void {
    const { contentDocument: inside, contentWindow: window } = this.#frame;
    if (inside === null || window === null) return;
    const parsed = new (window as Window & typeof globalThis).DOMParser().parseFromString(html, "text/html");
    for (const element of parsed.querySelectorAll("noscript, script")) element.remove();
    inside.documentElement.replaceWith(inside.adoptNode(parsed.documentElement));
  }

  /** As wide as a phone or a screen, and drawn smaller where there is less room. */
  #fit(): void {
    const width = WIDTHS[this.#width.value] ?? 0;
    const scale = Math.min(1, this.#stage.clientWidth / width);
    this.#frame.style.width = `${width}px`;
    this.#frame.style.height = `${HEIGHT}px`;
    this.#frame.style.transform = `scale(${scale})`;
    this.#stage.style.height = `${HEIGHT * scale}px`;
  }
}

function choiceOf(id: string, all: readonly string[]): HTMLSelectElement {
  return make("select", { id }, ...all.map((each) => make("option", { value: each }, each)));
}
