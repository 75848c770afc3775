/**
 * The admin API of a running node, as `room` and `status` use it.
 *
 * Failures become a `Failure` with its repair: no node there, a wrong token, no token found. The connection never goes
 * through a proxy of the environment: the token is for the node alone.
 */

import { join } from "node:path";
import { isObject } from "../node/config/is-object.ts";
import type { Problem } from "../node/config/problem.ts";
import { readAddress } from "../node/config/readers.ts";
import { flagOf, SETTINGS, variableOf } from "../node/config/settings-table.ts";
import { messageOf } from "../node/message-of.ts";
import { JSON_LINES, linesOf } from "../node/operator/calls/json-lines.ts";
import { flagValue, type Invocation } from "./command.ts";
import { codeOf, Failure } from "./failure.ts";
import { readInput } from "./read-input.ts";
import { workerDirectory } from "./workers/worker-flags.ts";

const TOKEN_FILE = "admin.token";

/** Longest wait for an answer: the node answers from memory, so a longer silence is a node in trouble. */
const ANSWER_MAX_MS = 10_000;

/** Lines are sent in parts of this length: in shorter ones, each line costs a write. */
const SENT_CHARS = 16_384;

type Documents = Iterable<unknown> | AsyncIterable<unknown>;

export interface AdminClient {
  /** Base URL without a slash at the end. */
  readonly url: string;
  /** Calls `method path`, with `body` as JSON; returns the answer's JSON. Throws `Failure`. */
  readonly call: (method: string, path: string, body?: unknown, conditions?: Conditions) => Promise<unknown>;
  /** Reads what a later change is about. Throws `Failure`. */
  readonly read: (path: string) => Promise<{ readonly body: unknown } & Conditions>;
  /** The same for an answer that is text. */
  readonly callForText: (method: string, path: string, body?: unknown) => Promise<string>;
  /** Posts documents as lines of JSON, and reads those of the answer, some at a time, as they come. Throws `Failure`. */
  readonly lines: (path: string, documents: Documents) => AsyncGenerator<readonly unknown[]>;
}

export interface Conditions {
  /** The ETag of what was read: after another change the node refuses this one, with reason `changed`. */
  readonly ifMatch?: string;
}

export interface ClientOptions {
  /** Longest wait for an answer. */
  readonly answerMaxMs?: number;
}

/** The client that the flags and the environment of `invocation` ask for. Throws `Failure` without a token. */
export function adminClient(invocation: Invocation, { answerMaxMs = ANSWER_MAX_MS }: ClientOptions = {}): AdminClient {
  const url = adminUrl(invocation);
  const token = tokenOf(invocation);
  const authorization = `Bearer ${token}`;
  const send = async (method: string, path: string, body?: unknown, { ifMatch }: Conditions = {}) => {
    const response = await ask({ url, answerMaxMs }, path, {
      method,
      headers: {
        authorization,
        ...(body !== undefined && { "content-type": "application/json" }),
        ...(ifMatch !== undefined && { "if-match": ifMatch }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw refusal(response.status, text, url);
    return { text, etag: response.headers.get("etag") };
  };
  return {
    url,
    call: async (...what) => parseJson((await send(...what)).text, url),
    callForText: async (...what) => (await send(...what)).text,
    read: async (path) => {
      const { text, etag } = await send("GET", path);
      return { body: parseJson(text, url), ...(etag !== null && { ifMatch: etag }) };
    },
    lines: async function* (path, documents) {
      const parts = partsOf(documents);
      const first = await parts.next();
      if (first.done === true) return;
      const body = async function* () {
        yield first.value;
        yield* parts;
      };
      const headers = { authorization, "content-type": JSON_LINES };
      // A list is answered at once; a stream however long it takes: both sides go on as fast as the slower one.
      const answerer = { url, ...(Array.isArray(documents) && { answerMaxMs }) };
      const response = await ask(answerer, path, { method: "POST", headers, body: body() });
      if (!response.ok) throw refusal(response.status, await response.text(), url);
      const whole = unlessLost(response.body, url);
      for await (const lines of linesOf(whole)) yield lines.map((line) => parseJson(line, url));
    },
  };
}

async function* partsOf(documents: Documents): AsyncGenerator<string> {
  let text = "";
  for await (const document of documents) {
    text += `${JSON.stringify(document)}\n`;
    if (text.length < SENT_CHARS) continue;
    yield text;
    text = "";
  }
  if (text !== "") yield text;
}

/** Base URL of the admin API that `invocation` means, without a slash at the end. Throws `Failure`. */
export function adminUrl(invocation: Invocation): string {
  return baseUrl(choice(invocation, "admin") ?? SETTINGS.admin.fallback);
}

/** The path of a room in the API. */
export function roomPath(name: string): string {
  return `/v1/rooms/${encodeURIComponent(name)}`;
}

/** The field `field` of the answer `body`. Throws `Failure` when it is missing: then the answer is not from a node. */
export function answerField(body: unknown, field: string): unknown {
  if (isObject(body) && body[field] !== undefined) return body[field];
  throw new Failure(`Cannot read the answer as it has no ${field}: it is not from an anteroom node`, {
    hint: "check the address given with --admin",
  });
}

type Shared = "admin" | "token" | "tokenFile" | "data";

/** Value of a shared flag, otherwise of its variable. */
function choice(invocation: Invocation, key: Shared): string | undefined {
  return flagValue(invocation, flagOf(key)) ?? ofEnvironment(invocation, key);
}

function ofEnvironment({ io }: Invocation, key: Shared): string | undefined {
  return io.environment[variableOf(key)] || undefined;
}

/** The token by flag, by variable, or from the data directory. Throws `Failure`. */
function tokenOf(invocation: Invocation): string {
  const given = [
    [flagValue(invocation, "token"), flagValue(invocation, "token-file")],
    [ofEnvironment(invocation, "token"), ofEnvironment(invocation, "tokenFile")],
  ];
  for (const [token, file] of given) {
    if (token !== undefined) return token;
    if (file !== undefined) return readTokenFile(invocation, file);
  }
  return readToken(invocation, choice(invocation, "data") ?? SETTINGS.data.fallback);
}

function readTokenFile({ io }: Invocation, path: string): string {
  const text = readInput(io, path);
  if (!text.ok) throw new Failure("Cannot read the admin token", { problems: text.problems });
  return text.value.trim();
}

/** The URL of an address; one that means every interface is asked on loopback. */
function baseUrl(text: string): string {
  const address = readAddress(text);
  if ("value" in address) {
    const { host, port } = address.value;
    const name = host === "" || host === "0.0.0.0" ? "127.0.0.1" : host === "::" ? "::1" : host;
    return `http://${name.includes(":") ? `[${name}]` : name}:${port}`;
  }
  const url = URL.parse(text);
  if (url !== null && /^https?:$/.test(url.protocol)) return url.href.replace(/\/+$/, "");
  const problem: Problem = { path: "--admin", value: text, ...address.complaint };
  throw new Failure("Cannot find the node", { problems: [problem] });
}

function readToken({ io }: Invocation, data: string): string {
  const path = join(data, TOKEN_FILE);
  try {
    return readEither(io, path, join(data, workerDirectory(1), TOKEN_FILE)).trim();
  } catch (error) {
    const missing = codeOf(error) === "ENOENT";
    const what = missing ? `there is no ${path}` : `${path} cannot be read: ${messageOf(error)}`;
    throw new Failure(`Cannot talk to the node as no admin token is known: ${what}`, {
      hint: missing
        ? "name the node's data directory with --data DIR, or give the token with --token-file FILE or ANTEROOM_TOKEN"
        : "run this as the user that runs the node, or give the token with --token-file FILE or ANTEROOM_TOKEN",
      cause: error,
    });
  }
}

/** The text of `path`, or of `other` if that is missing: on a host with workers, the first one answers. */
function readEither({ read }: Invocation["io"], path: string, other: string): string {
  try {
    return read(path);
  } catch (error) {
    if (codeOf(error) !== "ENOENT") throw error;
    return read(other);
  }
}

interface Answerer {
  readonly url: string;
  /** Left out to wait without an end. */
  readonly answerMaxMs?: number;
}

async function ask({ url, answerMaxMs = 0 }: Answerer, path: string, init: BunFetchRequestInit): Promise<Response> {
  try {
    return await fetch(url + path, {
      ...init,
      proxy: false,
      redirect: "manual",
      ...(answerMaxMs > 0 && { signal: AbortSignal.timeout(answerMaxMs) }),
    });
  } catch (error) {
    if (messageOf(error).includes("timed out")) {
      throw new Failure(`Cannot talk to the node as ${url} did not answer within ${answerMaxMs / 1_000} s`, {
        hint: "look at the node's log and at the load of its host",
        reason: "unreachable",
        cause: error,
      });
    }
    throw new Failure(`Cannot talk to the node as nothing answers at ${url}: ${codeOf(error) || messageOf(error)}`, {
      hint: "start one with: anteroom serve --origin URL; or name another with --admin ADDR",
      reason: "unreachable",
      cause: error,
    });
  }
}

/** What comes of an answer; its end before it is whole is a `Failure`. */
async function* unlessLost(body: AsyncIterable<Uint8Array> | null, url: string): AsyncGenerator<Uint8Array> {
  try {
    yield* body ?? [];
  } catch (error) {
    throw new Failure(`Cannot read the whole answer of ${url}: ${codeOf(error) || messageOf(error)}`, {
      hint: "look at the node's log and at the load of its host",
      reason: "unreachable",
      cause: error,
    });
  }
}

function refusal(status: number, text: string, url: string): Failure {
  const { detail, hint, problems, reason, code } = problemIn(text);
  if (status === 401) {
    const why = detail?.includes(" token as ") ? `: ${detail.replace(/^.*? as /, "")}` : "";
    return new Failure(`Cannot talk to the node as ${url} refuses the token${why}`, {
      hint: "use a token of that node or its mesh: --data DIR (the node's data directory), --token-file FILE or ANTEROOM_TOKEN",
      reason: "unauthorized",
    });
  }
  if (detail === undefined) {
    return new Failure(`Cannot talk to the node as ${url} does not answer like an anteroom node: status ${status}`, {
      hint: "check the address given with --admin",
    });
  }
  const why = reason ?? (status === 403 || status === 412 ? code : undefined);
  return new Failure(detail, {
    problems,
    ...(hint !== undefined && { hint }),
    ...(why !== undefined && { reason: why }),
  });
}

interface ToldProblem {
  readonly detail?: string;
  readonly hint?: string;
  readonly reason?: string;
  readonly code?: string;
  readonly problems: readonly Problem[];
}

/** Problem details (RFC 9457), as far as the answer has their form. */
function problemIn(text: string): ToldProblem {
  try {
    const { detail, hint, reason, code, problems } = JSON.parse(text) as Readonly<Record<keyof ToldProblem, unknown>>;
    if (typeof detail !== "string") return { problems: [] };
    return {
      detail,
      ...(typeof hint === "string" && { hint }),
      ...(typeof reason === "string" && { reason }),
      ...(typeof code === "string" && { code }),
      problems: Array.isArray(problems) ? (problems as Problem[]) : [],
    };
  } catch {
    // Not JSON, so not from a node: the caller says so.
    return { problems: [] };
  }
}

function parseJson(text: string, url: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Failure(`Cannot read the answer of ${url} as it is not JSON: ${messageOf(error)}`, {
      hint: "check the address given with --admin",
      cause: error,
    });
  }
}
