import { expect, test } from "vitest";
import type { NodeId } from "../../mesh/core/ids.ts";
import { type Hello, WIRE_VERSION } from "../../mesh/core/wire/hello.ts";
import { type Judgement, objectionTo, wordsFor } from "../../mesh/judge-hello.ts";
import { HELLO } from "../contract/transport.ts";

const [US, PEER] = ["us", "peer"] as unknown as readonly [NodeId, NodeId];
const theirs: Hello = { ...HELLO, node: PEER };
const content: Judgement = {
  ours: { ...HELLO, node: US },
  theirs,
  peer: PEER,
  connected: undefined,
  isPunished: false,
};

test.each<[string, Partial<Judgement>]>([
  ["that fits", {}],
  ["of a node of another locality and release", { theirs: { ...theirs, locality: "there", version: "9" } }],
  ["of a second connection of the same process", { connected: theirs }],
  ["of a later process", { connected: { ...theirs, incarnation: theirs.incarnation - 1 } }],
])("a hello %s is accepted", (_, parts) => expect(objectionTo({ ...content, ...parts })).toBeUndefined());

test.each<[string, Partial<Judgement>, RegExp]>([
  ["in another's name", { theirs: { ...theirs, node: US } }, /^says that it is us, but its key is that of peer$/],
  ["of another mesh", { theirs: { ...theirs, mesh: "other" } }, /^mesh other is not ours/],
  ["of another wire version", { theirs: { ...theirs, wire: WIRE_VERSION + 1 } }, /^wire version/],
  [
    "of an earlier process",
    { connected: { ...theirs, incarnation: 2_000 } },
    /^an older process .* 1000, the other at 2000/,
  ],
  ["of a punished peer", { isPunished: true }, /made no sense/],
])("a hello %s is refused", (_, parts, words) => expect(objectionTo({ ...content, ...parts })).toMatch(words));

test("our own objection goes before the peer's", () => {
  expect([wordsFor("ours", "theirs"), wordsFor(undefined, "theirs")]).toEqual(["ours", "it refuses us: theirs"]);
});
