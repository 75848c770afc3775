/** The rules of a room, and what they would do with a request that somebody writes down. */

import type { ApiRoom } from "../../../rooms/api-room.ts";
import type { Trial } from "../../api/trial.ts";
import { may } from "./calls.ts";
import { make } from "./dom.ts";
import { type Field, fieldsOf, type Values } from "./fields.ts";
import { openPanel, orderForm, tableOf } from "./panel.ts";
import { actionText, type Rule, RuleList, rulesOf, savedRoom } from "./rule-list.ts";

const FIELDS: readonly Field[] = [
  { name: "url", title: "Address", type: "text", help: "the whole one, such as https://shop.example.com/cart?item=1" },
  { name: "method", title: "Method", type: { choices: ["GET", "POST", "HEAD", "PUT", "PATCH", "DELETE", "OPTIONS"] } },
  { name: "headers", title: "Header fields", type: "textarea", help: "one a line, such as User-Agent: Mozilla/5.0" },
  { name: "address", title: "Client's address", type: "text", help: "empty: rules about it do not apply" },
];

export async function openRules(name: string): Promise<void> {
  await openPanel(`Rules of ${name}`, async () => {
    const saved = await savedRoom(name);
    if (!may("configure")) return [ruleTable(saved.room), ...tester(() => saved.room)];
    const list = new RuleList(name, saved, await fieldsOf("NewRoom", "rules"));
    return [make("div", { class: "design" }, list.element, make("div", {}, ...tester(() => list.room)))];
  });
}

function ruleTable(room: ApiRoom): HTMLElement {
  const rules = rulesOf(room);
  return tableOf<Rule>({
    label: `Rules of ${room.name}`,
    rows: rules,
    none: "This room has no rule: each request is one of a visitor.",
    columns: [
      { title: "No.", of: (rule) => String(rules.indexOf(rule) + 1) },
      { title: "Requests", of: ({ expression }) => make("code", {}, expression) },
      { title: "Action", of: actionText },
      { title: "Description", of: ({ description }) => description },
    ],
  });
}

/** `roomNow`: as the node has it. */
function tester(roomNow: () => ApiRoom): readonly HTMLElement[] {
  const { host, path } = roomNow();
  const result = make("div", { role: "status" });
  const form = orderForm<Trial>({
    label: "Try a request",
    fields: FIELDS,
    values: { url: host === "*" ? "" : `https://${host}${path}` },
    button: "What would happen?",
    call: ({ values }) => ({ method: "POST", path: "/v1/trial", body: requestOf(values()) }),
    done: ({ words, room, rule }) => {
      const shown = roomNow();
      const rules = room === shown.name ? rulesOf(shown) : [];
      // Of another room, or changed since: it has no number here.
      const at = rules.findIndex(({ expression, enabled }) => enabled && expression === rule?.expression);
      const title = at === -1 ? `A rule of room ${room}: ` : `Rule ${at + 1} of room ${room}: `;
      const which = rule === null ? [] : [make("p", {}, title, make("code", {}, rule.expression))];
      result.replaceChildren(make("p", {}, words), ...which);
    },
  });
  return [make("h3", {}, "Try a request"), make("small", {}, "by the rules that are saved"), form, result];
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
