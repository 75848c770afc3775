import { expect, test } from "vitest";
import { claimPort } from "../../../node/process/claim-port.ts";
import { ListenError } from "../../../node/process/listening.ts";

/** Nobody else listens here, so a port that was let go of stays free. */
const HOST = "127.0.0.62";
const NOTHING = { data: () => undefined };

test("a free port is let go of again, and port 0 becomes one", () => {
  const { port } = claimPort({ host: HOST, port: 0 });
  expect(port).toBeGreaterThan(0);
  expect(claimPort({ host: HOST, port })).toEqual({ host: HOST, port });
});

test.each([false, true])("a taken port is an error, also when who has it would share it (%s)", (reusePort) => {
  const options = { hostname: HOST, port: 0, socket: NOTHING, reusePort };
  const server = Bun.listen(options);
  try {
    expect(() => claimPort({ host: HOST, port: server.port })).toThrow(ListenError);
    expect(() => claimPort({ host: HOST, port: server.port })).toThrow("as the port is taken");
  } finally {
    server.stop(true);
  }
});
