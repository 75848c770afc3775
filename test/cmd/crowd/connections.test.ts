import { expect, test } from "vitest";
import { Connections } from "../../../cmd/crowd/connections.ts";

test("at the limit the longest idle connection is closed for a new one, and none that is in use", () => {
  const connections = new Connections(2);
  const closed: string[] = [];
  const named = (name: string) => {
    const connection = {
      close: () => {
        closed.push(name);
        connections.gone(connection);
      },
    };
    return connection;
  };
  const [first, second] = [named("first"), named("second")];
  expect([connections.take(), connections.take(), connections.take()]).toEqual([true, true, false]);
  connections.rest(second, true);
  connections.rest(first, true);
  expect(connections.take()).toBe(true);
  expect(closed).toEqual(["second"]);
  connections.rest(first, false);
  expect(connections.take()).toBe(false);
  expect(connections).toMatchObject({ open: 2, peak: 2, refused: 2 });
});
