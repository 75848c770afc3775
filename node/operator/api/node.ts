/** The part of the admin API about the answering node: its status, its settings, and the description of the API. */

import { z } from "zod";
import type { SettingRow } from "../../config/settings.ts";
import { operation } from "../calls/operation.ts";
import type { Serve } from "../calls/serve.ts";
import { type NodeStatus, STATUS } from "../status/status.ts";
import { statusFor } from "../status/status-for.ts";
import { named } from "./common-shapes.ts";

const READ_STATUS = operation({
  id: "getStatus",
  method: "GET",
  path: "/v1/status",
  topic: "node",
  scope: "read",
  summary: "everything that `anteroom status` shows, and more",
  description:
    "Figures of the mesh are what the answering node has heard: up to two seconds old. Those that end in _here are exact.",
  answer: { description: "the status", schema: named("Status", STATUS) },
});

const READ_SETTINGS = operation({
  id: "getSettings",
  method: "GET",
  path: "/v1/settings",
  topic: "node",
  scope: "mesh",
  summary: "lists the settings of this node; of secrets only whether they are set",
  answer: {
    description: "the settings",
    schema: named(
      "SettingList",
      z.object({
        settings: z
          .array(
            z.object({
              setting: z.string().describe("the key of the config file"),
              value: z.string().describe("as text; (set) for secrets, (none) for none"),
              source: z.string().describe("a flag, a variable, the path of the config file, or default"),
            }),
          )
          .describe("one for each setting"),
      }),
    ),
  },
});

export const NODE_OPERATIONS = [READ_STATUS, READ_SETTINGS];

export interface NodeRoutes {
  readonly status: () => NodeStatus;
  /** Names of all rooms, those that cannot be read included. */
  readonly roomNames: () => readonly string[];
  readonly settingRows: readonly SettingRow[];
}

export function nodeRoutes(serve: Serve, { status, settingRows, roomNames }: NodeRoutes): void {
  serve(READ_STATUS, ({ c }) => c.json(statusFor(c.var.principal, status(), roomNames())));
  serve(READ_SETTINGS, ({ c }) => c.json({ settings: settingRows }));
}
