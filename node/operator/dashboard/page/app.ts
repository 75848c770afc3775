/** The dashboard in a browser: shows what /dashboard/live sends each second, and opens the views of the desk. */

import type { NodeStatus, RoomStatus } from "../../status/status.ts";
import type { TimelineEntry } from "../timeline.ts";
import { logOut, may } from "./calls.ts";
import { openTokens, openWebhooks } from "./credentials.ts";
import { byId, make, say, setList } from "./dom.ts";
import { hear, latestStatus, nameOf } from "./latest.ts";
import { RoomCard } from "./room-card.ts";
import { editRoom } from "./room-form.ts";
import { byNeed, needsOf, numbers } from "./room-words.ts";
import { clockText, dayText } from "./times.ts";

/** Without news for so long the node is gone: it sends each second. */
const SILENCE_MS = 5_000;
const ASK_AGAIN_MS = 2_000;

const cards = new Map<string, RoomCard>();
const search = byId("search", HTMLInputElement);
let heardMs = Date.now();

function show(status: NodeStatus): void {
  hear(status);
  const { view, rooms, members } = status;
  say(byId("node"), status.name ?? status.node.slice(-8));
  const nodes = view === null ? "" : `${view.members} ${view.members === 1 ? "node" : "nodes"}`;
  say(byId("mesh"), view === null ? "joining the mesh" : `view ${view.number} · ${nodes} · version ${status.version}`);
  const waiting = rooms.reduce((sum, room) => sum + room.waiting, 0);
  document.title = `${waiting > 0 ? `(${numbers.format(waiting)}) ` : ""}anteroom`;
  showWarnings(status);
  showRooms([...rooms].sort(byNeed), status);
  setList(byId("members"), members.map(memberRow));
}

function showWarnings({ members, warnings, rooms }: NodeStatus): void {
  const removals = members.flatMap(({ node, removal_ms: at }) =>
    typeof at === "number"
      ? [`${nameOf(node)} does not answer: it is removed at ${clockText(at)} if it stays silent`]
      : [],
  );
  const all = [...removals, ...warnings, ...rooms.flatMap(needsOf)];
  const well = make("li", { class: "well" }, "All is well.");
  setList(byId("warnings"), all.length === 0 ? [well] : all.map((text) => make("li", { class: "warning" }, text)));
}

function showRooms(rooms: readonly RoomStatus[], status: NodeStatus): void {
  const names = new Set(rooms.map(({ name }) => name));
  for (const [name, card] of cards) {
    if (names.has(name)) continue;
    card.remove();
    cards.delete(name);
  }
  const sought = search.value.trim().toLowerCase();
  for (const [at, room] of rooms.entries()) {
    const card = cards.get(room.name) ?? new RoomCard(room.name);
    cards.set(room.name, card);
    card.show(room, status);
    card.element.hidden = !room.name.toLowerCase().includes(sought);
    place(card.element, at);
  }
}

/** Nothing moves while somebody is at it by keys or looks at a dialog about it. */
function place(element: HTMLElement, at: number): void {
  const list = byId("rooms");
  if (list.children[at] === element) return;
  if (!element.isConnected || !list.contains(document.activeElement))
    list.insertBefore(element, list.children[at] ?? null);
}

function memberRow(member: NodeStatus["members"][number]): HTMLElement {
  const milliseconds = (value: number | null) => (value === null ? "–" : `${Math.round(value)} ms`);
  const { lease, lease_seconds_left: left } = member;
  const leaseText = left === null || lease === null ? (lease ?? "–") : `${lease}, ${Math.round(left / 5) * 5} s`;
  return make(
    "tr",
    {},
    make("th", { scope: "row" }, `${nameOf(member.node)}${member.self ? " (here)" : ""}`),
    ...[member.locality, member.state, leaseText].map((text) => make("td", {}, text)),
    ...[member.clock_offset_ms, member.round_trip_ms].map((each) =>
      make("td", { class: "number" }, milliseconds(each)),
    ),
  );
}

function showTimeline(entries: readonly TimelineEntry[]): void {
  const lines = entries.toReversed().map(({ atMs, level, message, room }) => {
    const time = make("time", { datetime: new Date(atMs).toISOString() }, dayText(atMs));
    return make("li", { class: level }, time, room === undefined ? message : `${room}: ${message}`);
  });
  setList(byId("timeline"), lines);
}

function listen(): void {
  const source = new EventSource("/dashboard/live");
  source.onmessage = ({ data }: MessageEvent<string>) => {
    const { status, timeline }: { status: NodeStatus; timeline?: readonly TimelineEntry[] } = JSON.parse(data);
    heardMs = Date.now();
    byId("offline").hidden = true;
    show(status);
    if (timeline !== undefined) showTimeline(timeline);
  };
  source.onerror = () => {
    if (source.readyState !== EventSource.CLOSED) return;
    source.close();
    // Not logged in any more, or the node is gone: the log-in page tells which.
    const ask = () =>
      fetch("/dashboard/session").then((answer) => (answer.status === 401 ? location.reload() : listen()), listen);
    setTimeout(() => void ask(), ASK_AGAIN_MS);
  };
}

function setKiosk(isOn: boolean): void {
  document.body.classList.toggle("kiosk", isOn);
  byId("kiosk").setAttribute("aria-pressed", String(isOn));
  history.replaceState(null, "", isOn ? "#wall" : "#");
  drawAgain();
}

/** The plots have another size now. */
function drawAgain(): void {
  for (const card of cards.values()) card.drawAgain();
  showLatest();
}

function showLatest(): void {
  const status = latestStatus();
  if (status !== undefined) show(status);
}

setInterval(() => {
  if (Date.now() - heardMs < SILENCE_MS) return;
  byId("offline").hidden = false;
  say(byId("since"), clockText(heardMs));
}, 1_000);
// What scrolls can be scrolled by keys too.
for (const id of ["members-scroll", "timeline"]) byId(id).tabIndex = 0;
search.oninput = showLatest;
for (const id of ["create", "tokens", "webhooks"]) byId(id).hidden = !may("configure");
byId("tokens").onclick = () => void openTokens();
byId("webhooks").onclick = () => void openWebhooks();
byId("create").onclick = () => void editRoom("", "create");
byId("kiosk").onclick = () => setKiosk(!document.body.classList.contains("kiosk"));
byId("logout").onclick = () => void logOut();
addEventListener("resize", drawAgain);
if (location.hash === "#wall") setKiosk(true);
listen();
