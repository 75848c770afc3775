import { expect, test } from "vitest";
import { z } from "zod";
import { onDiskPage, protocolPage } from "../../../cmd/docs/doc-pages.ts";
import { shapeText } from "../../../cmd/docs/shape-text.ts";
import { listOf, minute, nodeId, roomId, whole } from "../../../mesh/core/wire/shapes.ts";
import { MESSAGE_KINDS } from "../../../node/peer/message-kinds.ts";
import { ENTRIES } from "../../../node/process/stored-entries.ts";

test("every kind of message and every entry has its section, with all its fields", () => {
  const [protocol, onDisk] = [protocolPage(), onDiskPage()];
  for (const [kind, { shape }] of Object.entries(MESSAGE_KINDS)) {
    const section = protocol.split(`\n### ${kind}\n`)[1]?.split("\n### ")[0] ?? "";
    for (const field of Object.keys(shape.shape)) if (field !== "kind") expect(section).toContain(`| \`${field}\` |`);
  }
  for (const { key } of ENTRIES) expect(onDisk).toContain(`\n## \`${key}\`\n`);
});

test("a shape is told in words that do not name the library", () => {
  const shape = z.object({
    at: minute,
    of: listOf(z.tuple([nodeId, roomId]), 1_000),
    how: z.enum(["a", "b"]).optional(),
  });
  expect(shapeText(shape)).toBe("{ at: minute, of: list of at most 1,000: [node id, room id], how?: `a` or `b` }");
  expect([shapeText(whole), shapeText(z.literal(true)), shapeText(z.string().nullable())]).toEqual([
    ...["number", "`true`", "text or null"],
  ]);
  for (const page of [protocolPage(), onDiskPage()]) expect(page).not.toMatch(/custom|pipe|undefined|\[object/);
});
