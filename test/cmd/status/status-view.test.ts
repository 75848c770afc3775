import { describe, expect, test } from "vitest";
import { timeOfDay } from "../../../cmd/print.ts";
import { renderRooms, renderStatus } from "../../../cmd/status/status-view.ts";
import type {
  MemberStatus,
  NodeStatus,
  OriginStatus,
  RoomLocality,
  RoomStatus,
  ShareStatus,
} from "../../../node/operator/status/status.ts";
import { SELF, STATUS } from "../admin-node.ts";

const PLAIN = { color: false, width: 80 };
const WIDE = { color: false, width: 1_000 };

const OWN: ShareStatus = {
  account: SELF.node,
  node: SELF.node,
  active_slots: 500,
  arrivals_slots: 100,
  state: "own",
  idle_until_ms: null,
};

const HERE: RoomLocality = {
  locality: "default",
  ticket_counter: SELF.node,
  nodes: 1,
  free: 0,
  waiting: 1_204,
  admitted_this_minute: 100,
};

const SHOP: RoomStatus = {
  id: "1",
  name: "shop",
  state: "queueing",
  operator_order: null,
  event: null,
  next_event: null,
  inside: 500,
  inside_here: 500,
  total_active_users: 500,
  waiting: 1_204,
  waiting_here: 1_204,
  admitted_this_minute: 100,
  admitted_here_this_minute: 100,
  new_users_per_minute: 100,
  wait_seconds: 722,
  pace: null,
  localities: [HERE],
  shares: [OWN],
};

const ALONE: NodeStatus = {
  ...STATUS,
  warnings: ["the origin http://127.0.0.1:3000 has not answered for 12 s; visitors inside see an error page"],
  rooms: [
    SHOP,
    { ...SHOP, name: "checkout", state: "free", inside: 12, total_active_users: 2_000, waiting: 0, wait_seconds: 0 },
    { ...SHOP, name: "tickets", state: "held", inside: 0, waiting: 8_311, wait_seconds: null },
  ],
};

const PEER: MemberStatus = {
  node: "12D3KooWJq77aa91b2",
  locality: "west",
  state: "alive",
  self: false,
  round_trip_ms: 0.42,
  clock_offset_ms: -12.4,
  lease: "held",
  lease_seconds_left: 28,
  version: "0.1.0",
  addresses: ["/ip4/10.0.0.2/tcp/8082"],
  voter: true,
};

test("a wave of passes says how far it is, and how it goes on", () => {
  const next_ms = Date.UTC(2026, 10, 28, 10);
  const waves = [
    { name: "spring", good: 2_000, count: 6_000, paused: false, next_ms, next: 2_500 },
    { name: "late", good: 500, count: null, paused: true, next_ms: null, next: null },
    { name: "old", good: 30, count: 30, paused: false, next_ms: null, next: null },
  ];
  const text = renderRooms([{ ...SHOP, waves }], { width: 120, color: false });
  expect(text.split("\n").slice(2)).toEqual([
    "shop: 2,000 of 6,000 passes of wave spring are good, 500 more at 2026-11-28 10:00:00 UTC",
    "shop: passes up to 500 of wave late are good; it is paused until: anteroom pass shop --resume late",
    "shop: 30 of 30 passes of wave old are good",
  ]);
});

test("an event that comes is named with its pre-queue, and state and order are never the same word", () => {
  const next_event = {
    name: "sale",
    prequeue_start_time: "2026-11-28T09:30:00.000Z",
    event_start_time: "2026-11-28T10:00:00.000Z",
    event_end_time: "2026-11-28T12:00:00.000Z",
  };
  const order = { order: "open", since: "2026-11-27T10:00:00Z", node: "n" } as const;
  const rooms = [
    { ...SHOP, state: "free", next_event },
    { ...SHOP, name: "other", state: "passthrough", operator_order: order },
  ] as const;
  const text = renderStatus({ ...STATUS, rooms }, { color: false, width: 200 });
  expect(text).toContain(
    "shop: next event sale starts at 2026-11-28 10:00:00 UTC, pre-queue from 2026-11-28 09:30:00 UTC",
  );
  expect(text).not.toMatch(/^shop +open/m);
  expect(text).toContain("other: opened by an operator since 2026-11-27 10:00 UTC");
});

test("during an upgrade the heading reports how many nodes are still to be upgraded", () => {
  const wire = { speaks: 4, newest: 5 };
  const members = [5, 4, null].map((newest_wire) => ({ ...PEER, newest_wire }));
  const text = (status: NodeStatus) => renderStatus(status, { color: false, width: 200 });
  expect(text({ ...STATUS, wire, members })).toContain("wire version 4, 5 once all nodes understand it (2 to go)");
  expect(text({ ...STATUS, wire: { speaks: 5, newest: 5 }, members })).not.toContain("wire version");
});

const LOST: MemberStatus = {
  ...PEER,
  node: "12D3KooWJqee5501c7",
  state: "unreachable",
  removal_ms: STATUS.now_ms + 27_000,
  round_trip_ms: null,
  clock_offset_ms: null,
  lease: null,
  lease_seconds_left: null,
};

const LOST_SHARE: ShareStatus = {
  ...OWN,
  account: LOST.node,
  node: null,
  active_slots: 150,
  arrivals_slots: 30,
  state: "lost",
  idle_reason: "silent",
  removal_ms: STATUS.now_ms + 27_000,
  idle_until_ms: STATUS.now_ms + 542_000,
};

/** The same after the removal, from an heir of an earlier version. */
const POT: ShareStatus = {
  ...{ account: LOST.node, node: SELF.node, active_slots: 150, arrivals_slots: 30 },
  ...{ state: "pot", idle_until_ms: null },
};

const MESH: NodeStatus = {
  ...STATUS,
  view: { number: 7, members: 3, voters: 3 },
  rooms: [
    {
      ...SHOP,
      localities: [HERE, { ...HERE, locality: "west", ticket_counter: PEER.node, nodes: 1, free: 3, waiting: 40 }],
      shares: [OWN, { ...OWN, account: PEER.node, node: PEER.node, state: "member" }, LOST_SHARE],
    },
    { ...SHOP, name: "tickets", localities: [{ ...HERE, ticket_counter: null }], shares: [] },
  ],
  members: [{ ...SELF, lease_seconds_left: 29, clock_offset_ms: 3 }, PEER, LOST],
};

describe("the status of a node by itself", () => {
  test("reads well at 80 columns, and says nothing of a mesh", () => {
    expect(renderStatus(ALONE, PLAIN)).toBe(
      `anteroom 0.1.0 · node 3f2a91c0 · up 2 h 13 min
! the origin http://127.0.0.1:3000 has not answered for 12 s; visitors inside
  see an error page

ROOM      STATE     INSIDE / LIMIT  WAITING  THIS MIN / LIMIT    WAIT
shop      queueing       500 / 500    1,204         100 / 100  12 min
checkout  free          12 / 2,000        0         100 / 100    none
tickets   held             0 / 500    8,311         100 / 100       –

1 node, no mesh peers`,
    );
  });

  test("marks what needs a look, and nothing else, when colours are wanted", () => {
    const text = renderStatus(ALONE, { color: true, width: 80 });
    expect(text).toContain("\x1b[33mqueueing\x1b[0m");
    expect(text).toContain("\x1b[1;31mheld    \x1b[0m");
    expect(text).toContain("\ncheckout  free          12");
    expect(Bun.stripANSI(text).replaceAll(/ +$/gm, "")).toBe(renderStatus(ALONE, PLAIN));
  });

  test("says that it waits to join, how to make a room when there is none, and shows short minutes", () => {
    const text = renderStatus({ ...STATUS, view: null, lease: "none", minute_ms: 500 }, WIDE);
    expect(text).toContain("not in the mesh yet");
    expect(text).toContain("anteroom room create");
    expect(text).toContain("minutes of 500 ms");
  });
});

describe("the origins in a status", () => {
  const TARGET: OriginStatus["targets"][number] = {
    url: "http://10.0.0.1:3000",
    state: "up",
    since_ms: STATUS.now_ms - 725_000,
    reason: null,
    weight: 1,
    part: 0.651,
    sessions_here: 30,
    share_here: 0.6,
    requests_here: 90,
    failures_here: 0,
  };
  const shopWith = (targets: OriginStatus["targets"], rollout: OriginStatus["rollout"] = null): NodeStatus => ({
    ...STATUS,
    rooms: [{ ...SHOP, origin: { reachable: true, targets, rollout } }],
  });

  test("are not shown where there is one that is up", () => {
    expect(renderStatus(shopWith([TARGET]), PLAIN)).toBe(renderStatus({ ...STATUS, rooms: [SHOP] }, PLAIN));
  });

  test("are a table, with each rollout in words below", () => {
    const down = { ...TARGET, url: "http://10.0.0.2:3000", state: "down" as const, part: 0.326, share_here: null };
    const next = { ...TARGET, url: "http://10.0.0.9:3000", part: 0.023, share_here: 0.4 };
    const rollout = {
      state: "running" as const,
      percent: 2.3,
      started_ms: 0,
      words: "a rollout to http://10.0.0.9:3000 is under way: 2.3 % of new sessions follow it",
    };
    expect(renderStatus(shopWith([TARGET, down, next], rollout), PLAIN)).toContain(`
ROOM  ORIGIN                STATE   SINCE  WEIGHT  SESSIONS
shop  http://10.0.0.1:3000  up     12 min  65.1 %      60 %
      http://10.0.0.2:3000  down   12 min  32.6 %         –
      http://10.0.0.9:3000  up     12 min   2.3 %      40 %
Room shop: a rollout to http://10.0.0.9:3000 is under way: 2.3 % of new sessions
follow it.
`);
  });
});

/** What is shown of the mesh when these are the shares of its room. */
const withShares = (...shares: readonly ShareStatus[]) => renderStatus({ ...MESH, rooms: [{ ...SHOP, shares }] }, WIDE);

describe("the status of a mesh", () => {
  test("says with two nodes that the loss of one takes a word of the operator", () => {
    const heading = (members: number) => {
      const view = { number: 7, members, voters: members };
      return renderStatus({ ...MESH, view }, { ...PLAIN, width: 400 }).split("\n")[0];
    };
    expect(heading(2)).toMatch(/view 7: 2 nodes, 2 vote · with two nodes, the loss of one takes anteroom forget$/);
    expect(heading(3)).toMatch(/view 7: 3 nodes, 3 vote$/);
  });

  test("reports lost shares first, then rooms, members with those in trouble on top, and localities", () => {
    expect(renderStatus(MESH, PLAIN)).toBe(
      `anteroom 0.1.0 · node 3f2a91c0 · up 2 h 13 min · view 7: 3 nodes, 3 vote
! node ee5501c7 does not answer, its share is idle: shop, 150 of 500 inside (30
  %) and 30 of 100 a minute, until the node is back or removed at ${timeOfDay(STATUS.now_ms + 27_000)} (in
  27 s); after that only the slots that it may hold stay idle, until ${timeOfDay(STATUS.now_ms + 542_000)} (9
  min) at the latest

ROOM     STATE     INSIDE / LIMIT  WAITING  THIS MIN / LIMIT    WAIT
shop     queueing       500 / 500    1,204         100 / 100  12 min
tickets  queueing       500 / 500    1,204         100 / 100  12 min

NODE             ADDRESS        LOCALITY  STATE      RTT   CLOCK  LEASE
ee5501c7         10.0.0.2:8082  west      silent       –       –  –
3f2a91c0 (here)  –              default   alive        –   +3 ms  held, 29 s
77aa91b2         10.0.0.2:8082  west      alive   0.4 ms  -12 ms  held, 28 s

ROOM     LOCALITY  NODES  FREE  WAITING  THIS MIN  TICKET COUNTER
shop     default       1     0    1,204       100  3f2a91c0
         west          1     3       40       100  77aa91b2
tickets  default       1     0    1,204       100  none`,
    );
  });

  test("says how the share of a silent node is used again if nobody can remove the node", () => {
    const { removal_ms: _, ...share }: ShareStatus = { ...LOST_SHARE, idle_until_ms: null };
    const text = withShares(share);
    expect(text).toContain("and 30 of 100 a minute, until the node is back or removed\n");
  });

  test("calls nodes by their names, and those with the same name by their ids, too", () => {
    const names = { [SELF.node]: "gate1", [PEER.node]: "gate2", [LOST.node]: "gate2" };
    const text = renderStatus({ ...MESH, names }, { color: false, width: 200 });
    expect(text).toContain("anteroom 0.1.0 · node gate1 · ");
    expect(text).toContain("! node gate2 (ee5501c7) does not answer, its share is idle: shop,");
    expect(text).toMatch(/^gate1 \(here\) +– +default +alive/m);
    expect(text).toMatch(/^gate2 \(77aa91b2\) +10\.0\.0\.2:8082 +west +alive/m);
  });

  test("says until when the share of a removed node is idle at its heir", () => {
    const endMs = STATUS.now_ms + 725_000;
    const share: ShareStatus = { ...POT, idle_until_ms: endMs };
    const rooms = ["a", "b", "c", "d", "e", "f"].map((name) => ({ ...SHOP, name, shares: [share] }));
    const text = renderStatus({ ...MESH, rooms }, WIDE);
    expect(text).toContain(
      `! node ee5501c7 is gone, its share is idle: a, 150 of 500 inside (30 %) and 30 of 100 a minute; b,`,
    );
    expect(text).toContain(`, until ${timeOfDay(endMs)} (12 min); and 2 more rooms\n`);
    const five = renderStatus({ ...MESH, rooms: rooms.slice(1) }, WIDE);
    expect(five).toContain("; and 1 more room\n");
  });

  test.each([
    ["removed", "node ee5501c7 was removed at AT, but sessions that it admitted may go on; idle of its share"],
    [
      "held",
      "node ee5501c7 may have lost admissions, and admits nobody on its share until all earlier sessions are over; idle",
    ],
  ] as const)("says why the share of a node is idle: %s", (reason, words) => {
    const [sinceMs, endMs] = [STATUS.now_ms - 30_000, STATUS.now_ms + 725_000];
    const share: ShareStatus = {
      ...{ ...POT, state: reason === "held" ? "held" : "pot", idle_until_ms: endMs },
      ...{ idle_reason: reason, idle_since_ms: sinceMs },
    };
    const text = words.replace("AT", timeOfDay(sinceMs));
    const amount = `shop, 150 of 500 inside (30 %) and 30 of 100 a minute, until ${timeOfDay(endMs)} (12 min)`;
    expect(withShares(share)).toContain(`! ${text}: ${amount}\n`);
    expect(withShares({ ...share, idle_until_ms: null, idle_reason: "held", state: "held" })).toContain(
      "until the other members have answered",
    );
  });

  test("names all nodes of a share that was left by several", () => {
    const accounts = [LOST_SHARE.account, PEER.node, ...["1", "2", "3"].map((end) => `12D3KooWJqabcdef${end}0`)];
    const share: ShareStatus = { ...POT, idle_reason: "removed", accounts };
    const text = withShares(share);
    expect(text).toMatch(
      /! nodes ee5501c7, 77aa91b2, \S+, \S+ and 1 more were removed, but sessions that they admitted may go on; idle of their/,
    );
  });

  test("says what the loss of a node costs", () => {
    const cut_off = { browses_ms: 330_000, idle_ms: 395_000 };
    expect(renderStatus({ ...MESH, cut_off }, WIDE)).toContain(
      "\nAn active visitor of a cut-off gate can browse for 5 min 30 s, and a lost node's share is idle for up to 6 min 35 s\n",
    );
  });

  test("does not report shares too small for a slot", () => {
    expect(withShares({ ...LOST_SHARE, active_slots: 0, arrivals_slots: 0 })).not.toContain("idle");
  });

  test("marks a clock too far off, and a node without a lease", () => {
    const late: MemberStatus = {
      ...PEER,
      clock_offset_ms: 4_400,
      round_trip_ms: 81.6,
      lease: "none",
      lease_seconds_left: null,
    };
    const text = renderStatus({ ...MESH, members: [SELF, late] }, { color: true, width: 100 });
    expect(text).toContain("82 ms");
    expect(text).toContain("\x1b[1;31m+4,400 ms\x1b[0m");
    expect(text).toContain("\x1b[1;31mnone");
  });

  test("fits into 80 columns with the longest names", () => {
    const locality = "a-locality-with-the-longest-name-that-one-may-have-which-is-64-c";
    const members = MESH.members.map((member) => ({ ...member, locality }));
    const names = Object.fromEntries(members.map(({ node }) => [node, `${node}-${locality}`.slice(0, 64)]));
    const rooms = [
      {
        ...SHOP,
        name: locality,
        localities: [{ ...HERE, locality, waiting: 1_000_000 }],
        total_active_users: 10_000_000,
      },
    ];
    for (const line of renderStatus({ ...MESH, members, rooms, names }, PLAIN)
      .split("\n")
      .slice(2)) {
      expect(line.length).toBeLessThanOrEqual(80);
    }
  });
});
