/**
 * A plan written by a person: YAML or JSON, a list with one fault per entry.
 *
 * All problems are reported at once, each with its entry, the value, and the repair.
 */

import { isObject } from "../../node/config/is-object.ts";
import { didYouMean } from "../../node/config/near-miss.ts";
import { type Checked, type Complaint, checked, type Problem, problemAt } from "../../node/config/problem.ts";
import { durationFrom, oneOf, type Reader } from "../../node/config/readers.ts";
import { parseYaml } from "../../node/config/yaml-text.ts";
import { endOf, FAULT_KINDS, FAULTS_MAX, type Fault, type FaultKind } from "./plan.ts";

export interface PlanBounds {
  /** Nodes of the run. */
  readonly nodes: number;
  readonly durationMs: number;
}

const KEYS = ["at", "what", "node", "nodes", "for", "by", "part"];
const WRITE_LIST = "write a list with one fault per entry, such as: - { at: 20s, what: kill, node: 2, for: 10s }";

const readKind = oneOf(...FAULT_KINDS);

/** The plan in `text`, in the order of its times. */
export function parsePlan(text: string, bounds: PlanBounds): Checked<readonly Fault[]> {
  const data = parseYaml(text);
  if (!data.ok) return data;
  const list = data.value;
  if (!Array.isArray(list)) {
    const problem = list === null ? "is empty" : "is not a list";
    return { ok: false, problems: [problemAt("", list, { problem, repair: WRITE_LIST })] };
  }
  if (list.length > FAULTS_MAX) {
    const problem = `has ${list.length} faults, more than ${FAULTS_MAX}`;
    return { ok: false, problems: [{ path: "", problem, repair: "split it into several runs" }] };
  }
  const problems: Problem[] = [];
  const plan = list.map((entry: unknown, index) => new Entry(`[${index}]`, entry, problems).fault(bounds));
  return checked(
    plan.sort((one, other) => one.atMs - other.atMs),
    problems,
  );
}

/** One entry of the list; its problems are added to those of all. */
class Entry {
  readonly #place: string;
  readonly #fields: Readonly<Record<string, unknown>>;
  readonly #problems: Problem[];

  constructor(place: string, entry: unknown, problems: Problem[]) {
    this.#place = place;
    this.#problems = problems;
    this.#fields = isObject(entry) ? entry : {};
    if (!isObject(entry)) problems.push(problemAt(place, entry, { problem: "is not a fault", repair: WRITE_LIST }));
  }

  /** Values that cannot be read are replaced, and the problem noted. */
  fault({ nodes, durationMs }: PlanBounds): Fault {
    for (const key of Object.keys(this.#fields)) this.#checkKey(key);
    const what: FaultKind = this.#read("what", readKind) ?? "kill";
    const fault: Fault = {
      atMs: this.#read("at", durationFrom(0)) ?? 0,
      what,
      nodes: this.#nodes(nodes),
      forMs: this.#read("for", durationFrom(0)) ?? 0,
      ...(what === "delay" && { byMs: this.#read("by", durationFrom(1)) ?? 1 }),
      ...(what === "loss" && { part: this.#part() }),
    };
    if (endOf(fault) > durationMs) {
      const problem = `is over only ${endOf(fault) / 1_000} s after the start, when the run of ${durationMs / 1_000} s has ended`;
      const repair = "let it begin earlier or be shorter, or give --duration a longer time";
      this.#problems.push(problemAt(`${this.#place}.at`, this.#fields.at, { problem, repair }));
    }
    return fault;
  }

  #checkKey(key: string): void {
    const { what } = this.#fields;
    const belongsTo = { by: "delay", part: "loss" }[key];
    if (!KEYS.includes(key)) {
      this.#refuse(key, {
        problem: "is not a known key",
        repair: didYouMean(key, KEYS, `known are ${KEYS.join(", ")}`),
      });
    } else if (belongsTo !== undefined && belongsTo !== what) {
      this.#refuse(key, {
        problem: `means nothing for ${String(what)}`,
        repair: `remove it, or write what: ${belongsTo}`,
      });
    }
  }

  #read<Value>(key: string, reader: Reader<Value>): Value | undefined {
    const value = this.#fields[key];
    if (value === undefined || value === null) {
      this.#refuse(key, { problem: "is missing", repair: MISSING[key] ?? WRITE_LIST });
      return undefined;
    }
    const reading = reader(String(value));
    if ("value" in reading) return reading.value;
    this.#refuse(key, reading.complaint);
    return undefined;
  }

  #nodes(most: number): readonly number[] {
    const { node, nodes } = this.#fields;
    const key = node === undefined ? "nodes" : "node";
    const given = node ?? nodes;
    const list: readonly unknown[] = Array.isArray(given) ? given : [given];
    const repair = `write node: 1, or nodes: [1, 2], with numbers from 1 to ${most}`;
    if (given === undefined || list.length === 0) this.#refuse(key, { problem: "is missing", repair });
    else if (node !== undefined && nodes !== undefined)
      this.#refuse("node", { problem: "is given together with nodes", repair: "remove one of the two" });
    else if (!list.every((each) => Number.isInteger(each) && Number(each) >= 1 && Number(each) <= most))
      this.#refuse(key, { problem: `names what is not one of the ${most} nodes`, repair });
    else return [...new Set(list.map(Number))];
    return [1];
  }

  #part(): number {
    const part = this.#fields.part ?? 0.3;
    if (typeof part === "number" && part > 0 && part <= 1) return part;
    this.#refuse("part", { problem: "is not a part", repair: "write a number above 0, up to 1" });
    return 1;
  }

  #refuse(key: string, complaint: NonNullable<Complaint>): void {
    this.#problems.push(problemAt(`${this.#place}.${key}`, this.#fields[key], complaint));
  }
}

const MISSING: Readonly<Record<string, string>> = {
  at: "write when it begins, from the start of the run, such as at: 20s",
  what: `write one of ${FAULT_KINDS.join(", ")}`,
  for: "write how long it lasts, such as for: 10s",
  by: "write how much longer each way takes, such as by: 200ms",
};
