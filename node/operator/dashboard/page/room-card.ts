/** The card of a room: made once, changed in place. */

import type uPlot from "uplot";
import type { NodeStatus, RoomStatus } from "../../status/status.ts";
import { may, roomPath } from "./calls.ts";
import { openDesign } from "./design.ts";
import { button, folded, make, say, setList } from "./dom.ts";
import { openEvents } from "./events.ts";
import { openHelpDesk } from "./help-desk.ts";
import { nameOf } from "./latest.ts";
import { order } from "./panel.ts";
import { openPasses } from "./passes.ts";
import { plot } from "./plot.ts";
import { editRoom } from "./room-form.ts";
import { idleText, numbers, STATES, waitText, wordsOf } from "./room-words.ts";
import { openRules } from "./rules.ts";

/** The order that a button gives, and what it asks before. */
const ORDERS = {
  hold: "Nobody new is admitted until you resume. Visitors inside stay.",
  open: "Every visitor is admitted, and limits do not apply, until you resume.",
  resume: "It works as its settings say again.",
} as const;

const SOLD_OUT =
  "Nobody new is admitted until you resume, and all who wait read that all is sold. Visitors inside stay.";

const LOCALITY_TITLES = ["Locality", "Free", "Waiting", "This minute", "Ticket counter"];

export class RoomCard {
  readonly element: HTMLElement;
  readonly #room: string;
  readonly #state = make("span", { class: "state" });
  readonly #figures = { inside: make("dd"), waiting: make("dd"), minute: make("dd"), wait: make("dd") };
  readonly #bar: HTMLProgressElement;
  readonly #words = make("p", { class: "words" });
  readonly #idle = make("p", { class: "idle" });
  readonly #plot: HTMLElement;
  readonly #localities = make("tbody");
  #charts: readonly uPlot[] = [];
  #plottedMinute = -1;

  constructor(room: string) {
    this.#room = room;
    this.#bar = make("progress", { max: 1, value: 0, "aria-label": `Part of the slots of ${room} in use` });
    const about = `Inside ${room}, in line, admitted per minute and wait, with the limits, for up to two days`;
    this.#plot = make("div", { class: "plot", role: "img", "aria-label": about });
    const heads = LOCALITY_TITLES.map((title, at) =>
      make("th", { scope: "col", class: at > 0 && at < 4 ? "number" : undefined }, title),
    );
    const table = make("table", {}, make("thead", {}, make("tr", {}, ...heads)), this.#localities);
    const region = { class: "scroll", tabindex: "0", role: "region", "aria-label": `Localities of ${room}` };
    const figure = (title: string, place: HTMLElement) => make("div", {}, make("dt", {}, title), place);
    const { inside, waiting, minute, wait } = this.#figures;
    this.element = make(
      "article",
      { class: "room", "aria-label": `Room ${room}` },
      make("div", { class: "top" }, make("h3", {}, room), this.#state),
      make(
        "dl",
        { class: "figures" },
        ...[figure("Inside", inside), figure("Waiting", waiting), figure("This minute", minute), figure("Wait", wait)],
      ),
      ...[this.#bar, this.#words, this.#idle, this.#plot],
      folded("Localities", make("div", region, table)),
      ...this.#buttons().map((group) => make("p", { class: "buttons" }, ...group)),
    );
  }

  show(room: RoomStatus, status: NodeStatus): void {
    say(this.#state, STATES[room.state] ?? room.state);
    this.#state.className = `state ${room.state}`;
    setFigure(this.#figures.inside, room.inside, room.total_active_users);
    setFigure(this.#figures.waiting, room.waiting);
    setFigure(this.#figures.minute, room.admitted_this_minute, room.new_users_per_minute);
    say(this.#figures.wait, waitText(room.wait_seconds));
    this.#bar.value = Math.min(1, room.inside / room.total_active_users);
    say(this.#words, wordsOf(room));
    say(this.#idle, idleText(room));
    const figures = room.localities.map(({ free, waiting, admitted_this_minute: minute }) => [free, waiting, minute]);
    setList(
      this.#localities,
      room.localities.map(({ locality, ticket_counter: counter }, at) =>
        make(
          "tr",
          {},
          make("td", {}, locality),
          ...(figures[at] ?? []).map((amount) => make("td", { class: "number" }, numbers.format(amount))),
          make("td", {}, counter === null ? "none" : nameOf(counter)),
        ),
      ),
    );
    const minute = Math.floor(status.now_ms / status.minute_ms);
    if (this.#plottedMinute === minute) return;
    this.#plottedMinute = minute;
    void this.#draw(room, status.minute_ms);
  }

  /** The plot has another size now. */
  drawAgain(): void {
    this.#plottedMinute = -1;
  }

  remove(): void {
    for (const chart of this.#charts) chart.destroy();
    this.element.remove();
  }

  async #draw(room: RoomStatus, minuteMs: number): Promise<void> {
    this.#charts = await plot({ room, minuteMs, place: this.#plot, before: this.#charts });
  }

  /** Only what the person or token may do, by what they are about. */
  #buttons(): readonly (readonly HTMLElement[])[] {
    const room = this.#room;
    const path = roomPath(room);
    const named = (text: string, act: () => unknown) => button(text, () => void act(), `${text}: ${room}`);
    const ordered = (text: string, what: keyof typeof ORDERS) =>
      named(text, () => order(`${text} ${room}? ${ORDERS[what]}`, { method: "POST", path: `${path}/${what}` }));
    const soldOut = () =>
      order(`Close ${room} as sold out? ${SOLD_OUT}`, {
        method: "POST",
        path: `${path}/hold`,
        body: { sold_out: true },
      });
    const lost = "Its visitors in line and inside lose it; their requests pass as those of no room.";
    const groups = [
      may("operate")
        ? [ordered("Hold", "hold"), named("Sold out", soldOut), ordered("Open", "open"), ordered("Resume", "resume")]
        : [],
      [
        ...(may("configure")
          ? [named("Message", () => editRoom(room, "message")), named("Edit", () => editRoom(room, "limits"))]
          : []),
        ...(may("configure") ? [named("Page", () => openDesign(room))] : []),
        named("Events", () => openEvents(room)),
        named("Passes", () => openPasses(room)),
        named("Rules", () => openRules(room)),
        ...(may("operate") ? [named("Visitor", () => openHelpDesk(room))] : []),
      ],
      may("configure")
        ? [
            named("All fields", () => editRoom(room, "all")),
            named("Copy", () => editRoom(room, "copy")),
            named("Delete", () => order(`Delete ${room}? ${lost}`, { method: "DELETE", path })),
          ]
        : [],
    ];
    return groups.filter((group) => group.length > 0);
  }
}

function setFigure(element: HTMLElement, amount: number, limit?: number): void {
  const key = `${amount}/${limit}`;
  if (element.dataset.key === key) return;
  element.dataset.key = key;
  const rest = limit === undefined ? [] : [make("small", {}, ` of ${numbers.format(limit)}`)];
  element.replaceChildren(numbers.format(amount), ...rest);
}
