import { describe, expect, test } from "vitest";
import type { Waits } from "../../../node/admission/mesh/entrance.ts";
import type { Room } from "../../../node/config/room.ts";
import { parseRoom } from "../../../node/config/room-document.ts";
import { jsonAnswer, pageAnswer, waitingView } from "../../../node/gate/waiting-answer.ts";
import { fieldOf } from "./fake-exchange.ts";

const NOW_MS = Date.UTC(2026, 8, 11, 11, 45, 10);
const NOW = { nowMs: NOW_MS, minuteMs: 60_000, isOriginDown: false };
const AGAIN = "/?__anteroom=again";
const PAGE = {
  ...{ isPlain: false, isNew: false, again: AGAIN, language: "en-US" as const },
  ...{ here: "/", leave: "/?__anteroom=leave", languages: "/?__anteroom=languages", host: "shop.example" },
} as const;

describe("how soon a visitor asks again", () => {
  test("a program asks in whole seconds after slots came free, the page at the moment itself", () => {
    const nowMs = Date.UTC(2026, 8, 11, 11, 45, 59);
    const room = roomWith({});
    const view = waitingView(waiting(3, 1), room, { ...NOW, nowMs });
    expect([view.refreshSeconds, view.pollMs]).toEqual([2, 1_253]);
    const { headers, body } = jsonAnswer(view, room);
    const { cfWaitingRoom, anteroom } = JSON.parse(body.toString());
    expect([fieldOf(headers, "Retry-After"), cfWaitingRoom.refreshIntervalSeconds, anteroom.pollMs]).toEqual([
      ...["2", 2, 1_253],
    ]);
    expect(fieldOf(pageAnswer(view, room, PAGE).headers, "Refresh")).toBe(`2; url=${AGAIN}`);
  });
});

describe("the answer", () => {
  const room = roomWith({ queueing_status_code: 202 });
  test("says no wait while the origin is down, as nobody can know it", () => {
    const view = waitingView(waiting(3, 240), room, { ...NOW, isOriginDown: true });
    expect(view).toMatchObject({ position: 3, waitSeconds: null, refreshSeconds: 20, originReachable: false });
  });

  const view = waitingView(waiting(42, 240), room, NOW);

  test("as a new visitor's page asks again within two seconds, to see whether the cookie was kept", () => {
    const first = pageAnswer(view, room, { ...PAGE, isNew: true });
    expect(fieldOf(first.headers, "Refresh")).toBe(`2; url=${AGAIN}`);
    // A room's own template cannot stop that with JavaScript.
    const own = pageAnswer(view, roomWith({ custom_page_html: "<p>own" }), { ...PAGE, isNew: true });
    expect(fieldOf(own.headers, "Refresh")).toBe(`20; url=${AGAIN}`);
    const based = pageAnswer(view, roomWith({ custom_page_html: "<BASE href=//cdn.example>" }), PAGE);
    expect(fieldOf(based.headers, "Refresh")).toBe("20");
  });
});

function waiting(position: number, seconds: number | undefined): Waits {
  const range = { seconds: seconds ?? 0, earliestSeconds: seconds ?? 0, latestSeconds: seconds ?? 0, isKnown: true };
  const wait = seconds === undefined ? undefined : range;
  return { kind: "waiting", place: { key: 1, rank: position, position, wait }, line: "here", position };
}

function roomWith(fields: object): Room {
  const parsed = parseRoom({ name: "shop", host: "*", total_active_users: 1, new_users_per_minute: 1, ...fields });
  if (!parsed.ok) throw new Error("The document is well");
  return parsed.value;
}
