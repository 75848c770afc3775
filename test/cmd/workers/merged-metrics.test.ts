import { expect, test } from "vitest";
import { mergedMetrics } from "../../../cmd/workers/merged-metrics.ts";

const text = (inside: number) => `# HELP anteroom_inside Slots held by sessions.
# TYPE anteroom_inside gauge
anteroom_inside{room="a } b"} ${inside}
anteroom_inside{room="c"} 0

# HELP anteroom_connections Open client connections.
# TYPE anteroom_connections gauge
anteroom_connections ${inside + 1}
`;

test("families stand once, samples have their worker, and a worker that does not answer is reported", () => {
  const merged = mergedMetrics(
    new Map([
      [1, text(3)],
      [2, undefined],
      [3, text(5)],
    ]),
  );
  expect(merged).toBe(`# HELP anteroom_worker_up Whether the worker answers.
# TYPE anteroom_worker_up gauge
anteroom_worker_up{worker="1"} 1
anteroom_worker_up{worker="2"} 0
anteroom_worker_up{worker="3"} 1

# HELP anteroom_inside Slots held by sessions.
# TYPE anteroom_inside gauge
anteroom_inside{worker="1",room="a } b"} 3
anteroom_inside{worker="1",room="c"} 0
anteroom_inside{worker="3",room="a } b"} 5
anteroom_inside{worker="3",room="c"} 0

# HELP anteroom_connections Open client connections.
# TYPE anteroom_connections gauge
anteroom_connections{worker="1"} 4
anteroom_connections{worker="3"} 6
`);
});
