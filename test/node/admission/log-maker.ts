/** Public logs and receipts with real signatures, as nodes would make them. */

import type { NodeId } from "../../../mesh/core/ids.ts";
import { ephemeralNodeKey } from "../../../mesh/node-key.ts";
import { signaturesOf } from "../../../mesh/signatures.ts";
import type { LogEntry, LogNodes } from "../../../node/admission/call-log.ts";
import { type LogPin, type Receipt, receiptOf } from "../../../node/admission/receipt.ts";
import { signedStatement } from "../../../node/admission/statement.ts";
import { isoOf } from "../../../node/iso-time.ts";
import { type Notary, notaryOf } from "../../../node/notary.ts";

export interface Signer {
  readonly node: NodeId;
  readonly notary: Notary;
}

export async function signer(): Promise<Signer> {
  const key = await ephemeralNodeKey();
  return { node: key.node, notary: notaryOf(signaturesOf(key)) };
}

export const MESH_ID = "0123456789abcdef";
export const ROOM_ID = "room1";

/** One node's log. Times are seconds after its start. */
export class LogMaker {
  readonly startMs: number;
  readonly keeper: Signer;
  readonly lines: string[] = [];
  #last: LogEntry | undefined;
  #digest = "";

  constructor(keeper: Signer, startMs: number) {
    this.keeper = keeper;
    this.startMs = startMs;
  }

  at(seconds: number): string {
    return isoOf(this.startMs + seconds * 1_000);
  }

  /** The queue key, and the place under `fifo`. */
  keyAt(seconds: number): number {
    return (this.startMs + seconds * 1_000) * 1_000;
  }

  get pin(): LogPin | undefined {
    const last = this.#last;
    return last && { line: last.line, began: last.began, number: last.number, digest: this.#digest };
  }

  /** An entry up to so many seconds, in which the line was called up to who joined at `upTo`, and `letIn` came in. */
  add(toSeconds: number, upTo: number, change: Partial<LogEntry> = {}, by = this.keeper): void {
    const last = this.#last;
    const entry: LogEntry = {
      anteroom: "log 1",
      mesh: MESH_ID,
      room: ROOM_ID,
      line: "here",
      began: last?.began ?? this.at(toSeconds),
      number: (last?.number ?? 0) + 1,
      from: last?.to ?? this.at(0),
      to: this.at(toSeconds),
      ...(last === undefined && { gap: "start" }),
      order: "arrival",
      called_up_to: upTo === 0 ? 0 : this.keyAt(upTo),
      let_in: 1,
      let_in_up_to: upTo === 0 ? 0 : this.keyAt(upTo),
      waiting: 5,
      called: 1,
      previous: this.#digest,
      node: by.node,
      ...change,
    };
    const text = signedStatement(entry, by.notary);
    this.lines.push(text);
    this.#last = entry;
    this.#digest = by.notary.digest(text);
  }

  head(change: Partial<LogNodes> = {}, by = this.keeper): string {
    const fields: LogNodes = {
      anteroom: "log nodes 1",
      mesh: MESH_ID,
      room: ROOM_ID,
      name: "shop",
      line: "here",
      at: this.#last?.to ?? this.at(0),
      first: 1,
      last: this.#last?.number ?? 0,
      nodes: [this.keeper.node],
      node: by.node,
      ...change,
    };
    return signedStatement(fields, by.notary);
  }

  text(lines: readonly string[] = this.lines, head = this.head()): string {
    return `${[head, ...lines].join("\n")}\n`;
  }

  receipt(joinedSeconds: number, change: Partial<Receipt> = {}, by = this.keeper): string {
    const key = this.keyAt(joinedSeconds);
    const receipt = receiptOf({
      ...{
        mesh: MESH_ID,
        room: ROOM_ID,
        name: "shop",
        at: { key, place: key },
        order: "arrival",
        visitor: "4QK7-X2MD",
      },
      ...{ log: this.pin, node: by.node, nowMs: this.startMs + joinedSeconds * 1_000 },
    });
    return signedStatement({ ...receipt, ...change }, by.notary);
  }
}
