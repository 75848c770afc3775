/** The events of a room: which there are, when the next one is, and how one is scheduled, changed, ended and deleted. */

import type { ApiEvent } from "../../api/events.ts";
import { may, read, roomPath } from "./calls.ts";
import { button, make } from "./dom.ts";
import { chosen, type Field, fieldsOf, without } from "./fields.ts";
import { asCurl, openPanel, order, orderForm, type Redraw, tableOf } from "./panel.ts";
import { dateText } from "./times.ts";

const MAIN = [
  ...["name", "event_start_time", "event_end_time", "prequeue_start_time", "shuffle_at_event_start"],
  ...["total_active_users", "new_users_per_minute"],
];
/** It follows from the times. */
const DERIVED = ["phase"];

export async function openEvents(room: string): Promise<void> {
  await openPanel(`Events of ${room}`, (redraw) => listed(room, redraw));
}

async function listed(room: string, redraw: Redraw): Promise<readonly HTMLElement[]> {
  const path = `${roomPath(room)}/events`;
  const { events } = await read<{ readonly events: readonly ApiEvent[] }>(path);
  const next = events.find(({ phase }) => phase === "active" || phase === "prequeue" || phase === "upcoming");
  const words =
    next === undefined
      ? "No event is to come."
      : next.phase === "active"
        ? `Now: ${next.name}, until ${dateText(next.event_end_time)}`
        : `Next: ${next.name}, ${dateText(next.event_start_time)}`;
  const table = tableOf({
    label: `Events of ${room}`,
    columns: [
      { title: "Event", of: ({ name }) => name },
      { title: "State", of: ({ phase }) => phase },
      { title: "Held in line from", of: ({ prequeue_start_time: time }) => dateText(time) },
      { title: "Start", of: ({ event_start_time: time }) => dateText(time) },
      { title: "End", of: ({ event_end_time: time }) => dateText(time) },
    ],
    rows: events,
    none: "This room has no event.",
    ...(may("configure") && { buttons: (event: ApiEvent) => buttonsOf({ room, path, event, redraw }) }),
  });
  const list = [make("p", {}, words), table, asCurl(() => ({ method: "GET", path }))];
  if (!may("configure")) return list;
  const form = await scheduleForm(path, { fields: await fieldsOf("NewEvent"), redraw });
  return [...list, make("h3", {}, "Schedule an event"), form];
}

interface Listed {
  readonly room: string;
  readonly path: string;
  readonly event: ApiEvent;
  readonly redraw: Redraw;
}

function buttonsOf({ room, path, event, redraw }: Listed): readonly HTMLElement[] {
  const { name, phase } = event;
  const own = `${path}/${name}`;
  const edit = button("Edit", () => void editEvent(room, own, event), `Edit event ${name}`);
  const remove = button(
    "Delete",
    () => void order(`Delete event ${name}?`, { method: "DELETE", path: own }, redraw),
    `Delete event ${name}`,
  );
  if (phase !== "active") return [edit, remove];
  const end = (): void => {
    const body = { event_end_time: new Date().toISOString() };
    void order(
      `End event ${name} now? The room's own values apply again.`,
      { method: "PATCH", path: own, body },
      redraw,
    );
  };
  return [button("End now", end, `End event ${name} now`), edit, remove];
}

async function scheduleForm(
  path: string,
  { fields, redraw }: { readonly fields: readonly Field[]; readonly redraw: Redraw },
): Promise<HTMLElement> {
  return orderForm({
    label: "Schedule an event",
    fields: chosen(fields, MAIN),
    more: without(fields, [...MAIN, ...DERIVED]),
    button: "Schedule",
    call: ({ values }) => ({ method: "POST", path, body: values() }),
    done: redraw,
  });
}

async function editEvent(room: string, path: string, event: ApiEvent): Promise<void> {
  const fields = without(await fieldsOf("NewEvent"), [...DERIVED, "name"]);
  await openPanel(`Edit event ${event.name} of ${room}`, async () => [
    orderForm({
      label: `Event ${event.name}`,
      fields: chosen(fields, MAIN),
      more: without(fields, MAIN),
      values: event,
      button: "Save",
      call: ({ changed }) => ({ method: "PATCH", path, body: changed() }),
      done: () => openEvents(room),
    }),
  ]);
}
