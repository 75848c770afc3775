import { expect, test } from "vitest";
import type { NodeId } from "../../mesh/core/ids.ts";
import type { Hello } from "../../mesh/core/wire/hello.ts";
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

function speaks(wire: number, oldest: number, newest: number): Hello {
  return { ...theirs, wire, understands: [oldest, newest] };
}

test.each<[string, Partial<Judgement>]>([
  ["that fits", {}],
  ["of a node of another locality and release", { theirs: { ...theirs, locality: "there", version: "9" } }],
  ["of a newer release in a mesh that speaks as before", { theirs: speaks(4, 4, 5), ours: speaks(4, 4, 4) }],
  ["of a newer release that is not in the mesh yet", { theirs: speaks(4, 4, 5), ours: speaks(5, 4, 5) }],
  ["of the next release but one, where all understand it", { theirs: speaks(5, 5, 6), ours: speaks(5, 4, 5) }],
  ["of a second connection of the same process", { connected: theirs }],
  ["of a later process", { connected: { ...theirs, incarnation: theirs.incarnation - 1 } }],
])("a hello %s is accepted", (_, parts) => expect(objectionTo({ ...content, ...parts })).toBeUndefined());

test.each<[string, Partial<Judgement>, RegExp]>([
  ["in another's name", { theirs: { ...theirs, node: US } }, /^says that it is us, but its key is that of peer$/],
  ["of another mesh", { theirs: { ...theirs, mesh: "other" } }, /^mesh other is not ours/],
  ["of another wire version", { theirs: speaks(5, 5, 5), ours: speaks(4, 4, 4) }, /^wire version 5 .*ours, 4/],
  [
    "of a mesh that has gone on",
    { theirs: speaks(5, 4, 5), ours: speaks(4, 4, 4) },
    /^wire version 5 .*one wire version/,
  ],
  [
    "of a node that the mesh has left behind",
    { theirs: speaks(4, 4, 4), ours: speaks(5, 4, 5) },
    /^wire version 4 .*ours, 5/,
  ],
  ["two versions ahead", { theirs: speaks(5, 5, 6), ours: speaks(4, 4, 5) }, /^wire version 5 .*ours, 4/],
  [
    "of an earlier process",
    { connected: { ...theirs, incarnation: 2_000 } },
    /^an older process .* 1000, the other at 2000/,
  ],
  ["of a punished peer", { isPunished: true }, /sent invalid data/],
])("a hello %s is refused", (_, parts, words) => expect(objectionTo({ ...content, ...parts })).toMatch(words));

test("our own objection goes before the peer's", () => {
  expect([wordsFor("ours", "theirs"), wordsFor(undefined, "theirs")]).toEqual(["ours", "it refuses us: theirs"]);
});
