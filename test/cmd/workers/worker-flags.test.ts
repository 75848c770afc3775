import { expect, test } from "vitest";
import { type Host, siblingAddress, workerDirectory, workerFlags } from "../../../cmd/workers/worker-flags.ts";
import { resolveSettings } from "../../../node/config/settings.ts";

const ALONE = { siblings: [], meshKey: undefined, roomsAtStart: true };

test("each worker has a directory and a mesh port of its own, and an admin address that only this host reaches", () => {
  const host = hostOf({ mesh: "10.0.0.5:9000", admin: "0.0.0.0:8081", data: "d", workers: "3" });
  expect(workerFlags(host, 1, ALONE)).toEqual([
    "--worker=1",
    "--rooms-at-start=true",
    "--workers=1",
    "--listen=:8080",
    "--admin=127.0.0.1:0",
    "--mesh=10.0.0.5:9000",
    "--data=d/worker-1",
    "--ephemeral=false",
  ]);
  const third = workerFlags(host, 3, {
    siblings: ["10.0.0.5:9000", "10.0.0.5:9001"],
    meshKey: "d/worker-1/mesh.key",
    roomsAtStart: false,
  });
  expect(third).toEqual([
    "--worker=3",
    "--rooms-at-start=false",
    "--workers=1",
    "--listen=:8080",
    "--admin=127.0.0.1:0",
    "--mesh=10.0.0.5:9002",
    "--join=10.0.0.5:9000,10.0.0.5:9001",
    "--mesh-key=d/worker-1/mesh.key",
    "--data=d/worker-3",
    "--ephemeral=false",
  ]);
});

test("a port that the system chooses stays so, and all other flags stay as they were given", () => {
  const host = hostOf({ mesh: ":0", origin: "http://a", "trusted-proxies": ["10.0.0.1", "::1"], "access-log": "true" });
  const flags = workerFlags(host, 2, ALONE);
  expect(flags).toContain("--mesh=:0");
  expect(flags.slice(0, 4)).toEqual([
    "--origin=http://a",
    "--trusted-proxies=10.0.0.1",
    "--trusted-proxies=::1",
    "--access-log=true",
  ]);
});

test("what the host joins by, its workers join by too", () => {
  const host = hostOf({ join: "b:1,c:2", "mesh-key": "k" });
  expect(workerFlags(host, 2, { siblings: ["127.0.0.1:9"], meshKey: "k", roomsAtStart: false })).toEqual(
    expect.arrayContaining(["--join=b:1,c:2,127.0.0.1:9", "--mesh-key=k"]),
  );
});

test.each([
  ["203.0.113.7:9000", "203.0.113.7:9002"],
  ["[fd00::9000]:9000", "[fd00::9000]:9002"],
  ["/dns4/port-9000.example/tcp/9000", "/dns4/port-9000.example/tcp/9002"],
  [":0", ":0"],
])("the advertised address %s is %s at the third worker", (text, wanted) => {
  expect(workerFlags(hostOf({ advertise: text }), 3, ALONE)).toContain(`--advertise=${wanted}`);
});

test("an ephemeral host gives its workers directories, which contradicts nothing", () => {
  const host = { ...hostOf({ ephemeral: "true" }), data: "/tmp/x" };
  const flags = new Map(
    workerFlags(host, 1, ALONE).map((flag) => {
      const [name = "", value = ""] = flag.slice(2).split("=");
      return [name, [value]];
    }),
  );
  const resolved = resolveSettings({ flags, environment: { ANTEROOM_EPHEMERAL: "true" }, file: undefined });
  expect(resolved).toMatchObject({ ok: true, value: { settings: { ephemeral: false, data: "/tmp/x/worker-1" } } });
});

test.each([
  ["", "127.0.0.1:5"],
  ["0.0.0.0", "127.0.0.1:5"],
  ["::", "[::1]:5"],
  ["10.0.0.5", "10.0.0.5:5"],
])("a worker that listens on %j is dialled at %s", (host, text) =>
  expect(siblingAddress({ host, port: 5 })).toBe(text),
);

test("directories are named by number", () => expect(workerDirectory(12)).toBe("worker-12"));

function hostOf(given: Readonly<Record<string, string | readonly string[]>>): Host {
  const flags = new Map(
    Object.entries(given).map(([flag, value]) => [flag, typeof value === "string" ? [value] : value]),
  );
  const resolved = resolveSettings({ flags, environment: {}, file: undefined });
  if (!resolved.ok) throw new Error(JSON.stringify(resolved.problems));
  const { settings } = resolved.value;
  return { settings, flags, gate: { host: "", port: 8080 }, data: settings.data };
}
