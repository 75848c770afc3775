/**
 * Fields of a form, mostly from the schema that the API publishes: a new field of a room, event, token or webhook is in
 * its form without a line here.
 */

import { read } from "./calls.ts";
import { make } from "./dom.ts";
import { isoTime, localTime, TIME_ZONE } from "./times.ts";

export type Values = Readonly<Record<string, unknown>>;

/** `several`: some of a few texts; `list`: any texts, with commas between them; `moment`: a date with its time. */
export type FieldType =
  | "text"
  | "number"
  | "checkbox"
  | "textarea"
  | "json"
  | "list"
  | "moment"
  | { readonly choices: readonly string[] }
  | { readonly several: readonly string[] };

export interface Field {
  readonly name: string;
  readonly title: string;
  readonly type: FieldType;
  readonly help?: string | undefined;
  readonly isRequired?: boolean;
  /** Null says "none", and is what an empty input means. */
  readonly isNullable?: boolean;
  readonly byDefault?: unknown;
}

/** A field on the page. */
export interface Entry {
  readonly field: Field;
  readonly elements: readonly HTMLElement[];
  /** Undefined or null for nothing; throws where the input is no such value. */
  readonly read: () => unknown;
  readonly write: (value: unknown) => void;
}

interface Schema {
  readonly type?: string | readonly string[];
  readonly enum?: readonly string[];
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
  readonly maxLength?: number;
  readonly description?: string;
  readonly default?: unknown;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
}

interface Description {
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

/** A text of more than this is longer than a line. */
const LINE_MAX = 2_048;

/** Asked for once; again after a failure. */
let description: Promise<Description> | undefined;

/** The fields of a schema of the API, or of the group or list of groups of fields `inside` it. */
export async function fieldsOf(name: string, inside?: string): Promise<readonly Field[]> {
  description ??= read<Description>("/v1/openapi.json").catch((error: unknown) => {
    description = undefined;
    throw error;
  });
  const schema = (await description).components.schemas[name];
  const part = inside === undefined ? schema : schema?.properties?.[inside];
  const group = part?.items ?? part;
  return Object.entries(group?.properties ?? {}).map(([field, each]) =>
    fieldOf(field, each, group?.required?.includes(field) ?? false),
  );
}

/** Only these, in this order. */
export function chosen(fields: readonly Field[], names: readonly string[]): readonly Field[] {
  return names.flatMap((name) => fields.find((field) => field.name === name) ?? []);
}

export function without(fields: readonly Field[], names: readonly string[]): readonly Field[] {
  return fields.filter(({ name }) => !names.includes(name));
}

function fieldOf(name: string, schema: Schema, isRequired: boolean): Field {
  const parts = [schema, ...(schema.anyOf ?? [])];
  const types = parts.flatMap(({ type = [] }) => type);
  return {
    name,
    title: titleOf(name),
    type: typeOf(name, parts, types),
    help: schema.description?.replace(/\[([^\][]+)\]\([^()]*\)/g, "$1"),
    isRequired,
    isNullable: types.includes("null"),
    byDefault: schema.default,
  };
}

/** `event_start_time` as people write it. */
function titleOf(name: string): string {
  const words = name.replaceAll("_", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function typeOf(name: string, parts: readonly Schema[], types: readonly string[]): FieldType {
  const choices = parts.find((part) => part.enum !== undefined)?.enum;
  const items = parts.find((part) => part.items !== undefined)?.items;
  // A few yes-or-no fields of an event may also be neither.
  if (types.includes("boolean") && types.includes("null")) return { choices: ["true", "false"] };
  if (types.includes("boolean")) return "checkbox";
  if (types.includes("integer") || types.includes("number")) return types.includes("string") ? "json" : "number";
  if (items?.enum !== undefined) return { several: items.enum };
  if (items?.type === "string") return "list";
  if (!types.includes("string") || types.includes("object") || types.includes("array")) return "json";
  if (choices !== undefined) return { choices };
  if (/_(time|until)$/.test(name)) return "moment";
  // An input of one line drops the line breaks of what it is given.
  if (name === "description") return "textarea";
  return Math.max(...parts.map(({ maxLength = 0 }) => maxLength)) > LINE_MAX ? "textarea" : "text";
}

let made = 0;

/** The field as inputs with their labels. */
export function entryOf(field: Field, value: unknown): Entry {
  made += 1;
  const id = `field-${made}`;
  const help = helpOf(field);
  const words = help === undefined ? [] : [make("small", { id: `${id}-help` }, help)];
  const about = { id, "aria-describedby": help === undefined ? undefined : `${id}-help`, required: field.isRequired };
  if (typeof field.type === "object" && "several" in field.type)
    return several(field, field.type.several, { id, words, value });
  const input = inputOf(field, about);
  const write = (now: unknown): void => writeTo(input, field, now);
  write(value);
  const label = make("label", { for: id, class: field.type === "checkbox" ? "check" : undefined }, field.title);
  const isCheck = field.type === "checkbox";
  return {
    field,
    elements: isCheck ? [make("p", { class: "check" }, input, label), ...words] : [label, input, ...words],
    read: () => readFrom(input, field),
    write,
  };
}

/** An input for a moment shows by itself how one is written, but not where its clock is. */
function helpOf({ type, help = "" }: Field): string | undefined {
  if (type !== "moment") return help || undefined;
  return [help.replace(/, such as \d{4}-\S+/, ""), `by the clock of ${TIME_ZONE}`].filter(Boolean).join("; ");
}

type Input = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;

function inputOf(
  { type, isNullable, isRequired }: Field,
  about: Readonly<Record<string, string | boolean | undefined>>,
): Input {
  if (typeof type === "object" && "choices" in type) {
    const none = isNullable ? [make("option", { value: "" }, "–")] : [];
    return make("select", about, ...none, ...type.choices.map((each) => make("option", { value: each }, each)));
  }
  if (type === "textarea") return make("textarea", { ...about, rows: 3 });
  if (type === "json") return make("textarea", { ...about, rows: 2, spellcheck: "false" });
  if (type === "checkbox") return make("input", { ...about, required: false, type });
  if (type === "number") return make("input", { ...about, type });
  if (type === "moment") return make("input", { ...about, type: "datetime-local", step: 1, required: isRequired });
  return make("input", { ...about, type: "text", autocomplete: "off" });
}

function writeTo(input: Input, { type }: Field, value: unknown): void {
  if (input instanceof HTMLInputElement && type === "checkbox") input.checked = value === true;
  else if (value === undefined || value === null)
    input.value = input instanceof HTMLSelectElement ? (input.options[0]?.value ?? "") : "";
  else if (type === "json") input.value = JSON.stringify(value);
  else if (type === "moment") input.value = localTime(String(value));
  else if (type === "list" && Array.isArray(value)) input.value = value.join(", ");
  else input.value = String(value);
}

function readFrom(input: Input, { name, type, isNullable, byDefault }: Field): unknown {
  if (input instanceof HTMLInputElement && type === "checkbox") return input.checked;
  const none = isNullable ? null : undefined;
  const { value } = input;
  if (type === "list")
    return value.trim() === "" ? (isNullable ? null : []) : value.split(",").map((each) => each.trim());
  if (type === "moment") return value === "" ? (isNullable ? null : byDefault) : isoTime(value);
  if (type === "number") return value === "" ? none : Number(value);
  if (typeof type === "object" && isNullable && value === "true") return true;
  if (typeof type === "object" && isNullable && value === "false") return false;
  if (value.trim() === "" && (isNullable || type === "json")) return none;
  if (type !== "json") return value;
  try {
    return JSON.parse(value);
  } catch {
    throw new Error(`${name} is not JSON: write it such as [10, "text"] or {"name": "value"}`);
  }
}

interface About {
  readonly id: string;
  readonly words: readonly HTMLElement[];
  readonly value: unknown;
}

function several(field: Field, all: readonly string[], { id, words, value }: About): Entry {
  const boxes = all.map((each, at) => ({ each, box: make("input", { type: "checkbox", id: `${id}-${at}` }) }));
  const write = (now: unknown): void => {
    for (const { each, box } of boxes) box.checked = Array.isArray(now) && now.includes(each);
  };
  write(value);
  const lines = boxes.map(({ each, box }) =>
    make("span", { class: "check" }, box, make("label", { for: box.id }, each)),
  );
  return {
    field,
    elements: [
      make("fieldset", {}, make("legend", {}, field.title), ...words, make("div", { class: "several" }, ...lines)),
    ],
    read: () => boxes.flatMap(({ each, box }) => (box.checked ? [each] : [])),
    write,
  };
}
