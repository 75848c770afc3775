/**
 * A regular expression as an automaton that takes the alternatives of a backtracking matcher in the matcher's own order.
 *
 * A place is a character of the expression that was just read; `after` lists in order what may be read next. Places and
 * characters are few, so questions about all texts become questions about a small graph (super-linear.ts). Where the
 * automaton is not exact it has more runs than the matcher, never fewer: an assertion always holds, a look-ahead is
 * tried and then passed, and a repetition with a large bound has none.
 */

import { type AST, RegExpParser } from "@eslint-community/regexpp";

/** What a matcher may do next, in order. `isSure`: no assertion or bound forbids it. */
export type Step =
  | { readonly kind: "read"; readonly place: Place; readonly isSure: boolean }
  /** The expression has matched; `atEnd`: only where the text ends. */
  | { readonly kind: "match"; readonly atEnd: boolean; readonly isSure: boolean };

export interface Place {
  readonly id: number;
  /** Which of `Automaton.characters` it reads. */
  readonly reads: ReadonlySet<number>;
  readonly after: readonly Step[];
}

export interface Automaton {
  /** One character for each kind that the expression tells apart. */
  readonly characters: readonly string[];
  readonly places: readonly Place[];
  /** At the start of the text, and anywhere else. */
  readonly first: readonly Step[];
  readonly later: readonly Step[];
}

/** An expression whose cost cannot be told; the message says why. */
export class Undecided extends Error {}

/** A repetition with a larger bound counts as one without: `a{0,500}` before something else costs 500 for each `a`. */
const EXACT_MAX = 16;

/** More than any expression of ours has; a product of nested repetitions ends here. */
const NODES_MAX = 5_000;
const STEPS_MAX = 200_000;

/** Throws `Undecided` for back-references, and for look-behinds of any length. */
export function automatonOf(source: string, flags: string): Automaton {
  const isUnicode = /[uv]/.test(flags);
  const pattern = new RegExpParser({ ecmaVersion: 2025 }).parsePattern(source, 0, source.length, {
    unicode: flags.includes("u"),
    unicodeSets: flags.includes("v"),
  });
  const nodes = new Nodes(flags.includes("m"));
  const start = nodes.searched(pattern.alternatives);
  const kinds = charactersOf(new Set(nodes.reads.map(({ text }) => text)), flags, isUnicode);
  const places = nodes.reads.map(({ text, next }, id) => ({
    id,
    reads: kinds.readBy(text),
    next,
    after: [] as Step[],
  }));
  const placeOf = new Map<Node, Place>(nodes.reads.map((node, at) => [node, places[at] as Place]));
  const count = { steps: 0 };
  for (const place of places) place.after.push(...stepsFrom(place.next, { placeOf, isStart: false, count }));
  return {
    characters: kinds.characters,
    places,
    first: stepsFrom(start, { placeOf, isStart: true, count }),
    later: stepsFrom(start, { placeOf, isStart: false, count }),
  };
}

type Node =
  | ReadNode
  | SplitNode
  | { readonly kind: "assert"; readonly what: "start" | "end" | "other"; readonly next: Node }
  | { readonly kind: "match" }
  | { readonly kind: "dead" };

interface ReadNode {
  readonly kind: "read";
  readonly text: string;
  readonly next: Node;
}

interface SplitNode {
  readonly kind: "split";
  readonly nexts: Node[];
}

/** Builds the nodes of an expression from its end to its start. */
class Nodes {
  readonly reads: ReadNode[] = [];
  #count = 0;
  readonly #isMultiline: boolean;

  constructor(isMultiline: boolean) {
    this.#isMultiline = isMultiline;
  }

  /** A look-behind that begins the expression is looked for like a prefix. */
  searched(alternatives: readonly AST.Alternative[]): Node {
    const match: Node = { kind: "match" };
    const nexts = alternatives.map((alternative): Node => {
      const [before, ...rest] = alternative.elements;
      if (before?.type !== "Assertion" || before.kind !== "lookbehind" || before.negate || !isBounded(before)) {
        return this.either([alternative], match);
      }
      return this.either(before.alternatives, this.#all(rest, match));
    });
    return { kind: "split", nexts };
  }

  either(alternatives: readonly AST.Alternative[], next: Node): Node {
    return { kind: "split", nexts: alternatives.map(({ elements }) => this.#all(elements, next)) };
  }

  #all(elements: readonly AST.Element[], next: Node): Node {
    return elements.reduceRight((after, each) => this.#one(each, after), next);
  }

  #one(element: AST.Element, next: Node): Node {
    this.#count += 1;
    if (this.#count > NODES_MAX) throw new Undecided(`it has more than ${NODES_MAX} parts when it is written out`);
    switch (element.type) {
      case "Character":
      case "CharacterSet":
      case "CharacterClass":
      case "ExpressionCharacterClass": {
        const node: ReadNode = { kind: "read", text: element.raw, next };
        this.reads.push(node);
        return node;
      }
      case "Group":
      case "CapturingGroup":
        return this.either(element.alternatives, next);
      case "Quantifier":
        return this.#repeated(element, next);
      case "Assertion":
        return this.#asserted(element, next);
      case "Backreference":
        throw new Undecided("it has a back-reference");
    }
  }

  #asserted(element: AST.Assertion, next: Node): Node {
    if (element.kind === "lookahead") {
      // Tried, and whatever it finds, the rest is tried after it.
      const tried = this.either(element.alternatives, { kind: "dead" });
      return { kind: "split", nexts: [tried, { kind: "assert", what: "other", next }] };
    }
    if (element.kind === "lookbehind" && !isBounded(element)) throw new Undecided("it has a look-behind of any length");
    const exact = !this.#isMultiline && (element.kind === "start" || element.kind === "end");
    const atEnd = element.kind === "end";
    return { kind: "assert", what: exact ? element.kind : atEnd ? "end" : "other", next };
  }

  #repeated({ element, min, max, greedy }: AST.Quantifier, next: Node): Node {
    const once = (after: Node): Node => this.#one(element, after);
    const orNot = (again: Node, leave: Node): Node => ({
      kind: "split",
      nexts: greedy ? [again, leave] : [leave, again],
    });
    const isLoop = max > EXACT_MAX;
    const leave: Node = min > EXACT_MAX ? { kind: "assert", what: "other", next } : next;
    let node: Node = leave;
    if (isLoop) {
      const loop: SplitNode = { kind: "split", nexts: [] };
      const again = once(loop);
      const more: Node = Number.isFinite(max) ? { kind: "assert", what: "other", next: again } : again;
      loop.nexts.push(...(greedy ? [more, leave] : [leave, more]));
      node = loop;
    } else {
      for (let left = max - min; left > 0; left--) node = orNot(once(node), leave);
    }
    for (let left = Math.min(min, EXACT_MAX); left > 0; left--) node = once(node);
    return node;
  }
}

function isBounded(node: AST.Element): boolean {
  if (node.type === "Quantifier") return node.max <= EXACT_MAX && isBounded(node.element);
  if (node.type === "Group" || node.type === "CapturingGroup" || node.type === "Assertion") {
    return !("alternatives" in node) || node.alternatives.every(({ elements }) => elements.every(isBounded));
  }
  return true;
}

interface Walk {
  readonly placeOf: ReadonlyMap<Node, Place>;
  readonly isStart: boolean;
  readonly count: { steps: number };
}

/**
 * All ways from a node to the next character or the match, in order. A way leaves nested repetitions and enters them
 * again, so it passes a fork twice at most: a third time, a repetition would have read nothing, which a matcher refuses.
 */
function stepsFrom(from: Node, { placeOf, isStart, count }: Walk): Step[] {
  const steps: Step[] = [];
  const passed = new Map<Node, number>();
  const walk = (node: Node, isSure: boolean, atEnd: boolean): void => {
    count.steps += 1;
    if (count.steps > STEPS_MAX) throw new Undecided(`it has more than ${STEPS_MAX} ways`);
    if (node.kind === "match") steps.push({ kind: "match", atEnd, isSure });
    if (node.kind === "read") {
      const place = placeOf.get(node);
      if (place !== undefined) steps.push({ kind: "read", place, isSure: isSure && !atEnd });
    }
    if (node.kind === "assert") {
      if (node.what === "start" && !isStart) return;
      walk(node.next, isSure && node.what !== "other", atEnd || node.what === "end");
    }
    if (node.kind === "split") {
      const times = passed.get(node) ?? 0;
      if (times === 2) return;
      passed.set(node, times + 1);
      for (const next of node.nexts) walk(next, isSure, atEnd);
      passed.set(node, times);
    }
  };
  walk(from, true, false);
  return steps;
}

/** All of Unicode's first plane, each by itself; with the `u` flag without halves of pairs, and with one more plane. */
const UNITS = Array.from({ length: 0x1_00_00 }, (_, code) => String.fromCharCode(code)).join("");
const POINTS = Array.from({ length: 0x2_00_00 }, (_, code) => String.fromCodePoint(code))
  .filter((character) => !/^[\ud800-\udfff]$/.test(character))
  .join("");

/** Finds one character for each kind that `texts` (`a`, `\s`, `[^,;]`) tell apart. */
function charactersOf(texts: ReadonlySet<string>, flags: string, isUnicode: boolean) {
  const kept = flags.replace(/[gym]/g, "");
  const borders = new Set(["\0"]);
  for (const text of texts) for (const border of bordersOf(text, kept, isUnicode)) borders.add(border);
  const readBy = new Map(Array.from(texts, (text) => [text, new Set<number>()]));
  const characters = new Map<string, string>();
  const tests = Array.from(texts, (text) => [text, new RegExp(`^(?:${text})$`, kept)] as const);
  for (const border of borders) {
    const readers = tests.filter(([, test]) => test.test(border)).map(([text]) => text);
    const kind = readers.join(" ");
    if (characters.has(kind)) continue;
    for (const text of readers) readBy.get(text)?.add(characters.size);
    characters.set(kind, border);
  }
  const none: ReadonlySet<number> = new Set();
  return { characters: [...characters.values()], readBy: (text: string) => readBy.get(text) ?? none };
}

const known = new Map<string, readonly string[]>();

/** Characters at which what `text` reads begins or ends. */
function bordersOf(text: string, flags: string, isUnicode: boolean): readonly string[] {
  const key = `${flags} ${text}`;
  const before = known.get(key);
  if (before !== undefined) return before;
  const all = isUnicode ? POINTS : UNITS;
  const borders: string[] = [];
  for (const run of all.matchAll(new RegExp(`(?:${text})+`, `${flags}g`))) {
    for (const at of [run.index, run.index + run[0].length]) {
      const code = all.codePointAt(at);
      if (code !== undefined) borders.push(isUnicode ? String.fromCodePoint(code) : all.charAt(at));
    }
  }
  known.set(key, borders);
  return borders;
}
