/** The commands on tokens of the admin API. */

import { GRACE } from "../../node/config/expiry.ts";
import { SCOPES } from "../../node/operator/access/principal.ts";
import { type Command, type HelpList, NONE, ONE, type Option } from "../command.ts";
import { CLIENT_OPTIONS, JSON_OPTION } from "../options.ts";

const EXPIRES: Option = {
  flag: "expires",
  placeholder: "TIME",
  help: "a span (12h, 90d) or a time (2027-01-31T18:00:00Z); none given: no end",
};

const scopes = async (): Promise<HelpList> => ({
  title: "Scopes:",
  entries: [
    { term: "read", text: "status, rooms and events, draws, analytics, watch; the dashboard without its buttons" },
    { term: "operate", text: "hold, open and resume rooms; rollouts, passes, the public value of a draw" },
    {
      term: "configure",
      text: "create, change and delete rooms, events and webhooks; make tokens with no more rights than this one has",
    },
    { term: "mesh", text: "leave and forget, keys of the fast lane, settings; not with --namespace or --room" },
  ],
});

export const TOKEN_COMMANDS: readonly Command[] = [
  {
    name: "token create",
    synopsis: "NAME --scope SCOPES",
    positionals: ONE,
    summary: "make a token of the admin API, with scopes and rooms",
    notes: [
      "It works at every node of the mesh. It is printed once: only a hash of it is kept.",
      "A token can only make tokens with no more rights than its own. The host's own token (DIR/admin.token) can make all.",
    ],
    list: scopes,
    options: [
      {
        flag: "scope",
        placeholder: "SCOPES",
        repeatable: true,
        help: `some of ${SCOPES.join(", ")}, with commas between them`,
      },
      { flag: "namespace", placeholder: "NS", help: "for rooms called NS:NAME alone; others do not exist for it" },
      { flag: "room", placeholder: "NAME", repeatable: true, help: "for this room alone; may be given several times" },
      EXPIRES,
      JSON_OPTION,
      ...CLIENT_OPTIONS,
    ],
    examples: [
      "anteroom token create grafana --scope read",
      "anteroom token create team-ci --scope read,configure --namespace team --expires 90d",
    ],
    run: async (call) => (await import("./token.ts")).createToken(call),
  },
  {
    name: "token list",
    synopsis: "[--json]",
    positionals: NONE,
    summary: "list tokens with their rights, ends and last uses",
    options: [JSON_OPTION, ...CLIENT_OPTIONS],
    examples: ["anteroom token list"],
    run: async (call) => (await import("./token.ts")).listTokens(call),
  },
  {
    name: "token rotate",
    synopsis: "NAME",
    positionals: ONE,
    summary: "give a token another secret; the old one counts a while",
    options: [
      { flag: "grace", placeholder: "SPAN", fallback: GRACE, help: "how long the secret before counts, 0m to 30d" },
      { ...EXPIRES, help: "another end: a span (12h, 90d) or a time; none given: as it was" },
      JSON_OPTION,
      ...CLIENT_OPTIONS,
    ],
    examples: ["anteroom token rotate team-ci", "anteroom token rotate team-ci --grace 0m"],
    run: async (call) => (await import("./token.ts")).rotateToken(call),
  },
  {
    name: "token delete",
    synopsis: "NAME",
    positionals: ONE,
    summary: "delete a token, at all nodes",
    options: [JSON_OPTION, ...CLIENT_OPTIONS],
    examples: ["anteroom token delete team-ci"],
    run: async (call) => (await import("./token.ts")).deleteToken(call),
  },
];
