/**
 * What one call of the language costs beside the call itself: the characters, bytes or elements that it reads or
 * writes. Counted while `countingNatives` runs, so that a copy, or a search from the start, in each turn of a loop is
 * seen. A text that grows by `+=` costs nothing here: the engine joins it when it is read.
 */

type Native = (...args: unknown[]) => unknown;
type Cost = (self: unknown, args: readonly unknown[], result: unknown) => number;

const whole: Cost = (self, args, result) =>
  [self, ...args, result].reduce<number>((all, each) => all + sizeOf(each), 0);

/** What is returned is new. */
const part: Cost = (_, __, result) => sizeOf(result);

/** From where it begins to where it finds something, or to the end. */
const search: Cost = (self, [, from], result) => {
  const begin = typeof from === "number" ? from : 0;
  return Math.max(0, (typeof result === "number" && result >= 0 ? result : sizeOf(self)) - begin);
};

/** What moves when elements go or come. */
const moved: Cost = (self) => sizeOf(self);

const needle: Cost = (_, [text]) => sizeOf(text);

/** Expressions take linear time (test/regexp): up to the end of what they find, or of the text. */
const matched: Cost = (self, [text], result) => costOfMatch(self as RegExp, sizeOf(text), result);

const matchedBy: Cost = (self, [pattern], result) =>
  pattern instanceof RegExp && !pattern.global ? costOfMatch(pattern, sizeOf(self), result) : whole(self, [], result);

function costOfMatch({ lastIndex, source, flags }: RegExp, length: number, result: unknown): number {
  const found = Array.isArray(result) ? String(result[0]).length : 0;
  // One that looks at a single place reads what it finds, as far as this can tell.
  if (flags.includes("y") || (source.startsWith("^") && !flags.includes("m"))) return found + 1;
  if (!Array.isArray(result)) return result === true ? length : Math.max(0, length - lastIndex);
  // Where an earlier match ended is not known any more: those that follow each other count their own length.
  return flags.includes("g") ? found + 1 : ((result as RegExpExecArray).index ?? 0) + found;
}

const COSTS: readonly (readonly [target: object, cost: Cost, names: string])[] = [
  // `slice` and its like are not here: they are views of the text.
  [String.prototype, search, "indexOf includes search"],
  [String.prototype, needle, "startsWith endsWith"],
  [String.prototype, part, "repeat padStart padEnd"],
  [String.prototype, whole, "lastIndexOf split replace replaceAll matchAll normalize localeCompare concat"],
  [String.prototype, whole, "toLowerCase toUpperCase isWellFormed toWellFormed"],
  [String.prototype, matchedBy, "match"],
  [RegExp.prototype, matched, "exec test"],
  [Array.prototype, search, "indexOf includes lastIndexOf"],
  [Array.prototype, part, "slice map filter flatMap flat"],
  [Array.prototype, moved, "shift unshift splice reverse sort fill"],
  [Array.prototype, whole, "join concat toSorted toSpliced toReversed with"],
  [Object.getPrototypeOf(Uint8Array.prototype), search, "indexOf includes lastIndexOf"],
  [Object.getPrototypeOf(Uint8Array.prototype), part, "slice map filter"],
  [Object.getPrototypeOf(Uint8Array.prototype), moved, "copyWithin reverse sort fill"],
  [Object.getPrototypeOf(Uint8Array.prototype), needle, "set"],
  [Buffer.prototype, search, "indexOf includes"],
  [Buffer.prototype, part, "toString latin1Slice utf8Slice asciiSlice hexSlice base64Slice"],
  [Buffer.prototype, moved, "copy equals compare fill"],
  [Buffer.prototype, needle, "write latin1Write utf8Write"],
  [Buffer, part, "concat from alloc allocUnsafe copyBytesFrom"],
  [Buffer, needle, "byteLength"],
  [JSON, whole, "parse stringify"],
  [TextDecoder.prototype, part, "decode"],
  [TextEncoder.prototype, part, "encode"],
  [Array, part, "from"],
  [Object, whole, "assign fromEntries keys values entries"],
];

const NATIVES = COSTS.flatMap(([target, cost, names]) =>
  names.split(" ").flatMap((name) => {
    const descriptor = Object.getOwnPropertyDescriptor(target, name);
    return typeof descriptor?.value === "function" ? [{ target, name, descriptor, cost }] : [];
  }),
);

/** Runs `work`; `add` hears what each call cost. */
export function countingNatives(add: (steps: number) => void, work: () => void): void {
  for (const { target, name, descriptor, cost } of NATIVES) {
    const value = counted(descriptor.value as Native, cost, add);
    Object.defineProperty(target, name, { ...descriptor, value });
  }
  try {
    work();
  } finally {
    for (const { target, name, descriptor } of NATIVES) Object.defineProperty(target, name, descriptor);
  }
}

function counted(native: Native, cost: Cost, add: (steps: number) => void): Native {
  return function (this: unknown, ...args) {
    let result: unknown;
    try {
      result = Reflect.apply(native, this, args);
      return result;
    } finally {
      add(cost(this, args, result));
    }
  };
}

/** Characters, elements or bytes. */
export function sizeOf(value: unknown): number {
  if (typeof value === "string") return value.length;
  if (Array.isArray(value) || ArrayBuffer.isView(value)) return (value as { readonly length?: number }).length ?? 0;
  if (value instanceof Map || value instanceof Set) return value.size;
  return 0;
}
