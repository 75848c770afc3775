/** The rules of a room, and what they would do with a request that somebody writes down. */

import type { ApiRoom } from "../../../rooms/api-room.ts";
import type { Trial } from "../../api/trial.ts";
import { read, roomPath } from "./calls.ts";
import { make } from "./dom.ts";
import type { Field, Values } from "./fields.ts";
import { openPanel, orderForm, tableOf } from "./panel.ts";

interface Rule {
  readonly expression: string;
  readonly action?: string;
  readonly description?: string;
  readonly enabled?: boolean;
}

const FIELDS: readonly Field[] = [
  { name: "url", title: "Address", type: "text", help: "the whole one, such as https://shop.example.com/cart?item=1" },
  { name: "method", title: "Method", type: { choices: ["GET", "POST", "HEAD", "PUT", "PATCH", "DELETE", "OPTIONS"] } },
  { name: "headers", title: "Header fields", type: "textarea", help: "one a line, such as User-Agent: Mozilla/5.0" },
  { name: "address", title: "Client's address", type: "text", help: "empty: rules about it do not apply" },
];

export async function openRules(name: string): Promise<void> {
  await openPanel(`Rules of ${name}`, async () => {
    const { room } = await read<{ readonly room: ApiRoom }>(roomPath(name));
    const rules: readonly Rule[] = room.rules ?? [];
    const table = tableOf<Rule>({
      label: `Rules of ${name}`,
      rows: rules,
      none: "This room has no rule: each request is one of a visitor.",
      columns: [
        { title: "No.", of: (rule) => String(rules.indexOf(rule) + 1) },
        { title: "Requests", of: ({ expression }) => make("code", {}, expression) },
        {
          title: "Action",
          of: ({ action = "", enabled }) => (enabled === false ? "off" : action.replaceAll("_", " ")),
        },
        { title: "Description", of: ({ description = "" }) => description },
      ],
    });
    const result = make("div", { role: "status" });
    const form = orderForm<Trial>({
      label: "Try a request",
      fields: FIELDS,
      values: { url: room.host === "*" ? "" : `https://${room.host}${room.path}` },
      button: "What would happen?",
      call: ({ values }) => ({ method: "POST", path: "/v1/trial", body: requestOf(values()) }),
      done: ({ words, rule }) => {
        const at = rules.findIndex(({ expression }) => expression === rule?.expression);
        const which = rule === null ? [] : [make("p", {}, `Rule ${at + 1}: `, make("code", {}, rule.expression))];
        result.replaceChildren(make("p", {}, words), ...which);
      },
    });
    return [table, make("h3", {}, "Try a request"), form, result];
  });
}

function requestOf({ url, method, headers, address }: Values): Values {
  const lines = String(headers)
    .split("\n")
    .filter((line) => line.includes(":"));
  const fields = lines.map((line) => [
    line.slice(0, line.indexOf(":")).trim(),
    line.slice(line.indexOf(":") + 1).trim(),
  ]);
  return { url, method, headers: Object.fromEntries(fields), ...(address !== "" && { address }) };
}
