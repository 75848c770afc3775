/**
 * Bodies of any size: lines of JSON (application/x-ndjson) that are read and answered as they come, so that a node holds
 * some of them at a time.
 */

import type { OnFault } from "../logs/faults.ts";

export const JSON_LINES = "application/x-ndjson";

/** Lines that are read at once: what is made of them takes some ms, and then others have their turn. */
const LINES_AT_ONCE = 1_000;

/** Of a longer line only the begin is read: one without an end would take all memory. Readers refuse it. */
export const LINE_CHARS_MAX = 64 * 1024;

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
  if (rest !== "") yield [rest.slice(0, LINE_CHARS_MAX + 1)];
}

export interface Reader {
  /** Of the request: aborted once its sender has gone. */
  readonly signal: AbortSignal;
  readonly onFault: OnFault;
}

/**
 * A body whose next part is asked for once the socket has taken the last one: a plain stream is read ahead of it. It
 * ends with its reader; after an error it is cut, as its status is sent already.
 */
export function pacedBody(parts: AsyncGenerator<string>, { signal, onFault }: Reader): ReadableStream {
  const gone = new Promise<undefined>((resolve) => {
    signal.addEventListener("abort", () => resolve(undefined), { once: true });
  });
  const source: Bun.DirectUnderlyingSource<string> = {
    type: "direct",
    pull: async (sink) => {
      try {
        while (!signal.aborted) {
          const next = await Promise.race([parts.next(), gone]);
          if (next === undefined || next.done === true) break;
          await Promise.race([sink.write(next.value), gone]);
          await Bun.sleep(0);
        }
        sink.close();
      } catch (error) {
        // What goes wrong because the reader has gone is no fault.
        if (signal.aborted || (error instanceof Error && error.name === "AbortError")) return;
        onFault(error, "an answer was cut");
        throw error;
      } finally {
        // It may wait for a part that never comes.
        parts.return(undefined).catch(() => undefined);
      }
    },
  };
  // Bun's own kind of source, which the types of web streams do not have.
  return new ReadableStream(source as unknown as ConstructorParameters<typeof ReadableStream>[0]);
}
