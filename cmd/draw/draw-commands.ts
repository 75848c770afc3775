/** The commands on draws. */

import { type Command, ONE, type Option } from "../command.ts";
import { CLIENT_OPTIONS, JSON_OPTION } from "../options.ts";

const ID: Option = {
  flag: "id",
  placeholder: "ID",
  repeatable: true,
  help: "a visitor's id in the draw, as the waiting page shows it: says the visitor's number",
};

export const DRAW_COMMANDS: readonly Command[] = [
  {
    name: "draw export",
    synopsis: "NAME [EVENT] [--json]",
    positionals: { min: 1, max: 2 },
    summary: "write a draw, with all ids in order, for everybody to check",
    notes: [
      "NAME is a room or an event. The file goes to standard output: the secret and the hash that was published, the public value, " +
        "the seed, and the ids of all who were drawn, the first one first. With --json, what is known of the draw so far: the hash, from the declaration on.",
    ],
    options: [JSON_OPTION, ...CLIENT_OPTIONS],
    examples: ["anteroom draw export shop > shop.draw"],
    run: async (call) => (await import("./draw.ts")).exportDraw(call),
  },
  {
    name: "draw value",
    synopsis: "NAME VALUE | NAME EVENT VALUE",
    positionals: { min: 2, max: 3 },
    summary: "give the public value that was announced for a draw",
    notes: ["It is given once, at any node, after the list is closed: 5 s after the start. The sale opens with it."],
    options: CLIENT_OPTIONS,
    examples: ['anteroom draw value shop "3 14 15 26 35 / 8 9"'],
    run: async (call) => (await import("./draw.ts")).giveDrawValue(call),
  },
  {
    name: "draw verify",
    synopsis: "FILE | - [--id ID]… [--json]",
    positionals: ONE,
    summary: "check that the order of a draw follows from its seed",
    notes: [
      "Works offline and without a node. FILE is what draw export wrote.",
      "Exit code 0: all of it is right; 2: a file cannot be read; 3: it is damaged, forged or contradicts itself, or an id is " +
        "not on the list.",
    ],
    options: [ID, JSON_OPTION],
    examples: ["anteroom draw verify shop.draw --id 0b61c2a95de07"],
    run: async (call) => (await import("./draw.ts")).verifyDraw(call),
  },
];
