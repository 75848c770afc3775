/**
 * `anteroom demo`: a shop, a gate or a mesh of gates in front of it, and a crowd, for as long as a spike lasts.
 *
 * Minutes are shortened so that a run of two real minutes shows many. The shop counts its visitors without knowing the
 * gates: that count is the most inside. Admissions in a minute and slots in use are what the nodes report. On a busy
 * machine only limits are judged. Nothing is left on disk.
 */

import type { RoomStatus } from "../node/operator/status/status.ts";
import { sum } from "./chaos/shares.ts";
import type { Invocation } from "./command.ts";
import { type IdleLook, IdleTime } from "./crowd/idle.ts";
import { Starved } from "./crowd/starved.ts";
import { timelineEvent, timelineHeading, timelineRow } from "./crowd/timeline.ts";
import { Crowd } from "./demo/crowd.ts";
import { startShop } from "./demo/shop.ts";
import { claimed, Stage, type StageParts } from "./demo/stage.ts";
import { hasFailed, type Summary, summaryOf, summaryText } from "./demo/summary.ts";
import { type DemoOptions, readDemoOptions } from "./demo-options.ts";
import { EXIT } from "./exit.ts";
import { Failure } from "./failure.ts";
import { untilStopped } from "./interrupt.ts";
import type { Io } from "./io.ts";
import { count, number, span, tableOptions } from "./print.ts";

/** Real ms between two looks at the room: short against the shortest minute, so that no peak is missed. */
const LOOK_MS = 50;

/** Lines of the timeline in a whole run. */
const LINES = 40;

/** Part of the run after which a node is killed: the spike is over its top, and the line at its longest. */
const KILL_AT = 0.45;

/**
 * Line, in minutes of admissions, at which a person is asked to open the page: it is still there when the address has
 * been typed.
 */
const INVITE_WAITING_MINUTES = 2;

/**
 * Part of the run after which a person is asked to open the page although there is no line: with these numbers none
 * will form.
 */
const INVITE_AT = 0.2;

/** A visitor of the shop alone counts as inside for as long as in a room with the default session duration. */
const SHOP_SESSION_MS = 5 * 60_000;

export async function demo(invocation: Invocation): Promise<number> {
  const options = readDemoOptions(invocation);
  const problems = [...invocation.problems, ...(options.ok ? [] : options.problems)];
  if (!options.ok || problems.length > 0) throw new Failure("the demo was not started", { problems });
  if (options.value.shopOnly) return runShop(options.value, invocation.io);
  const summary = await play(options.value, invocation.io);
  invocation.io.answer(
    options.value.json ? JSON.stringify(summary) : `\n${summaryText(summary, tableOptions(invocation.io))}`,
  );
  return hasFailed(summary) ? EXIT.checkFailed : EXIT.ok;
}

/** Runs the shop alone, as an origin for a first try of `anteroom serve`. Throws `Failure` when the port is taken. */
async function runShop({ listen }: DemoOptions, io: Io): Promise<number> {
  const { host, port } = claimed(listen, "shop");
  const shop = startShop({ hostname: host, port, sessionMs: SHOP_SESSION_MS });
  io.answer(`The shop is at ${shop.url}/. Ctrl-C ends it.`);
  io.answer(`Put a gate in front of it: anteroom serve --origin ${shop.url} --rooms rooms.yaml`);
  await untilStopped((signal) => new Promise((resolve) => signal.addEventListener("abort", resolve)));
  await shop.stop();
  return EXIT.ok;
}

function play(options: DemoOptions, io: Io): Promise<Summary> {
  return untilStopped(async (signal) => {
    const shop = startShop({ hostname: "127.0.0.1", port: 0, sessionMs: options.minuteMs });
    const parts = { options, shop, io, signal };
    try {
      const stage = await Stage.start(parts);
      try {
        return await playOn(stage, parts);
      } finally {
        await stage.stop();
      }
    } finally {
      // A shop that is still open would keep the process from ending.
      await shop.stop();
    }
  });
}

async function playOn(stage: Stage, { options, shop, io, signal }: StageParts): Promise<Summary> {
  const { limit, perMinute, minuteMs, minutes, rate, nodes, localities } = options;
  const say = options.json ? io.talk : io.answer;
  announce(stage, options, say);
  const runMs = minutes * 60_000;
  const crowd = new Crowd({ gates: stage.nodes, rate, runMs, minuteMs });
  const idle = new IdleTime();
  const starved = new Starved(() => [{ name: "the demo", pid: process.pid }, ...stage.nodes]);
  let peakAdmitted = 0;
  let killed: string | undefined;
  let isKillDue = options.kill;
  let isInvitationDue = true;
  const startMs = performance.now();
  let nextLineMs = startMs;
  const looking = setInterval(() => {
    const nowMs = performance.now();
    const seconds = (nowMs - startMs) / 1_000;
    peakAdmitted = Math.max(peakAdmitted, stage.admittedThisMinute);
    if (isKillDue && nowMs - startMs > KILL_AT * runMs) {
      isKillDue = false;
      void stage.kill().then((who) => {
        killed = who;
        if (who !== undefined) say(timelineEvent(seconds, `kill -9: ${who}`));
      });
    }
    const room = stage.room;
    idle.look(idleLookOf(room, shop.count.visitors));
    if (
      isInvitationDue &&
      (room.waiting >= INVITE_WAITING_MINUTES * perMinute || nowMs - startMs > INVITE_AT * runMs)
    ) {
      isInvitationDue = false;
      say(timelineEvent(seconds, invitation(stage, room)));
    }
    if (nowMs < nextLineMs) return;
    nextLineMs += runMs / LINES;
    say(timelineRow({ seconds, came: crowd.came, room }, tableOptions(io)));
  }, LOOK_MS);
  starved.start();
  try {
    signal.addEventListener("abort", () => void crowd.stop());
    await crowd.run(() => shop.count.inside(Date.now()) === 0);
    const stillWaiting = stage.room.waiting;
    await crowd.stop();
    const { came, stories } = crowd;
    const { peakInside } = shop.count;
    return summaryOf({
      came,
      stories,
      stillWaiting,
      peakInside,
      limit,
      peakAdmitted,
      perMinute,
      nodes,
      localities,
      killed,
      use: idle.use,
      useOfWhole: idle.useOfWhole,
      starved: starved.figures,
    });
  } finally {
    starved.stop();
    clearInterval(looking);
  }
}

/** How much of the room is in use, and what answering nodes have free. */
function idleLookOf({ waiting, inside, localities, ...room }: RoomStatus, admitted: number): IdleLook {
  const mayCome = Math.max(0, room.new_users_per_minute - room.admitted_this_minute);
  const free = Math.min(mayCome, sum(localities.map((locality) => locality.free)));
  return { nowMs: Date.now(), waiting, free, inside, limit: room.total_active_users, mayCome, admitted };
}

function announce({ nodes: [first] }: Stage, options: DemoOptions, say: (text: string) => void): void {
  const { limit, perMinute, minuteMs, minutes, nodes, localities } = options;
  say(
    `A shop for ${limit} visitors at a time and ${perMinute} new ones a minute. A minute of the demo lasts ${minuteMs / 1_000} s.`,
  );
  if (nodes > 1) {
    say(`${count(nodes, "node")} in ${localities.join(", ")}; each request of a visitor goes to any of their gates.`);
  }
  say(`The gate is at ${first?.gate}/. Visitors are coming. A line below says when to open it.`);
  say(`The demo ends by itself, after ${span(minutes * 60)} at most. Ctrl-C ends it now.\n`);
  say(timelineHeading());
}

/** What a person at the terminal is asked to do, now that there is something to see. */
function invitation({ nodes: [first] }: Stage, { waiting, wait_seconds: wait }: RoomStatus): string {
  if (waiting === 0) return `Nobody waits with these numbers. Open ${first?.gate}/ in a browser to see the shop.`;
  const time = wait === null ? "" : `, about ${span(wait)}`;
  return `Now open ${first?.gate}/ in a browser: ${number(waiting)} visitors are in line before you${time}.`;
}
