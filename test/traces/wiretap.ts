/**
 * Hears what the nodes of a simulated mesh say to each other, and writes down in words the kinds that a trace shows.
 */

import type { RowData } from "../../mesh/core/ledger/row.ts";
import { UNITS } from "../../mesh/core/ledger/shares.ts";
import type { PeerCodec } from "../../node/peer/peer-codec.ts";
import type { Network } from "../sim/network.ts";
import { sharedCodec } from "../sim/shared-codec.ts";

type Message = Extract<ReturnType<PeerCodec["decode"]>, { readonly ok: true }>["messages"][number];

export class Wiretap {
  readonly #shown = new Set<string>();
  readonly #codec = sharedCodec();
  readonly #slots: number;
  readonly #write: (text: string) => void;

  constructor(network: Network, slots: number, write: (text: string) => void) {
    this.#slots = slots;
    this.#write = write;
    const send = network.send.bind(network);
    const publish = network.publish.bind(network);
    network.send = (from, to, frame) => {
      this.#hear(`${from} → ${to}`, frame);
      return send(from, to, frame);
    };
    network.publish = (from, frame) => {
      this.#hear(`${from} → all`, frame);
      publish(from, frame);
    };
  }

  show(kinds: readonly string[]): void {
    for (const kind of kinds) this.#shown.add(kind);
  }

  #hear(way: string, frame: Uint8Array): void {
    const decoded = this.#codec.decode(frame);
    if (!decoded.ok) return;
    for (const message of decoded.messages)
      if (this.#shown.has(message.kind))
        this.#write(`${way}  ${[message.kind, this.#words(message)].join(" ").trim()}`);
  }

  /** What matters in a message to a reader of the protocol. */
  #words(message: Message): string {
    switch (message.kind) {
      case "fence":
      case "heard":
        return message.nodes.join(" ");
      case "fenced":
        return `${message.nodes.join(" ")}; copies of ${listed(message.copies.map(({ account }) => account))}`;
      case "prepare":
        return `ballot ${ballotName(message.ballot)}`;
      case "promise":
        return `ballot ${ballotName(message.ballot)}; ${message.votes.some(([, vote]) => vote !== null) ? "accepted before" : "nothing accepted before"}`;
      case "accept":
        return `ballot ${ballotName(message.ballot)}; view ${message.value.number}: ${message.value.members.map(({ node }) => node).join(" ")}`;
      case "accepted":
        return `ballot ${ballotName(message.ballot)}`;
      case "decided":
        return `view ${message.decided.number}: ${message.decided.members.map(({ node }) => node).join(" ")}`;
      case "recall":
        return `${message.slots.active} slots wanted`;
      case "lent":
        return message.row === undefined ? "nothing" : this.#gifts(message.row);
      case "offer":
      case "testimony":
        return `accounts ${listed(message.accounts)}`;
      case "testimony-done":
        return message.isTaken ? "taken" : "not taken";
      default:
        return "";
    }
  }

  /** Totals ever given, so a gift that is repeated or late changes nothing. */
  #gifts({ gifts }: RowData): string {
    const active = gifts.filter(({ resource }) => resource === "active");
    return active
      .map(
        ({ to, totals }) =>
          `${(((totals.at(-1)?.[1] ?? 0) / UNITS) * this.#slots).toFixed(1)} slots given to ${to} so far`,
      )
      .join(", ");
  }
}

function ballotName([round, , node]: readonly [number, number, string]): string {
  return `${round} of ${node}`;
}

function listed(names: readonly string[]): string {
  return names.length === 0 ? "none" : [...new Set(names)].join(" ");
}
