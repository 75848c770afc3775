/**
 * `anteroom token …`: tokens of the admin API, by that API.
 *
 * The secret of a token is the only answer on stdout, so that a script can keep it; what there is to say about it goes
 * to stderr.
 */

import type { ApiToken } from "../../node/operator/api/tokens.ts";
import { adminClient, answerField } from "../admin-client.ts";
import { flagValue, type Invocation, isOn } from "../command.ts";
import { EXIT } from "../exit.ts";
import { table, tableOptions } from "../print.ts";

export async function createToken(invocation: Invocation): Promise<number> {
  const { flags, positionals } = invocation;
  const rooms = flags.get("room");
  const scopes = flags.get("scope")?.flatMap((given) => given.split(",").map((scope) => scope.trim()));
  const order = {
    name: positionals[0],
    scopes,
    namespace: flagValue(invocation, "namespace"),
    rooms,
    expires: flagValue(invocation, "expires"),
  };
  const body = await adminClient(invocation).call("POST", "/v1/tokens", order);
  return showSecret(invocation, body, "Made");
}

export async function rotateToken(invocation: Invocation): Promise<number> {
  const order = { grace: flagValue(invocation, "grace"), expires: flagValue(invocation, "expires") };
  const body = await adminClient(invocation).call("POST", `${pathOf(invocation)}/rotate`, order);
  return showSecret(invocation, body, "Rotated");
}

export async function listTokens(invocation: Invocation): Promise<number> {
  const { io } = invocation;
  const body = await adminClient(invocation).call("GET", "/v1/tokens");
  const tokens = answerField(body, "tokens") as readonly ApiToken[];
  if (isOn(invocation, "json")) io.answer(JSON.stringify({ tokens }));
  else if (tokens.length > 0) io.answer(tokenTable(tokens, invocation));
  else io.talk("No tokens yet, besides those of the nodes (admin.token). Make one with: anteroom token create");
  return EXIT.ok;
}

export async function deleteToken(invocation: Invocation): Promise<number> {
  const { io } = invocation;
  const body = await adminClient(invocation).call("DELETE", pathOf(invocation));
  const { name } = answerField(body, "token") as ApiToken;
  if (isOn(invocation, "json")) io.answer(JSON.stringify(body));
  else io.answer(`Deleted token ${name}: the nodes that answer refuse it from now on.`);
  tellSilent(invocation, body);
  return EXIT.ok;
}

function pathOf({ positionals: [name = ""] }: Invocation): string {
  return `/v1/tokens/${encodeURIComponent(name)}`;
}

function showSecret(invocation: Invocation, body: unknown, done: string): number {
  const { io } = invocation;
  const token = answerField(body, "token") as ApiToken;
  const secret = String(answerField(body, "secret"));
  if (isOn(invocation, "json")) {
    io.answer(JSON.stringify(body));
    return EXIT.ok;
  }
  const before =
    token.previous_secret === null ? "" : ` The secret before counts until ${token.previous_secret.until}.`;
  io.talk(`${done} token ${token.name}: ${summary(token)}.${before} It is shown this once:`);
  io.answer(secret);
  tellSilent(invocation, body);
  return EXIT.ok;
}

/** Says which nodes learn of a change only when they are back. */
function tellSilent({ io }: Invocation, body: unknown): void {
  const { silent_nodes: nodes = [] } = Object(body) as { readonly silent_nodes?: readonly string[] };
  if (nodes.length > 0)
    io.talk(`These nodes do not answer, and go by what was before until they do: ${nodes.join(", ")}`);
}

function summary({ scopes, expires_on: end, ...token }: ApiToken): string {
  return `${scopes.join(", ")}; ${reachText(token)}; ${end === null ? "without an end" : `until ${end}`}`;
}

function reachText({ namespace, rooms }: Pick<ApiToken, "namespace" | "rooms">): string {
  if (rooms !== null) return rooms.join(", ");
  return namespace === null ? "all rooms" : `rooms of ${namespace}`;
}

function tokenTable(tokens: readonly ApiToken[], { io }: Invocation): string {
  const columns = [
    { title: "TOKEN", cutTo: 8 },
    { title: "SCOPES" },
    { title: "ROOMS", cutTo: 12 },
    { title: "ENDS" },
    { title: "LAST USED HERE" },
    { title: "MADE BY", cutTo: 8 },
  ];
  const rows = tokens.map((token) => [
    token.name,
    token.scopes.join(","),
    token.rooms?.join(",") ?? (token.namespace === null ? "all" : `${token.namespace}:*`),
    token.expires_on === null ? "never" : token.expired ? "expired" : token.expires_on.slice(0, 16),
    token.last_used_here?.slice(0, 16) ?? "–",
    token.created_by,
  ]);
  return table(columns, rows, tableOptions(io));
}
