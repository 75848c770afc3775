/**
 * The part of the admin API about passes: `/v1/rooms/NAME/passes`.
 *
 * Each line of the body orders a pass, and each is answered by a line, as they come: a stream of any size. The node
 * reads on once the socket has taken what was made.
 */

import type { Context } from "hono";
import { z } from "zod";
import { timeText } from "../../config/field-kinds.ts";
import { LANE_MAX } from "../../config/lane-fields.ts";
import { type Checked, checked, type Problem, problemAt } from "../../config/problem.ts";
import type { Room } from "../../config/room.ts";
import { PASS_NUMBER_MAX, type Wave } from "../../config/waves.ts";
import { PASS_KEY_CHARS_MAX, type PassMaker } from "../../cookie/pass.ts";
import { PASS_EXPIRES, type PassOrder, parsePassOrder } from "../../cookie/pass-order.ts";
import { isoOf } from "../../iso-time.ts";
import { refusalFor } from "../access/other-rooms.ts";
import { hasScope, maySee, type Principal } from "../access/principal.ts";
import { invalid } from "../calls/api-answers.ts";
import { repeatedKey } from "../calls/json-body.ts";
import { JSON_LINES, LINE_CHARS_MAX, linesOf, pacedBody } from "../calls/json-lines.ts";
import { operation } from "../calls/operation.ts";
import type { Serve } from "../calls/serve.ts";
import { type AdminEnv, actorOf } from "../logs/audit.ts";
import type { OnFault } from "../logs/faults.ts";
import { named } from "./common-shapes.ts";
import type { RoomRoutes } from "./rooms.ts";

const PASS_ORDER = named(
  "PassOrder",
  z.strictObject({
    key: z
      .string()
      .max(PASS_KEY_CHARS_MAX)
      .default("")
      .describe("what the pass is for, such as the number of an order: visitors with the same key have one place"),
    lane: z.int().min(1).max(LANE_MAX).optional().describe("a lane to which the room gives a share; left out for none"),
    expires: z
      .string()
      .default(PASS_EXPIRES)
      .describe("a span such as 12h or 30d, or a time such as 2027-01-31T18:00:00Z"),
    staff: z.boolean().default(false).describe("true: it admits at once and is not counted"),
  }),
);

const MADE = named(
  "MadePass",
  z.object({
    key: z.string().optional().describe("as it was sent"),
    lane: z.int().optional().describe("as it was sent"),
    staff: z.literal(true).optional().describe("there if it is a pass for staff"),
    expires: timeText.describe("until when it is good"),
    pass: z.string().describe("the pass itself: anybody who has it can use it"),
  }),
);
export type MadePass = z.output<typeof MADE>;

const isNumber = (text: string): boolean => /^[1-9]\d{0,9}$/.test(text) && Number(text) <= PASS_NUMBER_MAX;

const MAKE = operation({
  id: "makePasses",
  method: "POST",
  path: "/v1/rooms/{name}/passes",
  topic: "passes",
  scope: "operate",
  summary:
    "makes [passes](rooms.md#passes): one for each line of JSON, of as many as you send; all fields may be left out",
  description:
    "Read the answer while you send. A wrong line ends it, and so does the end of your token, or a withdrawal. The last line has `problems` then, in place of a pass; of more than 20, `more_problems` counts the rest.",
  query: z.object({
    wave: z.string().optional().describe("a [wave](rooms.md#passes) of the room, to which the passes belong"),
    first: z
      .string()
      .refine(isNumber, "is not the number of a pass")
      .optional()
      .describe("number of the first one in the wave; 1 without it"),
  }),
  body: {
    schema: PASS_ORDER,
    type: JSON_LINES,
    read: "handler",
    example: { key: "order-1", lane: 1, expires: "30d", staff: false },
  },
  answer: { status: 201, description: "a pass for each line, in their order", schema: MADE, type: JSON_LINES },
  problems: ["not-found", "conflict"],
});

export const PASS_OPERATIONS = [MAKE];

/** Of a stream: the rest is counted. */
const PROBLEMS_MAX = 20;

interface PassRoutes extends RoomRoutes {
  readonly passes: PassMaker;
  readonly identify: (c: Context<AdminEnv>) => Principal | Response;
  readonly onFault: OnFault;
}

export function passRoutes(serve: Serve, { rooms, audit, passes, nowMs, identify, onFault }: PassRoutes): void {
  serve(MAKE, async ({ c, params, query }) => {
    const named = rooms.named(params.name);
    if (!named.ok) return refusalFor(c, named.refusal);
    const { room, firstName } = named.value;
    const { wave, first: firstNumber } = query;
    const isInWave = wave !== undefined || firstNumber !== undefined;
    if (isInWave && !room.waves.some(({ name }) => name === wave)) return invalid([noWave(wave, room.waves)]);
    const scope = { room: firstName, generation: room.passGeneration };
    /** The room, if passes of it may still be made: the last line may come hours after the first. */
    const roomNow = (): Checked<Room> => {
      const sender = identify(c);
      const mayMake = !(sender instanceof Response) && hasScope(sender, "operate") && maySee(sender, params.name);
      const now = rooms.byName(params.name);
      const isSame = now?.firstName === firstName && now.room.passGeneration === scope.generation;
      const isThere = isSame && (!isInWave || now.room.waves.some(({ name }) => name === wave));
      if (mayMake && isThere) return { ok: true, value: now.room };
      const what = mayMake ? "the room, its wave, or withdrew its passes" : "the rights of this token";
      const problem = { problem: `is too late: somebody has changed ${what}`, repair: "begin again" };
      return { ok: false, problems: [problemAt(`line ${count + 1}`, undefined, problem)] };
    };
    let count = 0;
    /** The passes that lines order, as lines. */
    const madeOf = (lines: readonly string[]): Checked<string> => {
      const asked = roomNow();
      if (!asked.ok) return asked;
      const { lanes } = asked.value;
      const madeMs = nowMs();
      const problems: Problem[] = [];
      const made = lines.map((line) => {
        count += 1;
        const order = orderIn(line, `line ${count}`, { lanes, nowMs: madeMs });
        if (!order.ok) {
          problems.push(...order.problems);
          return "";
        }
        const { key, lane, isStaff, expiresMs } = order.value;
        const number = Number(firstNumber ?? 1) + count - 1;
        if (wave !== undefined && number > PASS_NUMBER_MAX) {
          problems.push(
            problemAt(`line ${count}`, number, { problem: "is beyond the last number", repair: NO_NUMBER }),
          );
          return "";
        }
        const inWave = wave !== undefined && { wave: { name: wave, number } };
        const pass: MadePass = {
          ...{ key, lane, staff: isStaff || undefined },
          expires: isoOf(Math.floor(expiresMs / 1_000) * 1_000),
          pass: passes.make({ ...order.value, ...inWave, madeMs }, scope),
        };
        return `${JSON.stringify(pass)}\n`;
      });
      if (problems.length === 0) audit.note(actorOf(c), "passes made", { room: room.name, passes: made.length });
      return checked(made.join(""), problems);
    };
    const batches = linesOf(c.req.raw.body);
    const { value: begun = [""] } = await batches.next();
    const first = madeOf(begun);
    if (!first.ok) return invalid(first.problems);
    const answered = async function* (): AsyncGenerator<string> {
      yield first.value;
      for await (const lines of batches) {
        const next = madeOf(lines);
        yield next.ok ? next.value : problemsLine(next.problems);
        if (!next.ok) return;
      }
    };
    return new Response(pacedBody(answered(), { signal: c.req.raw.signal, onFault }), {
      status: 201,
      headers: { "Content-Type": JSON_LINES },
    });
  });
}

/** Short enough for a client that reads a line within the bound of ours. */
function problemsLine(problems: readonly Problem[]): string {
  const shown = problems.slice(0, PROBLEMS_MAX);
  const more = problems.length - shown.length;
  return `${JSON.stringify({ problems: shown, ...(more > 0 && { more_problems: more }) })}\n`;
}

/** A pass beyond would never be good while its wave lasts. */
const NO_NUMBER = `begin with a smaller first: passes of a wave have numbers up to ${PASS_NUMBER_MAX}`;

/** A wave that the room does not have would keep nobody out. */
function noWave(wave: unknown, waves: readonly Wave[]): Problem {
  const repair = `write one of this room: ${waves.map(({ name }) => name).join(", ") || "there is none"}`;
  return problemAt("wave", wave, { problem: "is not a wave", repair });
}

/** A pass with a lane to which the room gives no share would be one without. */
function orderIn(
  line: string,
  path: string,
  { lanes, nowMs }: { readonly lanes: readonly number[]; readonly nowMs: number },
): Checked<PassOrder> {
  if (line.length > LINE_CHARS_MAX) {
    const problem = { problem: `is longer than ${LINE_CHARS_MAX} characters`, repair: "end each line with a line end" };
    return { ok: false, problems: [problemAt(path, line, problem)] };
  }
  const document = jsonIn(line);
  if (document === undefined) {
    const problem = {
      problem: "is not JSON, or has a key twice",
      repair: 'write one such as {"key": "a-1"} in a line',
    };
    return { ok: false, problems: [problemAt(path, line, problem)] };
  }
  const order = parsePassOrder(document, { path, nowMs });
  const { lane } = order.ok ? order.value : {};
  if (lane === undefined || (lanes[lane] ?? 0) > 0) return order;
  const repair = `give it a share first, such as: anteroom room update ROOM lanes='{${lane}: 20}'`;
  const problem = { problem: "is a lane without a share in this room", repair };
  return { ok: false, problems: [problemAt(`${path}.lane`, lane, problem)] };
}

function jsonIn(line: string): unknown {
  try {
    const value: unknown = JSON.parse(line);
    return repeatedKey(line) === undefined ? value : undefined;
  } catch {
    // The caller says so.
    return undefined;
  }
}
