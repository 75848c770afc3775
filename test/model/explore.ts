/**
 * A small model checker: visits every state that can be reached, the nearest first, and looks at each whether a law
 * holds.
 *
 * A state is named by its key, and is visited once. A broken law is answered by the shortest way to it, as the names of
 * its steps. What can happen and what must hold is the model's to say; it ends by itself if the model allows finitely
 * much.
 */

export interface Step<State> {
  readonly name: string;
  readonly state: State;
}

export interface Model<State> {
  readonly initial: State;
  /** Two states with the same key are the same: the same can happen from them, and the same laws hold. */
  key(state: State): string;
  /** All that can happen next, in the same order whenever it is asked for. */
  next(state: State): Iterable<Step<State>>;
  /** The law that is broken in a state; undefined if all hold. */
  broken(state: State): string | undefined;
}

export interface Explored {
  readonly states: number;
  readonly transitions: number;
  /** Steps to the farthest state. */
  readonly depth: number;
  /** Undefined if no law was found broken. */
  readonly counterexample: { readonly law: string; readonly trace: readonly string[] } | undefined;
}

export interface WorldExplored extends Explored {
  /** Different states of single nodes, each made by the real code. */
  readonly locals: number;
}

/** States kept in memory at about 200 bytes each. A model that has more is too large to be one. */
const STATES_MAX = 6_000_000;

/** Visits all states of a model, until a law is broken. Asserts that there are not too many. */
export function explore<State>(model: Model<State>): Explored {
  const seen = new Set<string>([model.key(model.initial)]);
  // By index of a state: the one that it was reached from, and by which of its steps.
  const parents = [-1];
  const choices = [-1];
  let transitions = 0;
  let depth = 0;
  let layer = [model.initial];
  let first = 0;
  const found = (law: string, index: number): Explored => {
    const trace = traceTo(model, choicesTo(index, parents, choices));
    return { states: seen.size, transitions, depth, counterexample: { law, trace } };
  };

  const atOnce = model.broken(model.initial);
  if (atOnce !== undefined) return found(atOnce, 0);
  while (layer.length > 0) {
    const following: State[] = [];
    for (const [offset, state] of layer.entries()) {
      let choice = -1;
      for (const { state: reached } of model.next(state)) {
        choice += 1;
        transitions += 1;
        const key = model.key(reached);
        if (seen.has(key)) continue;
        if (seen.size >= STATES_MAX)
          throw new RangeError(
            `Cannot explore as there must be at most ${STATES_MAX} states: current depth is ${depth}`,
          );
        seen.add(key);
        parents.push(first + offset);
        choices.push(choice);
        following.push(reached);
        const law = model.broken(reached);
        if (law !== undefined) return found(law, seen.size - 1);
      }
    }
    first += layer.length;
    layer = following;
    if (layer.length > 0) depth += 1;
  }
  return { states: seen.size, transitions, depth, counterexample: undefined };
}

function choicesTo(index: number, parents: readonly number[], choices: readonly number[]): number[] {
  const way: number[] = [];
  for (let at = index; at > 0; at = parents[at] ?? 0) way.unshift(choices[at] ?? 0);
  return way;
}

/** The names of the steps, found by going the way once more. */
function traceTo<State>(model: Model<State>, way: readonly number[]): string[] {
  let state = model.initial;
  return way.map((choice) => {
    const step = [...model.next(state)][choice];
    if (step === undefined)
      throw new Error("Cannot go the same way twice as a model must not change: a step is missing");
    state = step.state;
    return step.name;
  });
}
