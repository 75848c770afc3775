/** Calls of the public API, with the log-in of this page in place of a token; and the same calls for a terminal. */

export interface Call {
  readonly method: "GET" | "POST" | "PATCH" | "DELETE";
  readonly path: string;
  /** A list is sent as lines of JSON. */
  readonly body?: unknown;
  /** The change is made only while its object has this ETag. */
  readonly ifMatch?: string | undefined;
}

/** Why the node refused a call, in words for people. */
export class Refused extends Error {
  readonly code: string | undefined;
  readonly problems: readonly Problem[];

  constructor(message: string, code: string | undefined, problems: readonly Problem[]) {
    super(message);
    this.code = code;
    this.problems = problems;
  }
}

/** What is wrong with a value of the call's body, and where. */
export interface Problem {
  readonly path: string;
  readonly problem: string;
  readonly repair: string;
}

interface ProblemDetails {
  readonly code?: string;
  readonly detail?: string;
  readonly hint?: string;
  readonly problems?: readonly Problem[];
}

const CSRF = contentOf("csrf");
const SCOPES = contentOf("scopes").split(" ");

/** What this node knows about the person or token that is logged in; the API has the last word. */
export function may(scope: "read" | "operate" | "configure"): boolean {
  return SCOPES.includes(scope);
}

export async function answerOf(call: Call): Promise<Response> {
  const { method, path, body, ifMatch } = call;
  const response = await fetch(path, {
    method,
    headers: {
      "Anteroom-Csrf": CSRF,
      ...(body !== undefined && { "Content-Type": typeOf(body) }),
      ...(ifMatch !== undefined && { "If-Match": ifMatch }),
    },
    ...(body !== undefined && { body: textOf(body) }),
  });
  if (response.status === 401) location.reload();
  if (response.ok) return response;
  const details: ProblemDetails = await response.json().catch(() => ({}));
  throw refusedBy({ detail: `The node answered ${response.status}.`, ...details });
}

function refusedBy({ code, detail, hint, problems = [] }: ProblemDetails): Refused {
  const lines = problems.map(({ path: at, problem, repair }) => `${at} ${problem}: ${repair}`);
  const more = hint === undefined || problems.length > 0 ? lines : [hint];
  return new Refused([detail, ...more].join("\n"), code, problems);
}

/** The lines of the answer to a list; a wrong line ended it. */
export async function sendLines<Answer extends object>(call: Call): Promise<readonly Answer[]> {
  const lines = (await (await answerOf(call)).text()).trim().split("\n");
  return lines.map((line) => {
    const answer: Answer | ProblemDetails = JSON.parse(line);
    if ("problems" in answer) throw refusedBy({ detail: "No more passes were made.", ...answer });
    return answer as Answer;
  });
}

function typeOf(body: unknown): string {
  return Array.isArray(body) ? "application/x-ndjson" : "application/json";
}

function textOf(body: unknown): string {
  return Array.isArray(body) ? body.map((line) => JSON.stringify(line)).join("\n") : JSON.stringify(body);
}

/** The answer as the API describes it. */
export async function send<Answer>(call: Call): Promise<Answer> {
  return (await answerOf(call)).json();
}

export async function read<Answer>(path: string): Promise<Answer> {
  return send({ method: "GET", path });
}

export function roomPath(room: string): string {
  return `/v1/rooms/${encodeURIComponent(room)}`;
}

/** The same call in a terminal. */
export function curlOf({ method, path, body }: Call): string {
  const asked = `curl -X ${method} ${location.origin}${path} -H "Authorization: Bearer $ANTEROOM_TOKEN"`;
  if (body === undefined) return asked;
  // With -d, curl takes line ends away.
  const data = Array.isArray(body) ? "--data-binary" : "-d";
  return `${asked} -H "Content-Type: ${typeOf(body)}" ${data} '${textOf(body).replaceAll("'", "'\\''")}'`;
}

export async function logOut(): Promise<void> {
  await fetch("/dashboard/logout", { method: "POST", headers: { "Anteroom-Csrf": CSRF } }).finally(() =>
    location.reload(),
  );
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function contentOf(name: string): string {
  return document.querySelector<HTMLMetaElement>(`meta[name=${name}]`)?.content ?? "";
}
