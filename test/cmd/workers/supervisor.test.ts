import { expect, test } from "vitest";
import type { Child, Up } from "../../../cmd/child.ts";
import { Supervisor } from "../../../cmd/workers/supervisor.ts";

test("the first worker is up before the others start, and they join it", async () => {
  const host = new FakeHost(3);
  const run = host.supervisor.run();
  expect(host.starts).toEqual([[1, []]]);
  await host.up(1);
  expect(host.starts.slice(1)).toEqual([
    [2, ["mesh-1"]],
    [3, ["mesh-1"]],
  ]);
  await host.up(2);
  expect(host.told).toEqual([]);
  await host.up(3);
  expect(host.told).toEqual(["all up"]);
  host.supervisor.stop();
  for (const worker of [1, 2, 3]) await host.end(worker, 0);
  expect(await run).toBe(0);
  expect(host.signals).toEqual(["SIGTERM 1", "SIGTERM 2", "SIGTERM 3"]);
});

test("a worker that has a mesh starts before one that has none, so that no second one is founded", async () => {
  const host = new FakeHost(3, [2, 3]);
  void host.supervisor.run();
  await host.up(2);
  expect(host.starts).toEqual([
    [2, []],
    [1, ["mesh-2"]],
    [3, ["mesh-2"]],
  ]);
});

test("a worker that crashes is started again, ever later, and joins those that run", async () => {
  const host = new FakeHost(2);
  const run = host.supervisor.run();
  await host.up(1);
  await host.up(2);
  await host.end(1, null);
  await host.passed();
  expect(host.pauses).toEqual([100]);
  expect(host.starts.at(-1)).toEqual([1, ["mesh-2"]]);
  await host.end(1, 1);
  await host.passed();
  expect(host.pauses).toEqual([100, 200]);
  await host.up(1);
  host.supervisor.stop();
  await host.end(1, 0);
  await host.end(2, 0);
  expect(await run).toBe(0);
});

test("a worker that crashes again and again is started every ten seconds, after a minute's run at once", async () => {
  const host = new FakeHost(1);
  void host.supervisor.run();
  await host.up(1);
  for (const ranMs of [...Array(9).fill(10), 60_000, 10]) {
    host.nowMs += ranMs;
    await host.end(1, 1);
    await host.passed();
  }
  expect(host.pauses).toEqual([100, 200, 400, 800, 1_600, 3_200, 6_400, 10_000, 10_000, 100, 200]);
});

test("a stop while a crashed worker waits for its next start does not wait for it", async () => {
  const host = new FakeHost(2);
  const run = host.supervisor.run();
  await host.up(1);
  await host.up(2);
  await host.end(2, 1);
  host.supervisor.stop();
  await host.end(1, 0);
  expect(await run).toBe(0);
  expect(host.starts).toHaveLength(2);
});

test.each([
  [1, 2, 2],
  [2, 1, 1],
  [2, null, 1],
])("worker %i that ends with %o before it was ever up ends all, with exit code %i", async (bad, code, exit) => {
  const host = new FakeHost(2);
  const run = host.supervisor.run();
  if (bad === 2) await host.up(1);
  await host.end(bad, code);
  if (bad === 2) await host.end(1, 0);
  expect(await run).toBe(exit);
  expect(host.starts).toHaveLength(bad);
});

test("when a worker has left the mesh, the others leave one after the other, and all is well", async () => {
  const host = new FakeHost(3);
  const run = host.supervisor.run();
  for (const worker of [1, 2, 3]) await host.up(worker);
  host.leaves(1);
  await host.end(1, 0);
  expect(host.told.slice(1)).toEqual(["leave 2 at admin-2", "leave 3 at admin-3"]);
  for (const worker of [2, 3]) await host.end(worker, 0);
  expect(await run).toBe(0);
  expect(host.starts).toHaveLength(3);
});

test("a worker that cannot leave is stopped, and the exit code says so", async () => {
  const host = new FakeHost(2);
  host.refuses = true;
  const run = host.supervisor.run();
  for (const worker of [1, 2]) await host.up(worker);
  host.leaves(1);
  await host.end(1, 0);
  expect(host.signals).toEqual(["SIGTERM 2"]);
  await host.end(2, 0);
  expect(await run).toBe(1);
});

test("a reload reaches one that is up, or else the next one that comes up", async () => {
  const host = new FakeHost(2);
  void host.supervisor.run();
  host.supervisor.reload();
  expect(host.signals).toEqual([]);
  await host.up(1);
  expect(host.signals).toEqual(["SIGHUP 1"]);
  await host.up(2);
  host.supervisor.reload();
  expect(host.signals).toEqual(["SIGHUP 1", "SIGHUP 1"]);
});

test("one start of a worker may apply the rooms file: the first of all, and none that is started again", async () => {
  const host = new FakeHost(2, [2]);
  void host.supervisor.run();
  await host.up(2);
  await host.up(1);
  await host.end(2, 1);
  await host.passed();
  expect(host.firsts).toEqual([true, false, false]);
});

interface FakeChild extends Child {
  latest: Up | undefined;
  hasLeft: boolean;
  readonly isUp: (up: Up | undefined) => void;
  readonly ends: (code: number | null) => void;
}

/** A host whose workers do what the test says. */
class FakeHost {
  readonly starts: [worker: number, others: readonly string[]][] = [];
  readonly signals: string[] = [];
  /** Of each start: whether it was the first. */
  readonly firsts: boolean[] = [];
  readonly pauses: number[] = [];
  readonly told: string[] = [];
  readonly supervisor: Supervisor;
  refuses = false;
  nowMs = 0;
  readonly #children = new Map<number, FakeChild>();
  #passed: () => void = () => undefined;

  constructor(workers: number, withMesh: readonly number[] = []) {
    const nothing = () => undefined;
    this.supervisor = new Supervisor({
      workers,
      hasMesh: (worker) => withMesh.includes(worker),
      start: (worker, others, { isFirst }) => {
        this.firsts.push(isFirst);
        return this.#start(worker, others);
      },
      leave: async (worker, { admin }) => {
        this.told.push(`leave ${worker} at ${admin}`);
        if (this.refuses) throw new Error("no heir");
      },
      allUp: () => this.told.push("all up"),
      pause: (ms) => {
        this.pauses.push(ms);
        return new Promise((resolve) => {
          this.#passed = resolve;
        });
      },
      clock: () => this.nowMs,
      log: { error: nothing, warn: nothing, info: nothing, debug: nothing },
    });
  }

  async up(worker: number): Promise<void> {
    const child = this.#child(worker);
    child.latest = { told: "up", node: `n${worker}`, gate: "gate", admin: `admin-${worker}`, mesh: `mesh-${worker}` };
    child.isUp(child.latest);
    await settled();
  }

  async end(worker: number, code: number | null): Promise<void> {
    this.#child(worker).isUp(undefined);
    this.#child(worker).ends(code);
    await settled();
  }

  leaves(worker: number): void {
    this.#child(worker).hasLeft = true;
  }

  /** Lets the pause before a restart pass. */
  async passed(): Promise<void> {
    this.#passed();
    await settled();
  }

  #child(worker: number): FakeChild {
    const child = this.#children.get(worker);
    if (child === undefined) throw new Error(`Worker ${worker} was not started`);
    return child;
  }

  #start(worker: number, others: readonly Up[]): Child {
    this.starts.push([worker, others.map(({ mesh }) => mesh)]);
    const up = Promise.withResolvers<Up | undefined>();
    const exited = Promise.withResolvers<number | null>();
    const child: FakeChild = {
      pid: worker,
      up: up.promise,
      exited: exited.promise,
      latest: undefined,
      hasLeft: false,
      isUp: up.resolve,
      ends: exited.resolve,
      kill: (signal) => this.signals.push(`${signal} ${worker}`),
    };
    this.#children.set(worker, child);
    return child;
  }
}

/** Lets everything happen that waits for nothing but its turn. */
async function settled(): Promise<void> {
  await new Promise((done) => setImmediate(done));
}
