import { describe, expect, test } from "vitest";
import type { NodeId } from "../../../mesh/core/ids.ts";
import { FRAME_BYTES_MAX } from "../../../mesh/core/wire/codec.ts";
import { WIRE_VERSION } from "../../../mesh/core/wire/wire-range.ts";
import type { PeerMessage } from "../../../node/peer/message-kinds.ts";
import { peerCodec } from "../../../node/peer/peer-codec.ts";
import { PeerFrames } from "../../../node/peer/peer-frames.ts";

const [anna, bert] = ["anna", "bert"] as [NodeId, NodeId];

function frames() {
  const failures: unknown[] = [];
  const parts = {
    codec: peerCodec(),
    view: () => 7,
    wire: () => WIRE_VERSION,
    failed: (fields: unknown) => failures.push(fields),
  };
  return { frames: new PeerFrames(parts), failures };
}

/** Gifts of so many rooms: about 60 bytes each. */
function rowsOf(rooms: number): PeerMessage {
  const totals = [[0, 2 ** 30]] as const;
  const gifts = Array.from({ length: rooms }, (_, at) => ({
    ...{ room: `room${at}`, resource: "active", to: bert, totals },
  }));
  return { kind: "gifts", rows: [{ account: anna, gifts, counts: [] }] } as unknown as PeerMessage;
}

describe("what is sent to a node", () => {
  test("begins with the view, and is one frame where it fits", () => {
    const [frame, ...more] = frames().frames.sent([
      { to: bert, message: rowsOf(1) },
      { to: bert, message: rowsOf(2) },
    ]);
    expect([more, frame?.isBulk]).toEqual([[], true]);
    const read = frames().frames.received(anna, frame?.frame ?? new Uint8Array());
    expect(read).toEqual([{ kind: "stamp", view: 7 }, rowsOf(1), rowsOf(2)]);
  });

  test("travels in pieces where it is larger than a frame, with the view, and counts once all have come", () => {
    const large = rowsOf(20_000);
    const sent = frames().frames.sent([{ to: bert, message: large }]);
    expect(sent.length).toBeGreaterThan(1);
    for (const { frame, isBulk } of sent) expect([frame.length <= FRAME_BYTES_MAX, isBulk]).toEqual([true, true]);
    const { frames: receiver } = frames();
    const [first, ...rest] = sent.reverse().map(({ frame }) => frame);
    for (const frame of rest) expect(receiver.received(anna, frame)).toEqual([]);
    expect(receiver.received(bert, first ?? new Uint8Array())).toEqual([]);
    expect(receiver.received(anna, first ?? new Uint8Array())).toEqual([{ kind: "stamp", view: 7 }, large]);
  });

  test("is dropped if it is larger than any message, which is counted and told", () => {
    const { frames: sender, failures } = frames();
    expect(sender.sent([{ to: bert, message: rowsOf(200_000) }])).toEqual([]);
    expect([sender.counts.unsent, failures.length]).toEqual([1, 1]);
    expect(failures[0]).toMatchObject({
      kinds: ["gifts"],
      error: expect.stringContaining("Cannot encode stamp, gifts"),
    });
  });
});
