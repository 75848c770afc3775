/**
 * llhttp, the HTTP/1.1 parser of Node.js, as a second reader of the same bytes.
 *
 * undici ships it as WebAssembly; none of its lenient flags is set. It calls back with addresses in its memory. It is
 * stopped after each message, because only then does it say where the message ended.
 */

import { createRequire } from "node:module";
import type { Message, Reading } from "./message.ts";

export interface ReadOptions {
  readonly type: "request" | "response";
  /** Method of the request that the answers belong to; an answer to HEAD has no body. */
  readonly method?: string;
  /** Whether the connection ends after the bytes. */
  readonly ends?: boolean;
}

interface Exports {
  readonly memory: WebAssembly.Memory;
  _initialize(): void;
  malloc(bytes: number): number;
  free(address: number): void;
  llhttp_alloc(type: number): number;
  llhttp_free(parser: number): void;
  llhttp_execute(parser: number, address: number, bytes: number): number;
  llhttp_finish(parser: number): number;
  llhttp_resume(parser: number): void;
  llhttp_resume_after_upgrade(parser: number): void;
  llhttp_get_error_pos(parser: number): number;
  llhttp_get_error_reason(parser: number): number;
  llhttp_get_method(parser: number): number;
  llhttp_get_http_minor(parser: number): number;
  llhttp_method_name(method: number): number;
}

const load = createRequire(import.meta.url);
const { METHODS }: { readonly METHODS: Readonly<Record<string, number>> } = load("undici/lib/llhttp/constants.js");

/** The methods that llhttp knows; it refuses all others. */
export const LLHTTP_METHODS: ReadonlySet<string> = new Set(Object.keys(METHODS));

/** Numbers of llhttp.h. */
const TYPES = { request: 1, response: 2 };
const OK = 0;
const PAUSED = 21;
const PAUSED_UPGRADE = 22;
const SKIP_BODY = 1;

type Draft = { -readonly [Key in keyof Message]: Message[Key] extends readonly string[] ? string[] : Message[Key] };

/** The message that is being read, and how far: a head that is not complete is no message. */
let draft: Draft = emptyDraft();
let isHeadRead = false;
let skipsBody = false;

const wasm = instance();

/** Reads `text` (latin1) up to the first refusal, the first message that ends the connection, or the end. */
export function readByLlhttp(text: string, { type, method, ends = false }: ReadOptions): Reading {
  const parser = wasm.llhttp_alloc(TYPES[type]);
  const address = wasm.malloc(text.length + 1);
  Buffer.from(wasm.memory.buffer).write(text, address, "latin1");
  const messages: Message[] = [];
  isHeadRead = false;
  skipsBody = method === "HEAD";
  try {
    let at = 0;
    while (at < text.length) {
      const error = wasm.llhttp_execute(parser, address + at, text.length - at);
      if (error === OK) break;
      if (error !== PAUSED && error !== PAUSED_UPGRADE) return refused(messages, parser);
      at = wasm.llhttp_get_error_pos(parser) - address;
      if (error === PAUSED_UPGRADE) wasm.llhttp_resume_after_upgrade(parser);
      else wasm.llhttp_resume(parser);
      if (error === PAUSED_UPGRADE) continue;
      messages.push({ ...draft, end: at });
      isHeadRead = false;
      if (isLast(draft)) return { messages, refusal: undefined };
    }
    if (ends && at < text.length) {
      const error = wasm.llhttp_finish(parser);
      if (error !== OK && error !== PAUSED) return refused(messages, parser);
    }
    if (isHeadRead) messages.push({ ...draft, end: text.length });
    return { messages, refusal: undefined };
  } finally {
    wasm.free(address);
    wasm.llhttp_free(parser);
  }
}

function instance(): Exports {
  const bytes: Uint8Array<ArrayBuffer> = load("undici/lib/llhttp/llhttp-wasm.js");
  const env = {
    wasm_on_message_begin() {
      draft = emptyDraft();
      isHeadRead = false;
      return OK;
    },
    wasm_on_url(_: number, at: number, length: number) {
      draft.target += textAt(at, length);
      return OK;
    },
    wasm_on_status(_: number, at: number, length: number) {
      draft.reason += textAt(at, length);
      return OK;
    },
    wasm_on_header_field: onFieldPart,
    wasm_on_header_value: onFieldPart,
    wasm_on_headers_complete(parser: number, status: number, _upgrade: number, keepAlive: number) {
      isHeadRead = true;
      draft.status = status;
      draft.method = status === 0 ? zeroEnded(wasm.llhttp_method_name(wasm.llhttp_get_method(parser))) : "";
      draft.minorVersion = wasm.llhttp_get_http_minor(parser);
      draft.keepAlive = keepAlive === 1;
      return skipsBody && status >= 200 ? SKIP_BODY : OK;
    },
    wasm_on_body(_: number, at: number, length: number) {
      draft.body += textAt(at, length);
      return OK;
    },
    wasm_on_message_complete() {
      draft.isComplete = true;
      return PAUSED;
    },
  };
  // The module exports what its C interface says.
  const exports = new WebAssembly.Instance(new WebAssembly.Module(bytes), { env }).exports as unknown as Exports;
  exports._initialize();
  return exports;
}

/** A name or a value: they come in turns, each in one piece, as the parser gets all bytes at once. */
function onFieldPart(_: number, at: number, length: number): number {
  const list = isHeadRead ? draft.trailers : draft.fields;
  list.push(textAt(at, length));
  return OK;
}

function emptyDraft(): Draft {
  const fields: string[] = [];
  const trailers: string[] = [];
  return {
    method: "",
    target: "",
    status: 0,
    reason: "",
    minorVersion: 0,
    fields,
    body: "",
    trailers,
    keepAlive: false,
    isComplete: false,
    end: 0,
  };
}

function textAt(address: number, length: number): string {
  return Buffer.from(wasm.memory.buffer, address, length).toString("latin1");
}

/** Whether what follows is ignored, or no HTTP. An interim answer is followed by another. */
function isLast({ status, keepAlive }: Message): boolean {
  return status === 101 || (!keepAlive && (status === 0 || status >= 200));
}

/** What was read up to the refusal, with the message that it came in, if its head was whole. */
function refused(messages: readonly Message[], parser: number): Reading {
  const refusal = zeroEnded(wasm.llhttp_get_error_reason(parser));
  return { messages: isHeadRead ? [...messages, draft] : messages, refusal };
}

function zeroEnded(address: number): string {
  const end = new Uint8Array(wasm.memory.buffer).indexOf(0, address);
  return textAt(address, end - address);
}
