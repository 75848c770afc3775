/**
 * Makes the next release of this one as its files are loaded: `bun --preload test/e2e/next-release.ts cmd/main.ts serve
 * ...`.
 *
 * It understands one wire version more. It sends a kind of message that this release does not know, ten times a second
 * to each peer; every message about members has one field more, and so has every part of a row that it signs. It keeps
 * an entry on its disk that this release does not know.
 */

import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { plugin } from "bun";

const ROOT = resolve(import.meta.dirname, "../..");

/** By file: what stands there, and what stands there in the next release. */
const CHANGES: Readonly<Record<string, readonly (readonly [find: string, replace: string])[]>> = {
  "mesh/core/wire/wire-range.ts": [["export const WIRE_VERSION = 1;", "export const WIRE_VERSION = 2;"]],
  "mesh/core/members/member-parts.ts": [
    [
      "const message = { ...body, view: this.book.number,",
      'const message = { ...body, colour: "red", view: this.book.number,',
    ],
  ],
  "mesh/core/replica/signed-part.ts": [
    ["? [...head, giftRows(entries.gifts)]", '? [...head, giftRows(entries.gifts), "red"]'],
    [
      ", countRows(entries.counts, entries.firstMinute)],",
      ', countRows(entries.counts, entries.firstMinute), ["red"]],',
    ],
  ],
  "node/peer/peer.ts": [
    [
      "    this.members.tick(now);\n",
      '    this.members.tick(now);\n    this.outbox.put("hologram/1", { colour: "red" });\n' +
        '    for (const node of this.#parts.up) this.outbox.send(node, { kind: "hologram", colours: ["red"] } as never);\n',
    ],
  ],
};

for (const [file, changes] of Object.entries(CHANGES)) {
  const path = resolve(ROOT, file);
  let contents = readFileSync(path, "utf8");
  for (const [find, replace] of changes) {
    if (contents.split(find).length !== 2)
      throw new Error(`Cannot make the next release as ${file} must have this once: ${find}`);
    contents = contents.replace(find, () => replace);
  }
  const filter = new RegExp(`^${RegExp.escape(path)}$`);
  void plugin({ name: file, setup: ({ onLoad }) => void onLoad({ filter }, () => ({ contents, loader: "ts" })) });
}
