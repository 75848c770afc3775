/**
 * `anteroom snippet PROXY`: a configuration for the proxy in front, with the rooms of a running node filled in. Or the
 * objects of a mesh for Kubernetes (`kubernetes.ts`).
 *
 * Each proxy's text is made in a file of its own under `snippet/`.
 */

import { isObject } from "../../node/config/is-object.ts";
import { didYouMean } from "../../node/config/near-miss.ts";
import { type Problem, problemAt } from "../../node/config/problem.ts";
import { type Reading, readAddress, readListenAddress } from "../../node/config/readers.ts";
import { parseOrigin } from "../../node/http/origin-target.ts";
import type { LaneDocument } from "../../node/operator/api/lane.ts";
import { adminClient, answerField } from "../admin-client.ts";
import { flagValue, type Invocation, isOn } from "../command.ts";
import { EXIT } from "../exit.ts";
import { Failure } from "../failure.ts";
import { caddySnippet } from "./caddy.ts";
import { haproxySnippet } from "./haproxy.ts";
import { isForKubernetes, kubernetesSnippet } from "./kubernetes.ts";
import { nginxSnippet } from "./nginx.ts";
import { BIND } from "./options.ts";
import { type PlanChoice, planOf, type SnippetPlan } from "./plan.ts";

const KUBERNETES = "kubernetes";

/** What it can print besides, by name. */
const KINDS: Readonly<Record<string, (plan: SnippetPlan) => string>> = {
  haproxy: haproxySnippet,
  nginx: nginxSnippet,
  caddy: caddySnippet,
};

const SNIPPET_KINDS = [...Object.keys(KINDS), KUBERNETES];

const NOTHING = "no snippet was made";

export async function snippet(invocation: Invocation): Promise<number> {
  const [kind = ""] = invocation.positionals;
  if (kind === KUBERNETES) return kubernetesSnippet(invocation);
  const print = KINDS[kind];
  const isPlain = isOn(invocation, "plain");
  const [cert, key = ""] = [flagValue(invocation, "tls-cert"), flagValue(invocation, "tls-key")];
  const choice = {
    isPlain,
    tlsFiles: cert === undefined ? undefined : { cert, key },
    rooms: invocation.flags.get("room") ?? [],
    bind: flagValue(invocation, "bind") ?? (cert === undefined ? BIND.http : BIND.https),
    gates: invocation.flags.get("gate") ?? [],
    origin: flagValue(invocation, "origin"),
  };
  const problems: Problem[] = [
    ...(print === undefined ? [kindProblem(kind)] : []),
    ...problemsOf("--bind", readAddress(choice.bind), choice.bind),
    ...choice.gates.flatMap((gate) => problemsOf("--gate", readListenAddress(gate), gate)),
    ...(choice.origin === undefined ? [] : originProblems(choice.origin)),
    ...(isPlain ? meaningless(choice) : []),
    ...[...invocation.flags].flatMap(([flag, [value]]) => (isForKubernetes(flag) ? [notForProxy(flag, value)] : [])),
    ...tlsProblems(kind, cert, key),
  ];
  if (problems.length > 0 || print === undefined) throw new Failure(NOTHING, { problems });
  const lane = answerField(await adminClient(invocation).call("GET", "/v1/lane"), "lane");
  if (!isLane(lane)) {
    throw new Failure("Cannot read the answer as it is not about the fast lane", {
      hint: "check the address given with --admin, and that the node is of this release",
    });
  }
  const names = lane.rooms.map(({ name }) => name);
  const unknown = choice.rooms.filter((name) => !names.includes(name));
  if (unknown.length > 0) throw new Failure(NOTHING, { problems: unknown.map((name) => roomProblem(name, names)) });
  const plan = planOf(lane, choice);
  invocation.io.answer(print(plan).trimEnd());
  if (plan.lane.length === 0 && !isPlain) invocation.io.talk("No room can use the fast lane; the comments say why.");
  return EXIT.ok;
}

function isLane(value: unknown): value is LaneDocument {
  return isObject(value) && typeof value.snippet === "string" && Array.isArray(value.rooms);
}

function kindProblem(kind: string): Problem {
  const repair = didYouMean(kind, SNIPPET_KINDS, `write one of ${SNIPPET_KINDS.join(", ")}`);
  return problemAt("snippet", kind, { problem: "is nothing that it prints", repair });
}

function problemsOf(flag: string, read: Reading<unknown>, text: string): Problem[] {
  return "value" in read ? [] : [problemAt(flag, text, read.complaint)];
}

/** All requests go to the gates: neither rooms nor origins are in a plain snippet. */
function meaningless({ rooms: [room], origin }: Pick<PlanChoice, "rooms" | "origin">): Problem[] {
  const complaint = { problem: "means nothing beside --plain", repair: "leave one of them out" };
  return Object.entries({ "--room": room, "--origin": origin }).flatMap(([flag, value]) =>
    value === undefined ? [] : [problemAt(flag, value, complaint)],
  );
}

function notForProxy(flag: string, value: string | undefined): Problem {
  return problemAt(`--${flag}`, value, { problem: "is for kubernetes alone", repair: "leave it out" });
}

/** Files that a proxy would look for in vain. They are at its host, so only their names can be checked. */
function tlsProblems(kind: string, cert: string | undefined, key: string): Problem[] {
  const unfit = [cert ?? "", key].filter((path) => !/^[\w./@+-]*$/.test(path));
  const isKeyIn = kind === "haproxy";
  const odd = unfit.map((path) =>
    problemAt("--tls-cert and --tls-key", path, { problem: "has blanks or signs", repair: "name a plain path" }),
  );
  if (cert === undefined && key !== "")
    return [...odd, problemAt("--tls-key", key, { problem: "is given alone", repair: "add --tls-cert FILE" })];
  if (cert === undefined || isKeyIn === (key === "")) return odd;
  const repair = isKeyIn ? "leave it out, and put the key behind the chain in --tls-cert" : "add --tls-key FILE";
  const problem = isKeyIn ? "is given, and HAProxy reads both from one file" : "is missing beside --tls-cert";
  return [...odd, problemAt("--tls-key", key === "" ? undefined : key, { problem, repair })];
}

/** The path of an origin goes before each request's own, and only the gate does that. */
function originProblems(url: string): Problem[] {
  const target = parseOrigin(url);
  const repair = "write one such as http://10.0.0.5:3000";
  if (target === undefined) return [problemAt("--origin", url, { problem: "is not a base URL", repair })];
  return target.basePath === "" ? [] : [problemAt("--origin", url, { problem: "has a path", repair })];
}

function roomProblem(name: string, names: readonly string[]): Problem {
  return problemAt("--room", name, {
    problem: "is not a room of this node",
    repair: `name one of ${names.join(", ")}`,
  });
}
