/**
 * Bodies of any size: lines of JSON (application/x-ndjson) that are read and answered as they come, so that a node holds
 * some of them at a time.
 */

export const JSON_LINES = "application/x-ndjson";

/** Lines that are read at once: what is made of them takes some ms, and then others have their turn. */
const LINES_AT_ONCE = 1_000;

/** A longer line is cut, and so is no JSON: one without an end would take all memory. */
const LINE_CHARS_MAX = 64 * 1024;

/** The lines of a body, some at a time. */
export async function* linesOf(body: AsyncIterable<Uint8Array> | null): AsyncGenerator<readonly string[]> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const bytes of body ?? []) {
    const lines = (rest + decoder.decode(bytes, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    for (let at = 0; at < lines.length; at += LINES_AT_ONCE) yield lines.slice(at, at + LINES_AT_ONCE);
    if (rest.length > LINE_CHARS_MAX) break;
  }
  if (rest !== "") yield [rest.slice(0, LINE_CHARS_MAX)];
}

/** A body whose next part is asked for once the socket has taken the last one: a plain stream is read ahead of it. */
export function pacedBody(parts: AsyncIterable<string>): ReadableStream {
  const source: Bun.DirectUnderlyingSource<string> = {
    type: "direct",
    pull: async (sink) => {
      for await (const part of parts) {
        await sink.write(part);
        await Bun.sleep(0);
      }
      sink.close();
    },
  };
  // Bun's own kind of source, which the types of web streams do not have.
  return new ReadableStream(source as unknown as ConstructorParameters<typeof ReadableStream>[0]);
}
