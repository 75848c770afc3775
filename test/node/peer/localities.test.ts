import { describe, expect, test } from "vitest";
import type { AccountId, NodeId, RoomId } from "../../../mesh/core/ids.ts";
import type { Instant } from "../../../mesh/core/instant.ts";
import type { Members } from "../../../mesh/core/members/members.ts";
import { Outbox } from "../../../mesh/core/wire/outbox.ts";
import type { MeshRoom } from "../../../node/admission/mesh/mesh-room.ts";
import type { SiteData } from "../../../node/admission/mesh/room-messages.ts";
import type { HeardGauges } from "../../../node/admission/mesh/room-node.ts";
import { Localities } from "../../../node/peer/localities.ts";
import { gaugeOf, M } from "../admission/mesh/fake-room-node.ts";

const ROOM = "shop" as RoomId;
const [w1, w2, x1, x2, y1] = ["w1", "w2", "x1", "x2", "y1"] as [NodeId, NodeId, NodeId, NodeId, NodeId];
const BY_LOCALITY = new Map([
  ["w", [w1, w2]],
  ["x", [x1, x2]],
  ["y", [y1]],
]);

/** What w1 is the heir of. */
const OWN_IDLE = [{ accounts: ["gone" as AccountId], untilMs: 9_000 }];

function at(ms: number): Instant {
  return { wallMs: M * 60_000 + ms, steadyMs: ms };
}

/** What w1 knows of the others. */
function open() {
  const silent = new Set<NodeId>();
  const members = {
    view: { number: 7 },
    byLocality: BY_LOCALITY,
    isMember: (node: NodeId) => [...BY_LOCALITY.values()].flat().includes(node),
    localityOf: (node: NodeId) => node.slice(0, 1),
    reach: {
      farVersion: 0,
      isNear: (node: NodeId) => node.startsWith("w"),
      state: (node: NodeId) => (silent.has(node) ? "unreachable" : "alive"),
      reported: (locality: string, told: ReadonlySet<number>) => {
        for (const [place, node] of (BY_LOCALITY.get(locality) ?? []).entries()) if (told.has(place)) silent.add(node);
      },
    },
  };
  const room = { id: ROOM, gauge: () => gaugeOf(5), counters: () => [w2, w1] } as unknown as MeshRoom;
  const outbox = new Outbox();
  const gauges = new Map<NodeId, HeardGauges>();
  const localities = new Localities({
    self: w1,
    locality: "w",
    minuteMs: 60_000,
    members: members as unknown as Members,
    rooms: new Map([[ROOM, room]]),
    outbox,
    gauges,
    idle: () => OWN_IDLE,
    seenAt: (_room, node, minute) => (minute === M - 1 ? (node === w1 ? 30 : 12) : 0),
  });
  const sent = () => outbox.take().sent.map(({ to, message }) => ({ to, message: message as never as Told }));
  return { localities, members, gauges, silent, sent };
}

interface Told {
  readonly sites: readonly SiteData[];
}

/** Of locality x: its first node has 3 slots free, its second one keeps the line and holds back. */
function siteOf(change: Partial<SiteData> = {}): SiteData {
  const room = {
    room: ROOM,
    counter: 1,
    free: [[0, 3, 4] as const],
    held: [1],
    waiting: [[M, 9] as const],
    inside: 70,
    admitted: 8,
    minute: M,
    rampStartMs: 0,
    seen: 44,
  };
  return { locality: "x", view: 7, ageMs: 0, silent: [], rooms: [room], ...change };
}

describe("what a speaker says of its locality", () => {
  test("is known by node and in sums, until it is too old", () => {
    const { localities } = open();
    localities.hear(x1, [siteOf()], at(1_000));
    expect(localities.sites(ROOM, at(2_000)).get("x")).toMatchObject({
      free: { active: 3, arrivals: 4 },
      waiting: [[M, 9]],
      inside: 70,
      admitted: 8,
      minute: M,
      seen: 44,
    });
    const gauge = (node: NodeId) => localities.gauge(node, ROOM, at(2_000));
    expect(gauge(x1)).toMatchObject({ active: 3, arrivals: 4, mayAct: true, waiting: [], inside: 0 });
    expect(gauge(x2)).toMatchObject({ active: 0, mayAct: false, waiting: [[M, 9]], inside: 70 });
    expect(gauge(x1)).toBe(gauge(x1));
    expect(localities.sites(ROOM, at(60_000)).get("x")).toBeUndefined();
    expect(localities.gauge(x1, ROOM, at(60_000))).toBeUndefined();
  });

  test("counts no more when none of its nodes answers, and again when one does", () => {
    const { localities, silent, members } = open();
    localities.hear(x1, [siteOf()], at(1_000));
    const isThere = () => localities.sites(ROOM, at(2_000)).get("x") !== undefined;
    const come = (...nodes: NodeId[]) => {
      for (const node of [x1, x2]) if (!nodes.includes(node)) silent.add(node);
      for (const node of nodes) silent.delete(node);
      members.reach.farVersion += 1;
      return isThere();
    };
    expect([isThere(), come(x2), come(), come(x1)]).toEqual([true, true, false, true]);
  });

  test("forgets a room that it does not tell of any more", () => {
    const { localities } = open();
    localities.hear(x1, [siteOf()], at(1_000));
    expect(localities.sites(ROOM, at(1_000)).size).toBe(1);
    localities.hear(x1, [siteOf({ rooms: [] })], at(2_000));
    expect(localities.sites(ROOM, at(2_000)).size).toBe(0);
  });

  test("reports who is silent there", () => {
    const { localities, silent } = open();
    localities.hear(x1, [siteOf({ silent: [1] })], at(1_000));
    expect([...silent]).toEqual([x2]);
  });

  test("counts for nothing of another locality than its own, of this one, in another view, and from a stranger", () => {
    const { localities } = open();
    const hear = (from: NodeId, site: SiteData) => localities.hear(from, [site], at(1_000));
    hear(y1, siteOf());
    hear(x1, siteOf({ locality: "w" }));
    hear(x1, siteOf({ view: 6 }));
    hear("stranger" as NodeId, siteOf());
    expect(localities.sites(ROOM, at(1_000)).get("x")).toBeUndefined();
    expect(localities.takeHeard(at(1_000))).toBeUndefined();
  });

  test("is passed on once, with its age, and not again when a neighbour has passed it on", () => {
    const { localities } = open();
    localities.hear(x1, [siteOf()], at(1_000));
    localities.hear(w2, [siteOf({ locality: "y", ageMs: 300, rooms: [] })], at(1_200));
    const passed = localities.takeHeard(at(1_400)) as never as Told;
    expect(passed.sites.map(({ locality, ageMs }) => [locality, ageMs])).toEqual([["x", 400]]);
    expect(localities.takeHeard(at(1_500))).toBeUndefined();
    localities.hear(w2, [siteOf({ ageMs: 900 })], at(1_600));
    expect(localities.sites(ROOM, at(45_900)).get("x")).toBeDefined();
    expect(localities.sites(ROOM, at(46_100)).get("x")).toBeUndefined();
  });
});

describe("what this node says as speaker", () => {
  test("goes to one node of each other locality: to the one that spoke last, while it answers", () => {
    const { localities, sent, silent } = open();
    localities.hear(x2, [siteOf()], at(0));
    localities.tell(at(10_000), at(10_000).wallMs);
    expect(sent().map(({ to }) => to)).toEqual([x2, y1]);
    silent.add(x2);
    localities.tell(at(40_000), at(40_000).wallMs);
    expect(sent().map(({ to }) => to)).toEqual([x1, y1]);
  });

  test("is what its neighbours have free, their line and what came in", () => {
    const { localities, gauges, sent } = open();
    const theirs = { ...gaugeOf(8, [[M, 3]]), inside: 20, admitted: 2, rampStartMs: 700 };
    const idle = [{ accounts: ["lost" as AccountId], untilMs: 8_000 }];
    gauges.set(w2, { rooms: new Map([[ROOM, theirs]]), idle, untilMs: Number.POSITIVE_INFINITY });
    localities.tell(at(10_000), at(10_000).wallMs);
    const [first] = sent();
    expect(first?.message.sites).toEqual([
      {
        locality: "w",
        view: 7,
        ageMs: 0,
        silent: [],
        rooms: [
          {
            room: ROOM,
            counter: 1,
            free: [
              [1, 8, 8],
              [0, 5, 5],
            ],
            held: [],
            waiting: [[M, 3]],
            inside: 20,
            admitted: 2,
            minute: M,
            rampStartMs: 700,
            seen: 42,
          },
        ],
        idle: [...OWN_IDLE, ...idle],
      },
    ]);
    const { localities: far } = open();
    far.hear(x2, [{ ...siteOf(), idle }], at(0));
    expect([far.idle(at(45_000)), far.idle(at(45_001))]).toEqual([idle, []]);
  });

  test("is said at most once a second, and unchanged only now and then", () => {
    const { localities, sent } = open();
    const told = [0, 500, 1_000, 5_000, 14_000, 15_000, 15_500].map((ms) => {
      localities.tell(at(ms), at(0).wallMs);
      return sent().length;
    });
    expect(told).toEqual([2, 0, 0, 0, 0, 2, 0]);
  });
});
