import { expect, test } from "vitest";
import { Sockets } from "../../../cmd/rehearsal/sockets.ts";

test("at the limit the longest idle connection is closed for a new one, and none that is in use", () => {
  const sockets = new Sockets(2);
  const closed: string[] = [];
  const named = (name: string) => {
    const connection = {
      close: () => {
        closed.push(name);
        sockets.gone(connection);
      },
    };
    return connection;
  };
  const [first, second] = [named("first"), named("second")];
  expect([sockets.take(), sockets.take(), sockets.take()]).toEqual([true, true, false]);
  sockets.rest(second, true);
  sockets.rest(first, true);
  expect(sockets.take()).toBe(true);
  expect(closed).toEqual(["second"]);
  sockets.rest(first, false);
  expect(sockets.take()).toBe(false);
  expect(sockets).toMatchObject({ open: 2, peak: 2, refused: 2, closedForOthers: 1 });
});
