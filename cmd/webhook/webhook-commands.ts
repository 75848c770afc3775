/** The commands on webhooks. */

import { type Command, FIELDS_MAX, type HelpList, NONE, ONE } from "../command.ts";
import { CLIENT_OPTIONS, JSON_OPTION } from "../options.ts";

const WEBHOOK_NOTE =
  "A webhook gets a signed POST for each notice: what began, ended or changed in the mesh. One of the nodes sends it, and tries again for a " +
  "day. Fields: name, url, types (a list; empty for all), rooms (a list; empty for all), namespace, format (json, slack or teams), enabled.";

const types = async (): Promise<HelpList> => {
  const { NOTICE_TYPES } = await import("../../node/operator/notices/notice.ts");
  const entries = Object.entries(NOTICE_TYPES);
  return { title: "Types:", entries: entries.map(([term, { help }]) => ({ term, text: help.replaceAll("`", "") })) };
};

export const WEBHOOK_COMMANDS: readonly Command[] = [
  {
    name: "webhook create",
    synopsis: "field=value… [--json]",
    positionals: { min: 1, max: FIELDS_MAX },
    summary: "create a webhook, and show its secret once",
    notes: [
      WEBHOOK_NOTE,
      "The secret goes to standard output, and is shown this once only. The rest goes to standard error.",
    ],
    list: types,
    options: [JSON_OPTION, ...CLIENT_OPTIONS],
    examples: [
      "anteroom webhook create name=chat url=https://chat.example.com/hooks/anteroom",
      "anteroom webhook create name=crew format=slack url=https://chat.example.com/services/T0/B0/x",
      "anteroom webhook create name=pager url=https://pager.example.com/in types='[node.lost, origin.down]'",
    ],
    run: async (call) => (await import("./webhook.ts")).createWebhook(call),
  },
  {
    name: "webhook list",
    synopsis: "[--json]",
    positionals: NONE,
    summary: "list the webhooks, what waits, and what was given up",
    notes: ["The counts are those of the node that you ask, since its start. SENDER is the node that sends now."],
    options: [JSON_OPTION, ...CLIENT_OPTIONS],
    examples: ["anteroom webhook list"],
    run: async (call) => (await import("./webhook.ts")).listWebhooks(call),
  },
  {
    name: "webhook update",
    synopsis: "ID field=value…",
    positionals: { min: 2, max: FIELDS_MAX },
    summary: "change fields of a webhook; the others stay as they are",
    notes: [WEBHOOK_NOTE],
    list: types,
    options: CLIENT_OPTIONS,
    examples: ["anteroom webhook update wh_7f4e2a90c1b3d586 enabled=false"],
    run: async (call) => (await import("./webhook.ts")).updateWebhook(call),
  },
  {
    name: "webhook rotate",
    synopsis: "ID [--json]",
    positionals: ONE,
    summary: "give a webhook a new secret",
    notes: ["The secret before it signs as well for a day."],
    options: [JSON_OPTION, ...CLIENT_OPTIONS],
    examples: ["anteroom webhook rotate wh_7f4e2a90c1b3d586"],
    run: async (call) => (await import("./webhook.ts")).rotateWebhook(call),
  },
  {
    name: "webhook test",
    synopsis: "ID [--json]",
    positionals: ONE,
    summary: "send a webhook a notice of type webhook.test now",
    notes: ["Exit code 3 if the receiver does not take it."],
    options: [JSON_OPTION, ...CLIENT_OPTIONS],
    examples: ["anteroom webhook test wh_7f4e2a90c1b3d586"],
    run: async (call) => (await import("./webhook.ts")).testWebhook(call),
  },
  {
    name: "webhook delete",
    synopsis: "ID",
    positionals: ONE,
    summary: "delete a webhook, and what waits for it",
    options: CLIENT_OPTIONS,
    examples: ["anteroom webhook delete wh_7f4e2a90c1b3d586"],
    run: async (call) => (await import("./webhook.ts")).deleteWebhook(call),
  },
];
