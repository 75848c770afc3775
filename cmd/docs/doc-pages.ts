/**
 * The pages that are made of tables of the code: `protocol.md` of the kinds of messages, `on-disk.md` of the durable
 * entries. `npm run docs` writes both to dist/docs/.
 */

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { viewShape } from "../../mesh/core/members/view-shape.ts";
import { rowData } from "../../mesh/core/wire/shapes.ts";
import { WIRE_VERSION, WIRES } from "../../mesh/core/wire/wire-range.ts";
import { ROOM_ANSWERS } from "../../node/admission/mesh/room-messages.ts";
import { type Delivery, MESSAGE_KINDS, type MessageKind } from "../../node/peer/message-kinds.ts";
import { ENTRIES } from "../../node/process/stored-entries.ts";
import { type Field, fieldsOf, shapeText } from "./shape-text.ts";

const NOTE = "<!-- Made by `npm run docs` from the tables of the code. -->";

const DELIVERIES: Readonly<Record<Delivery, string>> = {
  urgent: "the stream for small messages",
  bulk: "the stream for rows and tables",
  published: "gossip",
};

export function protocolPage(): string {
  const kinds = Object.keys(MESSAGE_KINDS) as MessageKind[];
  const parts = new Set(kinds.map((kind) => MESSAGE_KINDS[kind].part));
  const sections = [...parts].flatMap((part) => [
    `## Of the part ${code(part)}`,
    ...kinds.filter((kind) => MESSAGE_KINDS[kind].part === part).flatMap(kindSection),
  ]);
  const versions = `This release speaks wire version ${WIRE_VERSION} and understands ${WIRES[0] === WIRES[1] ? "no other" : `${WIRES[0]} to ${WIRES[1]}`}.`;
  const shared = [
    "## Shapes that several messages use",
    "### `row`",
    table(fieldsOf(rowData)),
    "### `view`",
    table(fieldsOf(viewShape)),
  ];
  return page([
    "# What nodes say to each other",
    "All messages between nodes. docs/wire-and-disk.md says how they travel, and what is done with a wrong one.",
    versions,
    index(kinds),
    ...sections,
    ...shared,
  ]);
}

export function onDiskPage(): string {
  const rows = ENTRIES.map(({ key, names, version, writer }) => [
    code([key, ...names.map((name) => `<${name}>`)].join("/")),
    String(version),
    code(writer),
  ]);
  const sections = ENTRIES.flatMap((entry) => {
    const fields = fieldsOf(entry.shape);
    const shape = fields.length > 0 ? table(fields) : `Shape: ${cell(shapeText(entry.shape))}.`;
    return [`## ${code(entry.key)}`, `Holds ${entry.holds}.\nWithout it ${entry.without}.`, shape];
  });
  return page([
    "# What a node keeps on its disk",
    "All entries of `anteroom.db`. docs/wire-and-disk.md says how they are read, and what else a node keeps.",
    markdown(["key", "version", "writer"], rows),
    ...sections,
  ]);
}

function index(kinds: readonly MessageKind[]): string {
  return markdown(
    ["kind", "sent by", "travels by"],
    kinds.map((kind) => {
      const { sender, delivery } = MESSAGE_KINDS[kind];
      return [
        `[${code(kind)}](#${kind})`,
        sender === "member" ? "a member" : "any node",
        (delivery as readonly Delivery[]).map((each) => DELIVERIES[each]).join(", "),
      ];
    }),
  );
}

function kindSection(kind: MessageKind): string[] {
  const answer = Object.entries(ROOM_ANSWERS).find(([question]) => question === kind)?.[1];
  const fields = fieldsOf(MESSAGE_KINDS[kind].shape).filter(({ name }) => name !== "kind");
  return [
    `### ${kind}`,
    ...(answer === undefined ? [] : [`It is answered by [${code(answer)}](#${answer}).`]),
    fields.length === 0 ? "It has no fields." : table(fields),
  ];
}

function table(fields: readonly Field[]): string {
  return markdown(
    ["field", "what it may be"],
    fields.map(({ name, text, isOptional }) => [code(name), isOptional ? `${text}; may be left out` : text]),
  );
}

function page(blocks: readonly string[]): string {
  return `${[NOTE, ...blocks].join("\n\n")}\n`;
}

function code(text: string): string {
  return `\`${text}\``;
}

function cell(text: string): string {
  return text.replaceAll("|", "\\|").replaceAll("<", "&lt;");
}

function markdown(titles: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [titles, titles.map(() => "---"), ...rows];
  return lines.map((cells) => `| ${cells.map((each) => each.replaceAll("|", "\\|")).join(" | ")} |`).join("\n");
}

if (import.meta.main) {
  const folder = join(import.meta.dirname, "../../dist/docs");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "protocol.md"), protocolPage());
  writeFileSync(join(folder, "on-disk.md"), onDiskPage());
}
