/** Each fault that a node knows of, planted in its answers; the node's own warnings are made by the product. */

import { expect, test } from "vitest";
import type { Finding } from "../../../cmd/doctor/finding.ts";
import type { Inside } from "../../../cmd/doctor/inside.ts";
import { insideFindings } from "../../../cmd/doctor/inside-checks.ts";
import { paymentFindings } from "../../../cmd/doctor/payment-checks.ts";
import type { NodeId } from "../../../mesh/core/ids.ts";
import { clockProblems } from "../../../mesh/core/members/clock-offset.ts";
import type { Room } from "../../../node/config/room.ts";
import { parseRoom } from "../../../node/config/room-document.ts";
import { stuffedDraw } from "../../../node/config/start-warnings.ts";
import type { ApiWebhook } from "../../../node/operator/api/webhook-shape.ts";
import type { MemberStatus, NodeStatus, RoomStatus } from "../../../node/operator/status/status.ts";
import { looseSecret, originWarnings } from "../../../node/operator/status/warnings.ts";
import { SHOP as GATE_SHOP, GateWorld } from "../../node/gate/gate-world.ts";
import { SELF, STATUS } from "../admin-node.ts";

const DOCUMENT = {
  ...{ name: "shop", host: "*", total_active_users: 500, new_users_per_minute: 60, page: { title: "Shop" } },
  rules: [{ expression: 'http.request.uri.path starts_with "/hooks/"' }],
};

function room(change: object = {}): Room {
  const read = parseRoom({ ...DOCUMENT, ...change });
  if (!read.ok) throw new Error(JSON.stringify(read.problems));
  return read.value;
}

function member(at: number, change: Partial<MemberStatus> = {}): MemberStatus {
  const address = `/ip4/10.0.0.${at}/tcp/8082`;
  return { ...SELF, node: `n${at}`, self: at === 1, clock_offset_ms: 3, addresses: [address], ...change };
}

const THREE = [member(1), member(2), member(3)];

const LIMITS = { total_active_users: 500, new_users_per_minute: 60 };
const SHOP = { name: "shop", state: "free", ...LIMITS } as RoomStatus;
const WELL_STATUS: NodeStatus = {
  ...STATUS,
  rooms: [SHOP],
  members: THREE,
  view: { number: 3, members: 3, voters: 3 },
  cut_off: { browses_ms: 330_000, idle_ms: 395_000 },
};
const WELL: Inside = {
  status: WELL_STATUS,
  rooms: [room()],
  settings: [],
  webhooks: [{ enabled: true } as ApiWebhook],
  nowMs: STATUS.now_ms,
};

const PAGE_MS = 50;

function amiss(findings: readonly Finding[]): string[] {
  return findings
    .filter(({ verdict }) => verdict !== "ok")
    .map(({ verdict, check, text, repair = "" }) => `${verdict} ${check}: ${text} → ${repair}`);
}

test("nothing is wrong with a node that is well, and each check says what it saw", () => {
  const findings = insideFindings(WELL, PAGE_MS);
  expect(amiss(findings)).toEqual([]);
  expect(findings.map(({ check, text }) => `${check}: ${text}`)).toEqual([
    `node: ${SELF.node} runs anteroom 0.1.0, up 2 h 13 min`,
    "mesh: 3 nodes, of which 3 vote; 1 may be lost. An active visitor of a cut-off gate can browse for 5 min 30 s, and a lost node's share is idle for up to 6 min 35 s",
    "clock: the node's clock is 0 ms from this host's, the others' at most 3 ms from it",
    "limits: shop takes 500 inside and 60 a minute, for which the origin makes 1 first page at a time",
    "page: the waiting pages have a brand",
    "alerts: 1 webhook enabled: anteroom webhook test tries one",
  ]);
});

const status = (change: Partial<NodeStatus>): Partial<Inside> => ({ status: { ...WELL_STATUS, ...change } });
const members = (list: readonly MemberStatus[]): Partial<Inside> =>
  status({ members: list, view: { number: 3, members: list.length, voters: list.length } });

test.each<[fault: string, planted: Partial<Inside>, shown: RegExp]>([
  ["no lease", status({ lease: "none" }), /^problem mesh: this node has no lease/],
  ["one node", members([member(1)]), /^warning mesh: there is one node/],
  ["two nodes", members(THREE.slice(0, 2)), /^warning mesh: there are two nodes/],
  [
    "a voter that is silent",
    members([member(1), member(2), member(3, { state: "unreachable" })]),
    /^problem mesh: 1 of 3 voters silent: the next loss stops admission → start what is down/,
  ],
  ["one host for all", members([1, 2, 3].map((at) => ({ ...member(1), self: at === 1 }))), /^warning mesh: .*one host/],
  [
    "a clock that is off",
    status({ warnings: clockProblems("n1" as NodeId, [{ node: "n2" as NodeId, offsetMs: 9_000 } as never]) }),
    /^problem clock: The clock of n/,
  ],
  ["this host's clock", { nowMs: STATUS.now_ms + 5_000 }, /^warning clock: .* 5,000 ms from this host's → keep both/],
  [
    "a cold start",
    { rooms: [room({ new_users_per_minute: 60_000 })] },
    /^warning limits: room shop may send 1000 new users a second/,
  ],
  [
    "an order",
    status({ rooms: [{ ...SHOP, state: "passthrough" }] }),
    /^warning limits: room shop is passthrough → .*resume shop/,
  ],
  [
    "a draw without a bound",
    status({ warnings: stuffedDraw(room({ queueing_method: "random" }), 0) }),
    /^warning limits: room shop draws/,
  ],
  ["no room", { ...status({ rooms: [] }), rooms: [] }, /^problem limits: there is no room/],
  [
    "a page without a brand",
    { rooms: [room({ page: {} })] },
    /^warning page: .*: shop → anteroom room update shop page\.title/,
  ],
  ["nobody who hears of trouble", { webhooks: [] }, /^warning alerts: nobody hears of trouble: there is no webhook,/],
  [
    "webhooks that the token may not see",
    { webhooks: undefined },
    /^warning alerts: .* no webhook that the token may see/,
  ],
  [
    "a metric that nobody reads any more",
    { webhooks: [], ...status({ metrics_read_ms: STATUS.now_ms - 600_000 }) },
    /^warning alerts/,
  ],
  [
    "anything else that a node warns of",
    status({ warnings: [looseSecret("/data/mesh.key")] }),
    /^warning node: \/data\/mesh\.key can be read/,
  ],
])("%s is found, and nothing else", (_, planted, shown) => {
  const found = amiss(insideFindings({ ...WELL, ...planted }, PAGE_MS));
  expect(found).toEqual([expect.stringMatching(shown)]);
});

test("a slow page is found, and metrics that are read are as good as a webhook", () => {
  expect(amiss(insideFindings(WELL, 1_600))).toEqual([
    expect.stringMatching(/^warning limits: a page takes 2 s already/),
  ]);
  const read = status({ metrics_read_ms: STATUS.now_ms - 12_000 });
  expect(amiss(insideFindings({ ...WELL, ...read, webhooks: [] }, undefined))).toEqual([]);
});

test("an origin that is down is told once, in the node's words", () => {
  const world = new GateWorld({ rooms: [GATE_SHOP] });
  for (const target of world.room().origin.all) target.health.isUp = false;
  const warnings = originWarnings(world.rooms, world.peer);
  const found = insideFindings({ ...WELL, ...status({ warnings }) }, PAGE_MS).filter(({ check }) => check === "origin");
  expect(amiss(found)).toEqual([expect.stringMatching(/^problem origin: room shop: no origin answers/)]);
});

test.each<[path: string, change: object, shown: RegExp]>([
  ["/hooks/bank", {}, /^ok: POST \/hooks\/bank passes by a rule of room shop$/],
  ["/hooks/../pay", {}, /^problem: POST \/pay gets 503 when room shop is full$/],
  ["/hooks//pay", {}, /^problem: POST \/hooks\/\/pay gets 503/],
  ["/pay", { bypass_cidrs: ["198.51.100.0/24"] }, /^warning: .*, except from 198\.51\.100\.0\/24$/],
  ["/pay", { host: "tickets.example" }, /^ok: POST \/pay always passes: no room limits it$/],
  ["/pay", { suspended: true }, /^ok: POST \/pay always passes/],
])("a server's POST to %s of a room with %j is judged by the room's own rules", (path, change, shown) => {
  const [found] = paymentFindings([room(change)], [new URL(path, "https://shop.example/")]);
  expect(`${found?.verdict}: ${found?.text}`).toMatch(shown);
});

test("without a path, rooms that let no call pass are named", () => {
  expect(amiss(paymentFindings([room({ name: "bare", rules: [] }), room()], []))).toEqual([
    expect.stringMatching(/^warning payments: .*: bare → see docs\/first-sale\.md/),
  ]);
  expect(amiss(paymentFindings([room()], []))).toEqual([]);
});
