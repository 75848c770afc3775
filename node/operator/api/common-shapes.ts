/** Kinds of fields that several shapes of the API share. */

import { z } from "zod";

export const PROBLEM_ENTRY = z.object({
  path: z.string().describe("the place: rooms[0].total_active_users; empty for the body itself"),
  value: z.string().optional().describe("the value found there as JSON, shortened"),
  line: z.int().optional().describe("the line of a file"),
  room: z.string().optional().describe("the name of the room"),
  problem: z.string().describe('what is wrong, to be read after "the value"'),
  repair: z.string().describe("what to do about it"),
});

/** The schemas to which the OpenAPI document refers by name. */
export const SHAPES = z.registry<{ readonly id: string }>();

/** Gives a schema its name in the document. */
export function named<Schema extends z.ZodType>(id: string, schema: Schema): Schema {
  SHAPES.add(schema, { id });
  return schema;
}
