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
import { type Delivery, MESSAGE_KINDS, type MessageKind, type MessagePart } from "../../node/peer/message-kinds.ts";
import { ENTRIES } from "../../node/stored-entries.ts";
import { type Field, fieldsOf, shapeText } from "../shape-text.ts";
import { ENTRIES_INTRO, PARTS, PROTOCOL_INTRO } from "./doc-intros.ts";
import { WORDS } from "./doc-words.ts";

const NOTE =
  "<!-- Made by `npm run docs`: change the tables in the code, or the words in `cmd/docs/`, and run it again. -->";

const DELIVERIES: Readonly<Record<Delivery, string>> = {
  urgent: "the stream for small messages",
  bulk: "the stream for rows and tables",
  published: "gossip",
};

export function protocolPage(): string {
  const kinds = Object.keys(MESSAGE_KINDS) as MessageKind[];
  const parts = Object.keys(PARTS) as MessagePart[];
  const sections = parts.flatMap((part) => {
    const own = kinds.filter((kind) => MESSAGE_KINDS[kind].part === part);
    return own.length === 0 ? [] : [`## ${PARTS[part].title}`, PARTS[part].words, ...own.flatMap(kindSection)];
  });
  const versions = `This release speaks wire version ${WIRE_VERSION} and understands ${WIRES[0] === WIRES[1] ? "no other" : `${WIRES[0]} to ${WIRES[1]}`}.`;
  const shared = [
    "## Shapes that several messages use",
    "### `row`",
    table(fieldsOf(rowData)),
    "### `view`",
    table(fieldsOf(viewShape)),
  ];
  return page(["# What nodes say to each other", PROTOCOL_INTRO, versions, index(kinds), ...sections, ...shared]);
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
    ENTRIES_INTRO,
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
  const { sent, lost, doubled, late } = WORDS[kind];
  const answer = Object.entries(ROOM_ANSWERS).find(([question]) => question === kind)?.[1];
  const fields = fieldsOf(MESSAGE_KINDS[kind].shape).filter(({ name }) => name !== "kind");
  return [
    `### ${kind}`,
    answer === undefined ? sent : `${sent}\nIt is answered by [${code(answer)}](#${answer}).`,
    `- Lost: ${lost}\n- Doubled: ${doubled}\n- Late: ${late}`,
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
