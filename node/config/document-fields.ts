/**
 * How the fields of a document are declared: each once, with its schema, its words, and its value in code.
 *
 * Documents (YAML, JSON, API) are in snake_case, code is in camelCase: the name in code follows from the one in
 * documents, and so does the type. A field whose value in code is another one than in documents says how it is read and
 * written.
 */

import type { z } from "zod";
import { isObject } from "./is-object.ts";

/** What a schema reads, read-only in depth. */
export type Shape<Schema extends z.ZodType> = ReadOnly<z.output<Schema>>;

type ReadOnly<Value> = Value extends readonly (infer Entry)[]
  ? readonly ReadOnly<Entry>[]
  : Value extends object
    ? { readonly [Key in keyof Value]: ReadOnly<Value[Key]> }
    : Value;

interface Words {
  /** What the field means, in one phrase with its legal values: for `--help`, the API and docs/rooms.md. */
  readonly help: string;
  /** What to write in place of a wrong value; left out where `help` says it. */
  readonly repair?: string;
}

export interface Field<Schema extends z.ZodType = z.ZodType, Value = unknown> extends Words {
  /** Type, range and default in documents. */
  readonly schema: Schema;
  /** The name in code, if it is not the document's. */
  readonly as?: string;
  read(written: z.output<Schema>): Value;
  write(value: Value): z.output<Schema>;
}

export type Fields = Readonly<Record<string, Field>>;

/** A field whose value is the same in documents and in code. */
export function field<Schema extends z.ZodType>(schema: Schema, words: Words | string): Field<Schema, Shape<Schema>> {
  return mapped(schema, {
    ...(typeof words === "string" ? { help: words } : words),
    read: (written) => written as Shape<Schema>,
    write: (value) => value as z.output<Schema>,
  });
}

/** A field that code has in another form. */
export function mapped<Schema extends z.ZodType, Value>(
  schema: Schema,
  form: Words & Pick<Field<Schema, Value>, "read" | "write">,
): Field<Schema, Value> {
  return { ...form, schema };
}

/** A group of fields, or nothing: null in documents, undefined in code, which has their names in camelCase. */
export function group<Group extends object>(
  schema: z.ZodType<Group | null>,
  help: string,
): Field<z.ZodType<Group | null>, Camelled<Group> | undefined> {
  const renamed = (values: object, rename: (name: string) => string): unknown =>
    Object.fromEntries(Object.entries(values).map(([name, value]) => [rename(name), value]));
  return mapped(schema, {
    help,
    read: (written) => (written === null ? undefined : (renamed(written, camel) as Camelled<Group>)),
    write: (value) => (value === undefined ? null : (renamed(value, snake) as Group)),
  });
}

type Camelled<Group> = { [Name in keyof Group & string as Camel<Name>]: Group[Name] };

/** The same field under another name in code. */
export function named<const Name extends string, Named extends Field>(as: Name, each: Named) {
  return { ...each, as };
}

type Camel<Name extends string> = Name extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<Camel<Tail>>}`
  : Name;

type NameOf<Name extends string, Named> = Named extends { readonly as: infer As extends string } ? As : Camel<Name>;

/** What code has of a document with these fields. */
export type ValuesOf<Declared extends Fields> = {
  readonly [Name in keyof Declared & string as NameOf<Name, Declared[Name]>]: ReadOnly<
    ReturnType<Declared[Name]["read"]>
  >;
};

type SchemasOf<Declared extends Fields> = { [Name in keyof Declared]: Declared[Name]["schema"] };

/** The schema of each field. */
export function schemasOf<Declared extends Fields>(fields: Declared): SchemasOf<Declared> {
  const schemas = Object.entries(fields).map(([name, { schema }]) => [name, schema]);
  return Object.fromEntries(schemas) as SchemasOf<Declared>;
}

/** The values of a document that its schema has read. */
export function readFields<Declared extends Fields>(
  fields: Declared,
  document: Readonly<Record<string, unknown>>,
): ValuesOf<Declared> {
  const values = Object.entries(fields).map(([name, each]) => [each.as ?? camel(name), each.read(document[name])]);
  return Object.fromEntries(values) as ValuesOf<Declared>;
}

/** The document of these values: all fields except empty ones. */
export function writeFields(fields: Fields, values: object): Readonly<Record<string, unknown>> {
  const written = Object.entries(fields).map(([name, each]) => [
    name,
    each.write(Reflect.get(values, each.as ?? camel(name))),
  ]);
  return withoutEmpty(Object.fromEntries(written));
}

/** A document without fields that others add to it. */
export function without(document: unknown, names: readonly string[]): unknown {
  if (!isObject(document)) return document;
  return Object.fromEntries(Object.entries(document).filter(([key]) => !names.includes(key)));
}

export function withoutEmpty<Document extends object>(document: Document): Partial<Document> {
  return Object.fromEntries(Object.entries(document).filter(([, value]) => !isEmpty(value))) as Partial<Document>;
}

export function isEmpty(value: unknown): boolean {
  return value === "" || value === null || value === undefined || (Array.isArray(value) && value.length === 0);
}

function snake(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

function camel(name: string): string {
  return name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
