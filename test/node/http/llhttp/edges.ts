/**
 * Bytes near the edges of HTTP/1.1: messages that are nearly right.
 *
 * A message is drawn part by part, mostly the usual one, so that a good share of them is accepted; then single bytes
 * are changed.
 */

import fc from "fast-check";
import * as parts from "./edge-parts.ts";

interface Framed {
  readonly fields: readonly string[];
  readonly body: string;
}

/** How many usual line ends come for one that is not: a message has about ten. */
const LINE_ENDS_WEIGHT = 150;

const lineEnd = mostly(parts.LINE_ENDS, LINE_ENDS_WEIGHT);
const nothingOr = (text: string) => mostly([text, "\n", "\r", ""], 40);

const field = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...parts.FIELDS) },
  { weight: 2, arbitrary: mostly(parts.LENGTHS, 1).map((value) => `Content-Length: ${value}`) },
  { weight: 2, arbitrary: mostly(parts.CODINGS, 2).map((value) => `Transfer-Encoding: ${value}`) },
  { weight: 2, arbitrary: mostly(parts.CONNECTIONS, 1).map((value) => `Connection: ${value}`) },
);

const chunk = joined(
  mostly(parts.CHUNK_SIZES, 12),
  mostly(parts.EXTENSIONS, 8),
  mostly(parts.SIZE_ENDS, 12),
  mostly(parts.CHUNK_DATA, 12),
  lineEnd,
);
const trailers = fc.array(joined(fc.constantFrom(...parts.TRAILERS), lineEnd), { maxLength: 2 });
const chunkedBody = joined(
  fc.array(chunk, { maxLength: 3 }).map((chunks) => chunks.join("")),
  mostly(parts.LAST_CHUNKS, 12),
  lineEnd,
  trailers.map((lines) => lines.join("")),
  nothingOr("\r\n"),
);

/** Framing and body, mostly of one kind. */
const framed: fc.Arbitrary<Framed> = fc.oneof<fc.WeightedArbitrary<Framed>[]>(
  { weight: 4, arbitrary: fc.constant({ fields: [], body: "" }) },
  {
    weight: 3,
    arbitrary: fc.record({
      fields: mostly(parts.LENGTHS, 25).map((length) => [`Content-Length: ${length}`]),
      body: mostly(parts.BODIES, 8),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      fields: mostly(parts.CODINGS, 25).map((coding) => [`Transfer-Encoding: ${coding}`]),
      body: chunkedBody,
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      fields: fc.array(field, { maxLength: 3 }),
      body: fc.oneof(fc.constantFrom(...parts.BODIES), chunkedBody),
    }),
  },
);

const requestLine = joined(
  mostly(parts.METHODS, 6),
  mostly([" ", "  ", "\t", ""], 40),
  mostly(parts.TARGETS, 4),
  fc.constant(" "),
  mostly(parts.VERSIONS, 8),
);

const statusLine = joined(
  mostly(parts.VERSIONS, 8),
  fc.constant(" "),
  mostly(parts.STATUSES, 2),
  mostly(parts.REASONS, 8),
);

/** Some requests on one connection. */
export const requestBytes: fc.Arbitrary<string> = connection(
  requestLine,
  "Host: a",
  mostly(["", "\r\n", "\r\n\r\n", "\n", "\r\n\r\n\r\n", " "], 12),
);

/** What an origin sends to one request: interim answers, an answer, and what it should not. */
export const responseBytes: fc.Arbitrary<string> = connection(
  statusLine,
  undefined,
  mostly(["", "\r\n", "\n", " "], 40),
);

/** Where the bytes are cut into pieces: nowhere, here and there, or after each byte. */
export const cuts: fc.Arbitrary<readonly number[]> = fc.oneof(
  fc.constant([]),
  fc.array(fc.nat(400), { maxLength: 12 }),
  fc.constant(Array.from({ length: 600 }, (_, at) => at)),
);

function connection(
  line: fc.Arbitrary<string>,
  always: string | undefined,
  before: fc.Arbitrary<string>,
): fc.Arbitrary<string> {
  const others = fc.oneof(
    { weight: 3, arbitrary: fc.constant([]) },
    { weight: 1, arbitrary: fc.array(field, { maxLength: 3 }) },
  );
  const message = fc
    .record({
      before,
      line,
      framed,
      others,
      ends: fc.array(lineEnd, { minLength: 8, maxLength: 8 }),
      empty: nothingOr("\r\n"),
    })
    .map(({ before, line, framed, others, ends, empty }) => {
      const lines = [line, ...(always === undefined ? [] : [always]), ...framed.fields, ...others];
      return before + lines.map((text, at) => text + (ends[at] ?? "\r\n")).join("") + empty + framed.body;
    });
  const change = fc.record({ at: fc.nat(300), removed: fc.nat(2), byte: fc.constantFrom(...parts.ODD_BYTES) });
  const changes = fc.oneof(
    { weight: 3, arbitrary: fc.constant([]) },
    { weight: 1, arbitrary: fc.array(change, { minLength: 1, maxLength: 2 }) },
  );
  return fc.tuple(fc.array(message, { minLength: 1, maxLength: 3 }), changes).map(([messages, changes]) =>
    changes.reduce((text, { at, removed, byte }) => {
      const index = at % (text.length + 1);
      return text.slice(0, index) + byte + text.slice(index + removed);
    }, messages.join("")),
  );
}

/** The first of `texts`, and once in about `weight` times another. */
function mostly([usual = "", ...others]: readonly string[], weight: number): fc.Arbitrary<string> {
  return fc.oneof({ weight, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: fc.constantFrom(...others) });
}

function joined(...texts: fc.Arbitrary<string>[]): fc.Arbitrary<string> {
  return fc.tuple(...texts).map((drawn) => drawn.join(""));
}
