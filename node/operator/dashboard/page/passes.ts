/**
 * The passes of a room: made as a file of links, withdrawn, and their waves. Nobody keeps a list of passes: a pass
 * proves itself, and what is counted is what became of those that were shown.
 */

import type { ApiRoom } from "../../../rooms/api-room.ts";
import type { MadePass } from "../../api/passes.ts";
import { type Call, may, read, roomPath, sendLines } from "./calls.ts";
import { button, folded, make } from "./dom.ts";
import { chosen, type Field, fieldsOf, type Values } from "./fields.ts";
import { latestStatus } from "./latest.ts";
import { asCurl, formOf, openPanel, order, orderForm, type Redraw, tableOf } from "./panel.ts";
import { numbers } from "./room-words.ts";
import { dateText } from "./times.ts";

/** A browser may read the answer only once it has sent all, so what waits for it meanwhile is kept small: 2 MB. */
const LINES_MAX = 10_000;
const PASS = "anteroom_pass";

/** Of a room's document. */
interface Wave {
  readonly rate: string;
  readonly paused: boolean;
  readonly count: number | null;
}

interface Shown {
  readonly name: string;
  readonly room: ApiRoom;
  readonly path: string;
  readonly redraw: Redraw;
}

export async function openPasses(name: string): Promise<void> {
  await openPanel(`Passes of ${name}`, async (redraw) => {
    const path = roomPath(name);
    const { room } = await read<{ readonly room: ApiRoom }>(path);
    const shown = { name, room, path, redraw };
    const makes = may("operate") ? [make("h3", {}, "Make passes"), await makeForm(shown)] : [];
    return [...makes, make("h3", {}, "Waves"), ...(await waves(shown)), make("h3", {}, "Passes seen"), ...seen(shown)];
  });
}

async function makeForm({ name, room, path }: Shown): Promise<HTMLElement> {
  const fields: readonly Field[] = [
    {
      name: "keys",
      title: "For whom",
      type: "textarea",
      help: "one order number or name a line; each pass is good for one visitor at a time. Empty: one pass that any number of visitors can use",
    },
    { name: "url", title: "Link to", type: "text", help: "the address that the passes open; empty for bare passes" },
    ...chosen(await fieldsOf("PassOrder"), ["expires", "lane", "staff"]),
  ];
  const names = Object.keys(room.waves ?? {});
  const inWave: readonly Field[] =
    names.length === 0
      ? []
      : [
          { name: "wave", title: "Wave", type: { choices: names }, isNullable: true, help: "to which they belong" },
          { name: "first", title: "Number of the first", type: "number", help: "in the wave", byDefault: 1 },
        ];
  const url = room.host === "*" ? "" : `https://${room.host}${room.path}`;
  const result = make("div", { role: "status" });
  return formOf({
    label: "Make passes",
    fields: [...fields, ...inWave],
    values: { url },
    below: ({ values, element, attempt }) => {
      element.onsubmit = (event) => {
        event.preventDefault();
        void attempt(async () => {
          result.replaceChildren();
          const url = String(values().url);
          if (url !== "" && !URL.canParse(url))
            throw new Error("Link to is not an address: write one such as https://shop.example.com/");
          result.replaceChildren(...fileOf(await sendLines<MadePass>(callOf(path, values())), url, name));
        });
      };
      const submit = make("button", { type: "submit" }, "Make passes");
      return [make("p", { class: "buttons" }, submit), result, asCurl(() => callOf(path, values()))];
    },
  }).element;
}

function callOf(path: string, { keys, url: _url, wave, first, ...order }: Values): Call {
  const all = String(keys)
    .split("\n")
    .flatMap((line) => line.trim() || []);
  if (all.length > LINES_MAX) throw new Error(`Make more than ${numbers.format(LINES_MAX)} with: anteroom pass --csv`);
  const inWave = wave ? `?${new URLSearchParams({ wave: String(wave), first: String(first) })}` : "";
  const body = all.length === 0 ? [order] : all.map((key) => ({ key, ...order }));
  return { method: "POST", path: `${path}/passes${inWave}`, body };
}

function fileOf(made: readonly MadePass[], url: string, room: string): readonly HTMLElement[] {
  const rows = made.map(({ key = "", expires, pass }) => [key, expires, url === "" ? pass : linkOf(url, pass)]);
  const csv = [["key", "expires", url === "" ? "pass" : "link"], ...rows].map(csvLine).join("");
  const href = URL.createObjectURL(new Blob([csv], { type: "text/csv" }));
  const words = `Download ${numbers.format(made.length)} ${made.length === 1 ? "pass" : "passes"} as CSV`;
  const file = make("a", { href, download: `passes-${room.replace(":", "-")}.csv` }, words);
  return [make("p", {}, file), folded("Show them", make("pre", { tabindex: "0" }, csv))];
}

function linkOf(url: string, pass: string): string {
  const link = new URL(url);
  link.searchParams.set(PASS, pass);
  return link.href;
}

/** RFC 4180: a value with a comma, a quote or a line break stands in quotes. */
function csvLine(values: readonly string[]): string {
  return `${values.map((value) => (/[",\r\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value)).join(",")}\r\n`;
}

async function waves({ name: roomName, room, path, redraw }: Shown): Promise<readonly HTMLElement[]> {
  const status = latestStatus()?.rooms.find(({ name }) => name === roomName)?.waves ?? [];
  const now = (name: string) => status.find((wave) => wave.name === name);
  const to = `${path}/wave`;
  const ordered = (name: string, text: string, question: string) => {
    const call: Call = { method: "POST", path: to, body: { wave: name, [text.toLowerCase()]: true } };
    return button(text, () => void order(`${text} wave ${name}? ${question}`, call, redraw), `${text} wave ${name}`);
  };
  const table = tableOf<[string, Wave]>({
    label: `Waves of ${roomName}`,
    rows: Object.entries(room.waves ?? {}),
    none: "This room has no wave: all its passes are good.",
    columns: [
      { title: "Wave", of: ([name]) => name },
      { title: "State", of: ([, { paused }]) => (paused ? "paused" : "running") },
      { title: "Good", of: ([name]) => amountText(now(name)?.good), isNumber: true },
      { title: "Of", of: ([, { count }]) => amountText(count), isNumber: true },
      { title: "Rate", of: ([, { rate }]) => rate },
      { title: "Next", of: ([name]) => nextText(now(name)?.next_ms) },
    ],
    ...(may("operate") && {
      buttons: ([name, { paused }]) => [
        paused
          ? ordered(name, "Resume", "Its passes go on to be good step by step.")
          : ordered(name, "Pause", "No more of its passes begin to be good."),
        ordered(name, "End", "All its passes are good."),
      ],
    }),
  });
  if (!may("operate")) return [table];
  const fields = chosen(await fieldsOf("WaveOrder"), ["wave", "rate", "start", "count"]);
  const form = orderForm({
    label: "Start a wave",
    fields: fields.map((field) => (field.name === "start" ? { ...field, type: "moment" } : field)),
    button: "Start",
    call: ({ values }) => ({ method: "POST", path: to, body: values() }),
    done: redraw,
  });
  return [table, folded("Start a wave", form)];
}

function amountText(amount: number | null | undefined): string {
  return amount === null || amount === undefined ? "–" : numbers.format(amount);
}

function nextText(ms: number | null | undefined): string {
  return ms === null || ms === undefined ? "–" : dateText(new Date(ms).toISOString());
}

function seen({ name: roomName, room, path, redraw }: Shown): readonly HTMLElement[] {
  const counts = latestStatus()?.rooms.find(({ name }) => name === roomName)?.passes_here ?? {};
  const table = tableOf({
    label: `Passes of ${roomName} that were seen`,
    rows: Object.entries<number>(counts).filter(([, count]) => count > 0),
    none: "No pass was shown at this node since its start.",
    columns: [
      { title: "Result", of: ([result]) => result },
      { title: "At this node since its start", of: ([, count]) => numbers.format(count), isNumber: true },
    ],
  });
  if (!may("configure")) return [table];
  const call: Call = { method: "PATCH", path, body: { pass_generation: (room.pass_generation ?? 1) + 1 } };
  const question = `Withdraw all passes of ${roomName} that were made so far? Sessions and places that were taken with them stay.`;
  const withdraw = button("Withdraw all passes", () => void order(question, call, redraw));
  return [table, make("p", { class: "buttons" }, withdraw)];
}
