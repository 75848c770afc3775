import { expect, test } from "vitest";
import type { z } from "zod";
import { wordsOf } from "../../../mesh/core/wire/shapes.ts";
import { MESSAGE_SHAPES } from "../../../node/peer/message-kinds.ts";

/** A shape and all that it consists of. */
function* partsOf(shape: z.ZodType): Generator<z.ZodType> {
  yield shape;
  const words = wordsOf(shape);
  if (typeof words === "object") yield* partsOf(words.item);
  const { shape: fields, items, options, element, innerType, in: from, out } = shape.def as unknown as ShapeParts;
  const parts = [...Object.values(fields ?? {}), ...(items ?? []), ...(options ?? []), element, innerType, from, out];
  for (const part of parts) if (part !== undefined) yield* partsOf(part);
}

interface ShapeParts {
  readonly shape?: Readonly<Record<string, z.ZodType>>;
  readonly items?: readonly z.ZodType[];
  readonly options?: readonly z.ZodType[];
  readonly element?: z.ZodType;
  readonly innerType?: z.ZodType;
  readonly in?: z.ZodType;
  readonly out?: z.ZodType;
}

test.each(Object.entries(MESSAGE_SHAPES))(
  "the shape of %s has no lazy part: zod checks such a message as one that may contain itself",
  (_, shape) => {
    const kinds = Array.from(partsOf(shape), ({ def }) => def.type);
    expect(kinds.length).toBeGreaterThan(1);
    expect(kinds).not.toContain("lazy");
  },
);
