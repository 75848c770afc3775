/**
 * Whether a backtracking matcher takes more than linear time on some text: proven, not measured.
 *
 * A matcher that fails has tried every run of the automaton, so its cost is the number of runs over the prefixes of the
 * text. That number grows with the text if and only if there are two places p and q and a text v with runs over v from
 * p to p, from p to q and from q to q: each further v begins one more run that stays (Weber and Seidl, On the degree of
 * ambiguity of finite automata, 1991). A search begins at every character, and again after a match, as with the `g` flag
 * and `split`. Runs that a matcher reaches only after one that matches whatever follows are left out (Weideman et al.,
 * Analyzing matching time behavior of backtracking regular expression matchers, 2016).
 *
 * The answer errs on one side: an expression called linear is. All limits are counts.
 */

import { type Automaton, automatonOf, type Place, type Step, Undecided } from "./automaton.ts";

export type Verdict =
  | { readonly kind: "linear" }
  /** The time grows too fast over `start`, then `repeated` many times, then what does not match. */
  | { readonly kind: "super-linear"; readonly start: string; readonly repeated: string }
  | { readonly kind: "undecided"; readonly why: string };

/** Sets of places looked at to see whether an expression matches whatever follows; a larger answer is "no". */
const SETS_MAX = 500;

/** Triples of places looked at in all. */
const TRIPLES_MAX = 5_000_000;

export function verdictOn(source: string, flags: string): Verdict {
  try {
    const graph = graphOf(automatonOf(source, flags), flags.includes("y"));
    const text = growing(graph);
    return text === undefined ? { kind: "linear" } : { kind: "super-linear", ...text };
  } catch (error) {
    if (error instanceof Undecided) return { kind: "undecided", why: error.message };
    throw error;
  }
}

/** By place and character: the places that a matcher goes to, in order, one twice if there are two ways. */
type Next = readonly (readonly (readonly number[])[])[];

/** Two more places than the automaton has: the start of the text, and of a search anywhere else. */
interface Graph {
  readonly characters: readonly string[];
  /** Within one search, and over all searches of a text, each after the match before it. */
  readonly next: Next;
  readonly again: Next;
  /** Places from which the text surely matches: whatever else there was to try is not tried. */
  readonly certain: ReadonlySet<number>;
  readonly start: number;
  readonly search: number;
}

function graphOf({ characters, places, first, later }: Automaton, isSticky: boolean): Graph {
  const certain = new Set(places.filter((place) => matchesWhatever(place, characters.length)).map(({ id }) => id));
  const [start, search] = [places.length, places.length + 1];
  /** Where `steps` lead, up to the way after which no other is tried, as the text surely matches. */
  const tried = (steps: readonly Step[], character: number, onMatch: readonly number[]) => {
    const found: number[] = [];
    for (const step of steps) {
      if (step.kind === "match") {
        if (!step.atEnd) found.push(...onMatch);
        if (step.isSure && !step.atEnd) return { found, isOver: true };
      } else if (step.place.reads.has(character)) {
        found.push(step.place.id);
        if (step.isSure && certain.has(step.place.id)) return { found, isOver: true };
      }
    }
    return { found, isOver: false };
  };
  /** A search goes on at the next character, or after a match of nothing. */
  const searched = (steps: readonly Step[], character: number, onMatch: readonly number[]): number[] => {
    const { found, isOver } = tried(steps, character, onMatch);
    return isOver || isSticky ? found : [...found, search];
  };
  const graph = (onMatch: (character: number) => readonly number[], onEmptyMatch: readonly number[]): Next => [
    ...places.map(({ after }) => characters.map((_, each) => tried(after, each, onMatch(each)).found)),
    ...[first, later].map((steps) => characters.map((_, each) => searched(steps, each, onEmptyMatch))),
  ];
  const nextSearch = characters.map((_, character) => searched(later, character, [search]));
  return {
    ...{ characters, certain, start, search },
    next: graph(() => [], []),
    again: graph((character) => nextSearch[character] ?? [], [search]),
  };
}

/** Whether the expression surely matches once it is here, whatever comes next. */
function matchesWhatever({ after }: Place, characters: number): boolean {
  const seen = new Set<string>();
  const open: (readonly Step[])[] = [after];
  for (let steps = open.pop(); steps !== undefined; steps = open.pop()) {
    const sure = steps.filter(({ isSure }) => isSure);
    if (sure.some((step) => step.kind === "match" && !step.atEnd)) continue;
    if (!sure.some((step) => step.kind === "match")) return false;
    const places = new Set(sure.flatMap((step) => (step.kind === "read" ? [step.place] : [])));
    const key = Array.from(places, ({ id }) => id)
      .sort((one, other) => one - other)
      .join();
    if (seen.has(key)) continue;
    seen.add(key);
    if (seen.size > SETS_MAX) return false;
    for (let character = 0; character < characters; character++) {
      open.push([...places].filter(({ reads }) => reads.has(character)).flatMap((place) => place.after));
    }
  }
  return true;
}

/**
 * A text over which the number of runs grows, if there is one. Of all runs at most one passes into certainty, so those
 * that are many keep out of it.
 */
function growing({ characters, next, again, certain, start, search }: Graph) {
  const textOf = (read: readonly number[]): string => read.map((character) => characters[character] ?? "").join("");
  const waysTo = textsFrom(next, start);
  const many = next.map((row) => row.map((targets) => targets.filter((target) => !certain.has(target))));
  const ways = new Map(many.map((_, place) => [place, textsFrom(many, place)]));
  const found = (place: number, repeated: readonly number[]) => ({
    start: textOf(waysTo.get(place) ?? []),
    repeated: textOf(repeated),
  });
  const loops = [...waysTo.keys()].filter((place) => leads(ways, place, place));
  for (const place of loops) {
    for (const [character, targets] of (many[place] ?? []).entries()) {
      const twice = targets.find((target, at) => targets.indexOf(target) !== at && leads(ways, target, place));
      if (twice === undefined) continue;
      return found(place, [character, ...(twice === place ? [] : (ways.get(twice)?.get(place) ?? []))]);
    }
  }
  const count = { triples: 0 };
  for (const other of loops) {
    for (const one of waysTo.keys()) {
      if (one === other || !leads(ways, one, other)) continue;
      // Again: a search that looks far ahead, for a match that ends before. The next one looks as far.
      const stays = one === search || one === start || certain.has(one) ? [next, again] : [next];
      for (const stay of stays) {
        const repeated = sharedText({ stay, next: many, count }, one, other);
        if (repeated !== undefined) return found(one, repeated);
      }
    }
  }
  return undefined;
}

function leads(ways: ReadonlyMap<number, ReadonlyMap<number, unknown>>, from: number, to: number): boolean {
  return ways.get(from)?.has(to) === true;
}

/** By place: the shortest text of at least one character that leads there. */
function textsFrom(next: Next, from: number): Map<number, readonly number[]> {
  const texts = new Map<number, readonly number[]>();
  const open: { readonly place: number; readonly text: readonly number[] }[] = [{ place: from, text: [] }];
  for (const { place, text } of open) {
    for (const [character, targets] of (next[place] ?? []).entries()) {
      for (const target of targets) {
        if (texts.has(target)) continue;
        texts.set(target, [...text, character]);
        open.push({ place: target, text: [...text, character] });
      }
    }
  }
  return texts;
}

interface Edges {
  /** Of the run from `one` to itself. */
  readonly stay: Next;
  /** Of the others. */
  readonly next: Next;
  readonly count: { triples: number };
}

/** A text with runs from `one` to itself, from `one` to `other`, and from `other` to itself. */
function sharedText({ stay, next, count }: Edges, one: number, other: number): readonly number[] | undefined {
  const size = next.length;
  const seen = new Set<number>();
  const open = [{ at: [one, one, other] as const, text: [] as readonly number[] }];
  for (const { at, text } of open) {
    for (const character of next[one]?.keys() ?? []) {
      for (const left of stay[at[0]]?.[character] ?? []) {
        for (const middle of next[at[1]]?.[character] ?? []) {
          for (const right of next[at[2]]?.[character] ?? []) {
            if (left === one && middle === other && right === other) return [...text, character];
            const key = (left * size + middle) * size + right;
            if (seen.has(key)) continue;
            seen.add(key);
            count.triples += 1;
            if (count.triples > TRIPLES_MAX) throw new Undecided(`it has more than ${TRIPLES_MAX} triples of places`);
            open.push({ at: [left, middle, right], text: [...text, character] });
          }
        }
      }
    }
  }
  return undefined;
}
