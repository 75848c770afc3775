/**
 * A process of the benchmark: a node beside another one, which asks it for tickets as a gate does; and, from the same
 * process, Redis for `INCR`. `bun asker.ts PLAN` (JSON); it tells what it measured by the channel to who
 * started it.
 *
 * In each round all take their turn, so that a slow spell of the machine falls on all of them.
 */

import { randomBytes } from "node:crypto";
import { RedisClient } from "bun";
import { Counters, Participants } from "../../../node/admission/mesh/counters.ts";
import { type Both, NOTHING, OwnSlots } from "../../../node/admission/mesh/own-slots.ts";
import { ADMISSION } from "../../../node/admission/mesh/stored-room.ts";
import { TicketClient } from "../../../node/admission/mesh/ticket-client.ts";
import { TicketCounter } from "../../../node/admission/mesh/ticket-counter.ts";
import { type Ask, type Asked, INCREMENT, oneByOne, TICKET } from "./asked.ts";
import { type Joined, type JoinOptions, join } from "./joined.ts";

export interface AskPlan {
  readonly join: JoinOptions;
  readonly redisPort: number | undefined;
  readonly rounds: number;
  /** Of each kind of question in a round; a round to warm up comes before. */
  readonly seconds: number;
}

/** Slots are where they should be, and both nodes have reported it. */
const SETTLE_MS = 3_000;

const ID_BYTES = 16;

async function measure({ join: joining, redisPort, rounds, seconds }: AskPlan): Promise<Asked[]> {
  const joined = await join(joining);
  await Bun.sleep(SETTLE_MS);
  const asks: { name: string; ask: Ask }[] = [{ name: TICKET, ask: ticketsOf(joined) }];
  if (redisPort !== undefined) {
    const client = new RedisClient(`redis://127.0.0.1:${redisPort}`);
    await client.connect();
    asks.push({ name: INCREMENT, ask: () => client.incr("slots") });
  }
  const asked: Asked[] = [];
  for (let round = 0; round <= rounds; round++) {
    for (const { name, ask } of asks) {
      const measured = await oneByOne(seconds * 1_000, () => ask(randomBytes(ID_BYTES).toString("base64url")));
      if (round > 0) asked.push({ name, ...measured });
    }
  }
  return asked;
}

/**
 * To the gate's ticket client it looks as if nothing lay here, so each visitor goes in on a slot that the counter
 * gives.
 */
class NoSlots extends OwnSlots {
  override free(): Both {
    return NOTHING;
  }
}

/** Asks the ticket counter for one visitor, until they are admitted here, before that is on disk. */
function ticketsOf({ peer: { roomNode }, room, step }: Joined): Ask {
  const { id, admission } = room;
  const config = { room: room.room };
  const slots = new NoSlots(id, config, { roomNode, admission });
  const ticketCounter = new TicketCounter({
    id,
    roomNode,
    config,
    admission,
    slots,
    waiting: () => [],
  });
  const ticketClient = new TicketClient({
    id,
    roomNode,
    slots,
    ticketCounter,
    counters: new Counters({ id, roomNode, participants: new Participants(id, roomNode) }),
  });
  return (visitor) =>
    new Promise<void>((resolve) => {
      step(() =>
        ticketClient.ask([visitor, 0, "first"], Date.now(), (answer, nowMs) => {
          if (answer?.kind !== "go") throw new Error(`Cannot measure as every visitor must go in: ${answer?.kind}`);
          admission.sessions.admit(visitor, nowMs);
          roomNode.outbox.putLater(ADMISSION.at(id), () => admission.sessions.record);
          resolve();
        }),
      );
    });
}

process.on("disconnect", () => process.exit());
process.send?.(await measure(JSON.parse(process.argv[2] ?? "") as AskPlan));
