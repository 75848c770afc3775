/**
 * The gate's own reading of a client's bytes, which arrive cut into pieces.
 */

import { DEFAULT_HTTP_LIMITS } from "../../../../node/http/limits.ts";
import { isRefusal, type ParsedRequest } from "../../../../node/http/request-head.ts";
import { RequestReader } from "../../../../node/http/request-reader.ts";
import type { Message, Reading } from "./message.ts";
import { pieces } from "./pieces.ts";

/** Reads `text` as it comes, cut before each index of `cuts`. Stops as `readByLlhttp` does. */
export function readByGate(text: string, cuts: readonly number[]): Reading {
  const reader = new RequestReader(DEFAULT_HTTP_LIMITS);
  const messages: Message[] = [];
  let request: ParsedRequest | undefined;
  let body = "";
  let at = 0;
  for (const piece of pieces(text, cuts)) {
    reader.push(piece);
    at += piece.length;
    for (;;) {
      if (request === undefined) {
        const parsed = reader.readHead();
        if (parsed === undefined) break;
        if (isRefusal(parsed)) return { messages, refusal: parsed.reason };
        request = parsed;
        body = "";
      }
      if (!reader.readBody({ body: (piece) => (body += piece.toString("latin1")) })) {
        return {
          messages: [...messages, messageOf(request, { body, trailers: [], isComplete: false, end: at })],
          refusal: "the chunked body is malformed",
        };
      }
      if (reader.bodyBytesLeft > 0) break;
      messages.push(
        messageOf(request, { body, trailers: reader.trailers, isComplete: true, end: at - reader.pending }),
      );
      if (!request.keepAlive) return { messages, refusal: undefined };
      request = undefined;
    }
  }
  if (request !== undefined) messages.push(messageOf(request, { body, trailers: [], isComplete: false, end: at }));
  return { messages, refusal: undefined };
}

function messageOf(
  { head, keepAlive }: ParsedRequest,
  rest: Pick<Message, "body" | "trailers" | "isComplete" | "end">,
): Message {
  const { method, target, minorVersion, headers } = head;
  return { method, target, status: 0, reason: "", minorVersion, fields: headers, keepAlive, ...rest };
}
