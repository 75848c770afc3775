/**
 * Sessions that the origin ends, in meshes of whole nodes: no gate lets a copy of the cookie in, and no slot is free
 * while one could.
 */

import { expect, test } from "vitest";
import type { AccountId, Minute } from "../../mesh/core/ids.ts";
import type { CheckInOutcome, Session } from "../../node/admission/mesh/check-ins.ts";
import { ROOM, type SimNode } from "../sim/sim-node.ts";
import type { SimRoom } from "../sim/sim-room.ts";
import { World } from "../sim/world.ts";

const MINUTE_MS = 6_000;
const TIMES = { minuteMs: MINUTE_MS, leaseMs: 4_000 };
const DURATION = 5;
const room = { totalActiveUsers: 12, newUsersPerMinute: 100, sessionDuration: DURATION, refreshIntervalSeconds: 2 };

/** A session that begins at a gate. */
function admitted(world: World, gate: SimNode): Session {
  let session: Session | undefined;
  gate.do((peer) =>
    peer.rooms.get(ROOM)?.arrive("anna", peer.roomMs, (decision) => {
      if (decision.kind === "admitted") session = { id: "anna", home: decision.home, lastGood: decision.lastGood };
    }),
  );
  world.pass(200);
  if (session === undefined) throw new Error("Broken: nobody was let in");
  return session;
}

/** Three nodes, and a session whose home is the first. */
function worldWithSession() {
  const world = new World({ seed: 1, localities: ["sjc", "lon", "del"], ...TIMES, room });
  world.pass(12_000);
  const [home, gate, other] = world.nodes as [SimNode, SimNode, SimNode];
  const session = admitted(world, home);
  expect(session.home).toBe(home.identity as string as AccountId);
  return { world, home, gate, other, session };
}

function revoke(node: SimNode, { id, home }: Session): void {
  node.do((peer) => peer.rooms.get(ROOM)?.revoke(id, home, peer.roomMs));
}

/** What a gate makes of a copy of the cookie. */
function shown(world: World, node: SimNode, session: Session): CheckInOutcome["kind"] | undefined {
  let kind: CheckInOutcome["kind"] | undefined;
  node.do((peer) => {
    const minute = Math.floor(peer.roomMs / MINUTE_MS) as Minute;
    const lastGood = Math.max(session.lastGood, minute) as Minute;
    peer.rooms.get(ROOM)?.checkIn({ ...session, lastGood }, peer.roomMs, (stay) => {
      kind = stay.kind;
    });
  });
  world.pass(3_000);
  return kind;
}

const inside = ({ peer }: SimNode): number | undefined => peer?.rooms.get(ROOM)?.admission.inside(peer.roomMs);

test("a session that is ended at another gate than its home is refused at all, and its slot is free after the minute", () => {
  const { world, home, gate, other, session } = worldWithSession();
  revoke(gate, session);
  world.pass(500);
  expect(inside(home)).toBe(1);
  world.pass(MINUTE_MS + 1_000);
  expect(inside(home)).toBe(0);
  world.cut(other);
  expect([home, gate, other].map((node) => shown(world, node, session))).toEqual(["revoked", "revoked", "revoked"]);
});

test("its slot is held while a gate that is cut off may let a copy in", () => {
  const { world, home, gate, other, session } = worldWithSession();
  world.cut(other);
  world.pass(1_000);
  revoke(gate, session);
  world.pass(MINUTE_MS + 1_000);
  expect([inside(home), shown(world, other, session)]).toEqual([1, "unchanged"]);
});

test("a gate that was cut off for a moment is told when it is back, and then the slot is free", () => {
  const { world, home, gate, other, session } = worldWithSession();
  world.cut(other);
  world.pass(1_000);
  revoke(gate, session);
  world.pass(1_000);
  world.network.heal();
  world.pass(4_000);
  expect(shown(world, other, session)).toBe("revoked");
  world.pass(MINUTE_MS);
  expect([other.peer?.members.isMember(), inside(home)]).toEqual([true, 0]);
});

test("it is refused by the heir of its home, though it has not checked in there", () => {
  const { world, home, gate, other, session } = worldWithSession();
  home.crash();
  world.pass(9_000);
  const heir = gate.peer?.members.writerOf(session.home) === gate.identity ? gate : other;
  expect(heir.peer?.members.pot(heir.now)).toHaveLength(1);
  const notHeir = heir === gate ? other : gate;
  revoke(notHeir, session);
  world.pass(500);
  expect([heir, notHeir].map((node) => shown(world, node, session))).toEqual(["revoked", "revoked"]);
  heir.crash();
  heir.start();
  world.pass(5_000);
  expect(shown(world, heir, session)).toBe("revoked");
});

test("a home that alone knows of the end refuses it after a start, whatever its host's clock says", () => {
  const { world, home, session } = worldWithSession();
  world.cut(home);
  world.pass(1_000);
  revoke(home, session);
  world.pass(100);
  home.crash();
  home.skewMs += 600_000;
  world.network.heal();
  home.start();
  world.pass(5_000);
  expect(shown(world, home, session)).toBe("revoked");
});

test("a home that was away when it was ended refuses it when it is back", () => {
  const { world, home, gate, session } = worldWithSession();
  home.pause();
  world.pass(1_000);
  revoke(gate, session);
  world.pass(1_000);
  home.resume();
  world.pass(3_000);
  expect(shown(world, home, session)).toBe("revoked");
});

test("its slot is held while a node that was removed may run on, cut off", () => {
  const { world, home, gate, other, session } = worldWithSession();
  world.cut(other);
  world.pass(12_000);
  expect(gate.peer?.members.isMember(other.identity)).toBe(false);
  revoke(gate, session);
  world.pass(MINUTE_MS + 1_000);
  expect([inside(home), shown(world, other, session)]).toEqual([1, "unchanged"]);
});

test("a node that joins later refuses it, though its home is silent by then", () => {
  const { world, home, gate, other, session } = worldWithSession();
  revoke(gate, session);
  world.pass(MINUTE_MS + 1_000);
  expect(inside(home)).toBe(0);
  other.wipe();
  other.start();
  world.pass(10_000);
  expect(other.peer?.members.isMember()).toBe(true);
  world.cut(other);
  world.pass(2_000);
  expect(shown(world, other, session)).toBe("revoked");
});

/** What becomes of the gate that ended a session; returns the place in which a node joins. */
const GONE: readonly {
  readonly what: string;
  readonly goes: (world: World, gate: SimNode, other: SimNode) => SimNode;
}[] = [
  {
    what: "has left",
    goes: (_, gate) => {
      gate.leave();
      return gate;
    },
  },
  {
    what: "was removed",
    goes: (world, gate) => {
      gate.wipe();
      world.pass(12_000);
      gate.start();
      return gate;
    },
  },
  {
    what: "was restarted",
    goes: (_, gate, other) => {
      gate.crash();
      gate.start();
      other.wipe();
      other.start();
      return other;
    },
  },
  {
    what: "was restarted meanwhile",
    goes: (world, gate, other) => {
      other.leave();
      world.pass(3_200);
      gate.crash();
      world.pass(2_000);
      gate.start();
      return other;
    },
  },
];

test.each(GONE)(
  "a node that joins refuses it, though the gate that ended it $what and its home is silent",
  ({ goes }) => {
    const { world, home, gate, other, session } = worldWithSession();
    revoke(gate, session);
    world.pass(MINUTE_MS + 1_000);
    expect(inside(home)).toBe(0);
    const joined = goes(world, gate, other);
    world.pass(10_000);
    expect(joined.peer?.members.isMember()).toBe(true);
    world.cut(joined);
    world.pass(500);
    expect(shown(world, joined, session)).toBe("revoked");
  },
);

test("a node that starts from an older disk is told again, and refuses it though its home is silent by then", () => {
  const { world, home, gate, other, session } = worldWithSession();
  other.backUp();
  revoke(gate, session);
  world.pass(MINUTE_MS + 1_000);
  expect([inside(home), other.refuses(ROOM, session.id)]).toEqual([0, true]);
  other.rollBack({ isSameBoot: true });
  expect(other.refuses(ROOM, session.id)).toBe(false);
  world.pass(5_000);
  world.cut(other);
  expect(shown(world, other, session)).toBe("revoked");
});

test("its slot is held where the last two of three nodes have been removed and one may run on", () => {
  const { world, home, gate, other, session } = worldWithSession();
  world.cut(other);
  world.pass(12_000);
  gate.crash();
  world.pass(6_000);
  home.do((peer) => peer.members.forget([gate.identity], peer.now));
  world.pass(3_000);
  expect(home.peer?.members.others).toEqual([]);
  revoke(home, session);
  world.pass(MINUTE_MS + 1_000);
  expect([inside(home), shown(world, other, session)]).toEqual([1, "unchanged"]);
});

test("a node that is cut off for longer than its sessions last lets no copy in, and the slot is free as ever", () => {
  const { world, home, gate, other, session } = worldWithSession();
  world.cut(other);
  for (let minutes = 0; minutes < 13; minutes++) {
    world.pass(MINUTE_MS);
    expect(shown(world, home, session)).toBe("acknowledged");
  }
  revoke(gate, session);
  world.pass(MINUTE_MS + 1_000);
  expect([inside(home), shown(world, other, session)]).toEqual([0, "unsure"]);
});

test("nor does one that was removed while it was down, and starts again cut off", () => {
  const { world, home, gate, other, session } = worldWithSession();
  world.cut(other);
  other.crash();
  for (let minutes = 0; minutes < 13; minutes++) {
    world.pass(MINUTE_MS);
    shown(world, home, session);
  }
  other.start();
  world.pass(4_000);
  revoke(gate, session);
  world.pass(MINUTE_MS + 1_000);
  expect([inside(home), shown(world, other, session)]).toEqual([0, "unsure"]);
});

test("a gate that starts by a clock that is an hour ahead still refuses a session that was ended before", () => {
  const { world, gate, other, session } = worldWithSession();
  revoke(gate, session);
  world.pass(500);
  other.crash();
  other.skewMs += 3_600_000;
  other.start();
  world.pass(3_500);
  expect(other.peer?.isClockTrusted).toBe(true);
  world.cut(other);
  expect(other.refuses(ROOM, session.id)).toBe(true);
  expect(shown(world, other, session)).toBe("revoked");
});

test("a session that was ended while the disk was full has ended, though the gate that ended it has left since", () => {
  const world = new World({
    seed: 1,
    localities: ["sjc", "lon", "del"],
    ...TIMES,
    room: { ...room, totalActiveUsers: 1 },
  });
  world.pass(12_000);
  const [home, gate] = world.nodes as [SimNode, SimNode];
  world.arrive({ locality: home.locality, staysMs: 1 });
  world.pass(200);
  gate.disk.isFull = true;
  world.revoke(world.rooms[0] as SimRoom, 1, gate);
  world.pass(1_000);
  expect(home.refuses(ROOM, "v1")).toBe(false);
  gate.disk.isFull = false;
  world.pass(MINUTE_MS + 1_000);
  expect([inside(home), home.refuses(ROOM, "v1")]).toEqual([0, true]);
  gate.leave();
  world.pass(3_500);
  while (gate.peer?.members.isMember() !== true) world.pass(50);
  world.cut(gate);
  expect([gate.peer?.rooms.has(ROOM), gate.refuses(ROOM, "v1")]).toEqual([true, false]);
  world.arrive({ locality: home.locality, staysMs: 10 * MINUTE_MS });
  world.pass(3_000);
  expect([inside(home), world.oracle.counts.admitted]).toEqual([1, 2]);
});
