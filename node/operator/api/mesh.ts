/** The part of the admin API about the members of the mesh: `/v1/leave` and `/v1/forget`. */

import { z } from "zod";
import { failure } from "../calls/api-answers.ts";
import { operation } from "../calls/operation.ts";
import type { Serve } from "../calls/serve.ts";
import { FORGET_SECONDS_MAX, type ForgetOrders, forgetNodes } from "../forget/forget.ts";
import { type AuditLog, actorOf } from "../logs/audit.ts";
import type { NodeStatus } from "../status/status.ts";
import { named } from "./common-shapes.ts";

/** What an operator may order in the mesh. */
export interface MeshOrders extends ForgetOrders {
  /**
   * Removes this node from the mesh for good; the process ends by itself afterwards. Without an heir it is only a stop.
   * Refused while an earlier order is carried out.
   */
  leave(): Promise<
    | { readonly left: boolean; readonly heir: string | undefined; readonly message: string }
    | { readonly isRefused: true; readonly problem: string }
  >;
}

/** The names of all nodes. */
const FORGET_BYTES_MAX = 64 * 1024;

const LEAVE_HINT = "wait for the answer to the first order; the process ends by itself once everything is handed over";

const nodes = z.array(z.string());

const LEAVE = operation({
  id: "leaveMesh",
  method: "POST",
  path: "/v1/leave",
  topic: "mesh",
  scope: "mesh",
  summary: "takes this node out of the mesh",
  answer: {
    description: "what became of it; the process ends by itself",
    schema: named(
      "LeaveAnswer",
      z.object({
        left: z.boolean().describe("false: it was only stopped, as no other node could take over"),
        heir: z.string().nullable().describe("the node that has its share now; null for none"),
        message: z.string().describe("the same in one sentence"),
      }),
    ),
  },
  problems: ["conflict"],
});

const WRITE_TIME = `send a number above 0, up to ${FORGET_SECONDS_MAX}`;

const FORGET = operation({
  id: "forgetNodes",
  method: "POST",
  path: "/v1/forget",
  topic: "mesh",
  scope: "mesh",
  summary: "gives up nodes that are gone for good",
  body: {
    schema: named(
      "ForgetOrder",
      z.strictObject({
        nodes: nodes.min(1).describe("ids, beginnings of ids, or names of nodes"),
        timeout_seconds: z
          .number()
          .gt(0)
          .max(FORGET_SECONDS_MAX)
          .optional()
          .describe("for how long the order is valid, so that other members may answer later; left out: they must now"),
      }),
    ),
    bytesMax: FORGET_BYTES_MAX,
    repairs: { nodes: "name the nodes, as a list of strings", timeout_seconds: WRITE_TIME },
    read: "here",
    example: { nodes: ["gate3"], timeout_seconds: 20 },
  },
  answer: {
    description: "what became of each node",
    schema: named(
      "ForgetAnswer",
      z.object({
        nodes: nodes.describe("all of them, by whole id"),
        forgotten: nodes.describe("those that this order removed"),
        already: nodes.describe("those that were not members any more"),
        names: z.record(z.string(), z.string()).describe("what they are called, by whole id, as far as known"),
      }),
    ),
  },
  problems: ["not-found", "refused"],
});

export const MESH_OPERATIONS = [LEAVE, FORGET];

export interface MeshRoutes {
  readonly mesh: MeshOrders;
  readonly audit: AuditLog;
  readonly status: () => NodeStatus;
  /** What nodes are called, by id, former members included. */
  readonly nodeNames: () => Readonly<Record<string, string>>;
}

export function meshRoutes(serve: Serve, { mesh, audit, status, nodeNames }: MeshRoutes): void {
  serve(LEAVE, async ({ c }) => {
    audit.note(actorOf(c), "asked to leave the mesh");
    const answer = await mesh.leave();
    if ("isRefused" in answer) return failure("conflict", answer.problem, { hint: LEAVE_HINT });
    const { left, heir, message } = answer;
    return c.json({ left, heir: heir ?? null, message });
  });
  serve(FORGET, async ({ c, body }) => {
    const answer = await forgetNodes(body, { members: status().members, names: nodeNames(), orders: mesh });
    if (answer instanceof Response) return answer;
    const { forgotten, already } = answer;
    const nodes = [...forgotten, ...already];
    const names = Object.fromEntries(Object.entries(nodeNames()).filter(([node]) => nodes.includes(node)));
    const noted = forgotten.map((node) => ({ node, ...(names[node] !== undefined && { name: names[node] }) }));
    if (noted.length > 0) audit.note(actorOf(c), "nodes forgotten on the operator's order", { nodes: noted });
    return c.json({ nodes, forgotten, already, names });
  });
}
