/** What nodes say to each other about the right to change something: see change-rights.ts. */

import { z } from "zod";
import type { NodeId } from "../../mesh/core/ids.ts";
import type { Stamp } from "../../mesh/core/replica/hybrid-clock.ts";
import { registerKey } from "../../mesh/core/replica/registers.ts";
import { nodeId, unixMs, whole } from "../../mesh/core/wire/shapes.ts";

/** What is to be changed, and the latest stamp of the registers in which it is. */
const state = { subject: registerKey, stamp: z.tuple([unixMs, whole, nodeId]) };

export const RIGHT_SHAPES = {
  "right-wanted": z.object({ kind: z.literal("right-wanted"), call: whole, ...state }),
  right: z.object({ kind: z.literal("right"), call: whole, isGiven: z.boolean() }),
  "right-returned": z.object({ kind: z.literal("right-returned"), ...state }),
} as const;

export type RightMessage = z.output<(typeof RIGHT_SHAPES)[keyof typeof RIGHT_SHAPES]>;

/** By kind of a question: the kind of its answer. */
export const RIGHT_ANSWERS = { "right-wanted": "right" } as const;

export function toldStamp({ wallMs, counter, node }: Stamp): [number, number, NodeId] {
  return [wallMs, counter, node];
}

export function heardStamp([wallMs, counter, node]: readonly [number, number, NodeId]): Stamp {
  return { wallMs, counter, node };
}
