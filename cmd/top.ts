/**
 * `anteroom top`: the rooms and the mesh on a full screen, with keys to hold, open and resume a room.
 *
 * It outlives its node, as `status --watch` does, and gives the terminal back as it was.
 */

import { messageOf } from "../node/message-of.ts";
import { adminClient } from "./admin-client.ts";
import type { Invocation } from "./command.ts";
import { EXIT } from "./exit.ts";
import { Failure } from "./failure.ts";
import { untilInterrupted } from "./interrupt.ts";
import { orderRoom } from "./room.ts";
import { nowSo } from "./room-buttons.ts";
import { screenOf } from "./screen.ts";
import { readStatus } from "./status.ts";
import { pressed, START, type TopState } from "./top/top-state.ts";
import { topText } from "./top/top-view.ts";

/** Numbers change each second; faster would only flicker. */
const INTERVAL_MS = 1_000;

export async function top(invocation: Invocation): Promise<number> {
  const { io } = invocation;
  const { keys, terminal } = io;
  if (!terminal.isTerminal || keys === undefined) {
    throw new Failure("Cannot show a full screen as stdin and stdout must be a terminal", {
      hint: "use anteroom status, or anteroom status --watch",
    });
  }
  const client = adminClient(invocation);
  const screen = screenOf(io);
  const { promise: ended, resolve: end } = Promise.withResolvers<"interrupted">();
  let state: TopState = START;
  const show = (change: Partial<TopState>): void => {
    state = { ...state, ...change };
    screen.show(topText(state, { ...terminal.size(), color: terminal.color }));
  };
  const look = () =>
    readStatus(client).then(
      (status) => show({ status, trouble: undefined }),
      (error) => show({ trouble: messageOf(error) }),
    );
  const press = async (input: string): Promise<void> => {
    const { state: next, effect } = pressed(state, input);
    show(next);
    if (effect === "quit") return end("interrupted");
    if (effect === undefined) return;
    const { order, room } = effect;
    const kind = order === "resume" ? undefined : order;
    // What failed is on the screen, and the operator may try again.
    await orderRoom(client, room, order).then(
      (answer) => show({ said: nowSo(kind, answer) }),
      (error) => show({ said: messageOf(error) }),
    );
    await look();
  };
  screen.open();
  const release = keys((input) => void press(input));
  try {
    await untilInterrupted(INTERVAL_MS, look, ended);
  } finally {
    release();
    screen.close();
  }
  return EXIT.ok;
}
