/**
 * Changes a room, or makes one: first the form shows what would change, then it applies that to the state that it
 * showed.
 */

import type { ApiRoom } from "../../../rooms/api-room.ts";
import { answerOf, type Call, Refused, roomPath, send } from "./calls.ts";
import { make } from "./dom.ts";
import { type Field, fieldsOf, type Values, without } from "./fields.ts";
import { asCurl, closePanel, type Form, formOf, isSame, openPanel } from "./panel.ts";

export type Kind = "limits" | "message" | "all" | "copy" | "create";

const TITLES: Readonly<Record<Kind, string>> = {
  message: "Message in",
  limits: "Edit",
  all: "Edit",
  copy: "Copy of",
  create: "New room",
};

const FEW: Readonly<Partial<Record<Kind, readonly Field[]>>> = {
  limits: [
    { name: "total_active_users", title: "Visitors inside at once", type: "number" },
    { name: "new_users_per_minute", title: "New visitors per minute", type: "number" },
    { name: "session_duration", title: "Session (minutes)", type: "number" },
    {
      name: "queueing_method",
      title: "Queueing method",
      type: { choices: ["fifo", "random", "passthrough", "reject"] },
    },
  ],
  message: [{ name: "message", title: "Message to everybody in line", type: "textarea" }],
};

/** Fields of a room that nobody edits. */
const WRITTEN_BY_NODES = [
  ...["id", "created_on", "modified_on", "operator_order", "current_event", "next_event_prequeue_start_time"],
  ...["next_event_start_time", "rollout", "waves"],
];
/** What belongs to one room alone. */
const OF_ONE_ROOM = ["name", "events", ...WRITTEN_BY_NODES];

interface Draft {
  readonly document: Values;
  readonly etag: string | undefined;
}

export async function editRoom(room: string, kind: Kind): Promise<void> {
  await openPanel(`${TITLES[kind]} ${room}`.trim(), async () => {
    const fields = FEW[kind] ?? without(await fieldsOf("NewRoom"), WRITTEN_BY_NODES);
    const draft = await draftOf(room, kind, fields);
    return [new RoomForm(room, kind, { fields, draft }).element];
  });
}

class RoomForm {
  readonly element: HTMLFormElement;
  readonly #room: string;
  readonly #kind: Kind;
  readonly #form: Form;
  readonly #changes = make("div", { role: "status" });
  readonly #apply: HTMLButtonElement;
  #draft: Draft;

  constructor(
    room: string,
    kind: Kind,
    { fields, draft }: { readonly fields: readonly Field[]; readonly draft: Draft },
  ) {
    this.#room = room;
    this.#kind = kind;
    this.#draft = draft;
    const preview = make("button", { type: "submit" }, "Show changes");
    this.#apply = make("button", { type: "button", disabled: true }, "Apply");
    const values = Object.fromEntries(fields.map(({ name }) => [name, valueIn(draft.document, name)]));
    this.#form = formOf({
      label: `Fields of ${room}`,
      fields,
      values,
      below: ({ attempt, element }) => {
        this.#apply.onclick = () => void attempt(() => this.#change());
        element.onsubmit = (event) => {
          event.preventDefault();
          void attempt(() => this.#preview());
        };
        return [this.#changes, make("p", { class: "buttons" }, preview, this.#apply)];
      },
    });
    this.element = this.#form.element;
    this.element.addEventListener("input", () => {
      this.#apply.disabled = true;
    });
  }

  get #isNew(): boolean {
    return this.#kind === "copy" || this.#kind === "create";
  }

  /** What was typed, as far as it differs from the room. */
  #changed(): Values {
    const typed = Object.entries(this.#form.values());
    return Object.fromEntries(typed.filter(([name, value]) => !isSame(value, valueIn(this.#draft.document, name))));
  }

  #callOf({ message, ...fields }: Values): Call {
    const { document, etag } = this.#draft;
    if (this.#isNew) return { method: "POST", path: "/v1/rooms", body: { ...document, ...fields } };
    const page = message === undefined ? {} : { page: { ...pageOf(document), message } };
    return { method: "PATCH", path: roomPath(this.#room), body: { ...fields, ...page }, ifMatch: etag };
  }

  async #preview(): Promise<void> {
    const change = this.#changed();
    const names = Object.keys(change);
    this.#clear();
    if (names.length === 0) {
      this.#changes.replaceChildren("Nothing changes.");
      return;
    }
    const call = this.#callOf(change);
    const after = { ...this.#draft.document, ...(call.body as Values) };
    await send({ method: "POST", path: "/v1/rooms/apply?dry_run=true", body: { rooms: [after] } });
    const before = this.#draft.document;
    const lines = names.map((name) => `${name}: ${shortly(valueIn(before, name))} → ${shortly(change[name])}`);
    this.#changes.replaceChildren(
      make("ul", {}, ...lines.map((line) => make("li", {}, line))),
      asCurl(() => call),
    );
    this.#apply.disabled = false;
  }

  async #change(): Promise<void> {
    try {
      await send(this.#callOf(this.#changed()));
    } catch (error) {
      if (!(error instanceof Refused) || error.code !== "changed") throw error;
      await this.#readAgain();
    }
    closePanel();
  }

  /** Somebody was faster: shows the room as it is now, and keeps what was typed. */
  async #readAgain(): Promise<never> {
    const [old, typed] = [this.#draft.document, this.#changed()];
    const fields = this.#form.entries.map(({ field }) => field);
    this.#draft = await draftOf(this.#room, this.#kind, fields);
    const { document } = this.#draft;
    this.#clear();
    for (const { field, write } of this.#form.entries) if (!(field.name in typed)) write(valueIn(document, field.name));
    const names = Object.keys({ ...old, ...document }).filter((name) => !isSame(old[name], document[name]));
    const words = names.map((name) => `${name}: ${shortly(old[name])} → ${shortly(document[name])}`);
    const kept = "Your own changes are still in the form: press Show changes to apply them to the room as it is now.";
    throw new Error(["Not applied: the room was changed while you were editing.", ...words, kept].join("\n"));
  }

  #clear(): void {
    this.#changes.replaceChildren();
    this.#apply.disabled = true;
  }
}

/** The room as it is now; of a new one what it begins with. */
async function draftOf(room: string, kind: Kind, fields: readonly Field[]): Promise<Draft> {
  const begun = fields.filter(({ byDefault }) => byDefault !== undefined);
  const defaults = Object.fromEntries(begun.map(({ name, byDefault }) => [name, byDefault]));
  if (kind === "create") return { document: defaults, etag: undefined };
  const answer = await answerOf({ method: "GET", path: roomPath(room) });
  const { room: document }: { readonly room: ApiRoom } = await answer.json();
  const left = kind === "copy" ? OF_ONE_ROOM : ["id", "created_on", "modified_on"];
  const kept = Object.entries({ ...defaults, ...document }).filter(([name]) => !left.includes(name));
  return { document: Object.fromEntries(kept), etag: answer.headers.get("ETag") ?? undefined };
}

function pageOf(document: Values): Values {
  return (document.page ?? {}) as Values;
}

function valueIn(document: Values, name: string): unknown {
  return name === "message" ? (pageOf(document).message ?? "") : document[name];
}

/** A value of a room's document in a sentence. */
function shortly(value: unknown): string {
  if (value === undefined || value === null || value === "") return "(none)";
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}
