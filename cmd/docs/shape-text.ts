/** A shape (zod) as a short text for documents: what fields it has, and what may stand in each. */

import type { z } from "zod";
import { type ShapeWords, wordsOf } from "../../mesh/core/wire/shapes.ts";

/** What is used of a shape's definition; see zod's own `core`. */
interface Definition {
  readonly type: string;
  readonly innerType?: z.ZodType;
  readonly element?: z.ZodType;
  readonly items?: readonly z.ZodType[];
  readonly options?: readonly z.ZodType[];
  readonly entries?: Readonly<Record<string, string>>;
  readonly values?: readonly unknown[];
  readonly shape?: Readonly<Record<string, z.ZodType>>;
  readonly in?: z.ZodType;
  readonly getter?: () => z.ZodType;
}

export interface Field {
  readonly name: string;
  readonly text: string;
  readonly isOptional: boolean;
}

/** The fields of an object's shape. */
export function fieldsOf(shape: z.ZodType): Field[] {
  return Object.entries(definitionOf(shape).shape ?? {}).map(([name, field]) => {
    const { type, innerType } = definitionOf(field);
    const isOptional = type === "optional" && innerType !== undefined;
    return { name, isOptional, text: shapeText(isOptional ? innerType : field) };
  });
}

/** A shape in one line. */
export function shapeText(shape: z.ZodType): string {
  return fromWords(wordsOf(shape)) ?? fromDefinition(shape);
}

function fromWords(words: ShapeWords | undefined): string | undefined {
  if (words === undefined || typeof words === "string") return words;
  return `list of at most ${words.max.toLocaleString("en-US")}: ${shapeText(words.item)}`;
}

function fromDefinition(shape: z.ZodType): string {
  const { type, innerType, element, items, options, entries, values, in: input, getter } = definitionOf(shape);
  const all = (some: readonly z.ZodType[] = [], between = ", ") => some.map(shapeText).join(between);
  switch (type) {
    case "object":
      return `{ ${fieldsOf(shape)
        .map(({ name, text, isOptional }) => `${name}${isOptional ? "?" : ""}: ${text}`)
        .join(", ")} }`;
    case "tuple":
      return `[${all(items)}]`;
    case "array":
      return element === undefined ? "list" : `list: ${shapeText(element)}`;
    case "union":
      return all(options, " or ");
    case "enum":
      return Object.values(entries ?? {})
        .map((value) => `\`${value}\``)
        .join(" or ");
    case "literal":
      return (values ?? []).map((value) => `\`${JSON.stringify(value)}\``).join(" or ");
    case "optional":
    case "readonly":
      return innerType === undefined ? "anything" : shapeText(innerType);
    case "nullable":
      return innerType === undefined ? "null" : `${shapeText(innerType)} or null`;
    case "pipe":
      return input === undefined ? "anything" : shapeText(input);
    case "lazy":
      return getter === undefined ? "anything" : shapeText(getter());
    case "string":
      return "text";
    case "unknown":
      return "anything";
    case "number":
    case "boolean":
      return type;
    default:
      return type;
  }
}

function definitionOf(shape: z.ZodType): Definition {
  return shape.def as unknown as Definition;
}
