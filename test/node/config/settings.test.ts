import { describe, expect, test } from "vitest";
import { givenByCredentials } from "../../../node/config/setting-sources.ts";
import {
  joinProblems,
  resolveSettings,
  type SettingSources,
  secretFilesIn,
  textInForce,
} from "../../../node/config/settings.ts";

describe("settings", () => {
  test("say the same by flag, environment and file", () => {
    const flags = { "tls-cert": "c", "tls-key": "k", "access-log": "true", "trusted-proxies": "10.0.0.1" };
    const environment = {
      ANTEROOM_TLS_CERT: "c",
      ANTEROOM_TLS_KEY: "k",
      ANTEROOM_ACCESS_LOG: "1",
      ANTEROOM_TRUSTED_PROXIES: "10.0.0.1",
    };
    const file = "tls_cert: c\ntls_key: k\naccess_log: true\ntrusted_proxies: [10.0.0.1]\n";
    expect(settings({ flags })).toEqual(settings({ environment }));
    expect(settings({ flags })).toEqual(settings({ file }));
    expect(settings({ flags })).toMatchObject({
      tls: { pairs: [{ cert: "c", key: "k" }], clientCa: undefined },
      accessLog: true,
    });
  });

  test("are taken from the flag, then the environment, then the file, and name their source", () => {
    const all = {
      flags: { listen: ":1" },
      environment: { ANTEROOM_LISTEN: ":2", ANTEROOM_LOCALITY: "eu" },
      file: "listen: :3\nlocality: us\nlog_level: debug\n",
    };
    expect(settings(all)).toMatchObject({ listen: { port: 1 }, locality: "eu", logLevel: "debug" });
    expect(source(all, "listen")).toEqual(":1 from --listen");
    expect(source(all, "locality")).toEqual("eu from ANTEROOM_LOCALITY");
    expect(source(all, "log_level")).toEqual("debug from anteroom.yaml");
    expect(source(all, "durability")).toEqual("process from default");
    expect(textInForce(sources(all), "locality")).toBe("eu");
  });

  test("take lists by repeated flag, commas and list, and nodes to join as they are written", () => {
    const join = ["10.0.0.1:8082", "[fd00::1]:8082", "anteroom.internal:8082", "/dns4/a.example/tcp/8082"];
    expect(settings({ flags: { join } })).toMatchObject({ join });
    expect(settings({ environment: { ANTEROOM_JOIN: join.join(", ") } })).toMatchObject({ join });
    expect(settings({ file: `join:\n${join.map((each) => `  - "${each}"\n`).join("")}` })).toMatchObject({ join });
    expect(settings({ flags: { "trusted-proxies": ["10.0.0.0/8", "::1"], advertise: ":0" } })).toMatchObject({
      ...{ trustedProxies: ["10.0.0.0/8", "::1/128"], advertise: [":0"] },
    });
  });

  test("never show a secret, neither in the table nor in a problem", () => {
    expect(source({ flags: { token: "hunter2" } }, "token")).toBe("(set) from --token");
    expect(JSON.stringify(problems({ environment: { ANTEROOM_TOKEN: "two words" } }))).not.toContain("two words");
    expect(JSON.stringify(problems({ file: "origin_secret: [a b]" }))).not.toContain("a b");
    expect(settings({ file: "token: 0123" })).toMatchObject({ token: "0123" });
  });

  test("show the hidden length of a minute only when it is given", () => {
    expect(source({}, "minute_ms")).toBeUndefined();
    expect(source({ flags: { "minute-ms": "500" } }, "minute_ms")).toBe("500 from --minute-ms");
  });

  test.each([
    [":8080", { host: "", port: 8080 }],
    ["[::1]:0", { host: "::1", port: 0 }],
    ["unix:/run/gate.sock", { unix: "/run/gate.sock" }],
  ])("listen takes %s", (text, listen) => expect(settings({ flags: { listen: text } })).toMatchObject({ listen }));

  test.each([
    ["250ms", 250],
    ["1.5s", 1_500],
    ["2m", 120_000],
    ["24h", 86_400_000],
  ])("a span of %s is %i ms", (text, ms) =>
    expect(settings({ flags: { "origin-timeout": text } })).toMatchObject({ originTimeoutMs: ms }),
  );

  test.each([
    ["listen", "8080", "has no colon before the port"],
    ["listen", "127.0.0.1", "has no port"],
    ["listen", "::1:80", "is not an address"],
    ["listen", ":70000", "has a port above 65535"],
    ["listen", "", "is empty"],
    ["origin", "localhost:3000", "does not start with http"],
    ["otlp-endpoint", "localhost:4318", "does not start with http"],
    ["otlp-endpoint", "unix:/run/collector.sock", "does not start with http"],
    ["otlp-endpoint", "http://c.example:4318/?token=x", "has a query"],
    ["otlp-sample", "1%", "is not a number from 0 to 1"],
    ["locality", "the west", "is not a name"],
    ["join", "http://10.0.0.1:8081", "is a URL, not an address"],
    ["join", "10.0.0.1", "has no port"],
    ["join", "8082", "has no host"],
    ["join", "a:0", "has port 0"],
    ["join", "a:8082,b", 'has an entry "b" that has no port'],
    ["join", "a:8082,", 'has an entry "" that is empty'],
    ["join", "/ip4/10.0.0.1/udp/8082", "is not a multiaddr"],
    ["join", "/ip4/10.0.0.300/tcp/8082", "is not a multiaddr"],
    ["join", Array(201).fill("a:1").join(), "has more than 200 addresses"],
    ["workers", "65", "is above 64"],
    ["lease", "999ms", "is below 1000 ms"],
    ["lease", "9999999999h", "is above 24h"],
    ["ephemeral", "yes", "is not true or false"],
    ["trusted-proxies", "10.0.0.1,proxy", 'has an entry "proxy"'],
    ["token", "a b", "is not a secret"],
    ["log-format", "xml", "is not known here"],
    ["origin-timeout", "300", "has no unit"],
    ["origin-timeout", "0s", "is below 1 ms"],
    ["drain-timeout", "soon", "is not a span of time"],
    ["max-connections", "-1", "is below 0"],
    ["max-connections", "1e3", "is not a whole number"],
  ])("--%s %j %s", (flag, text, problem) => {
    const found = problems({ flags: { [flag]: text } });
    expect(found).toMatchObject([{ path: `--${flag}`, repair: expect.stringMatching(/^(write|give)/) }]);
    expect(found[0]?.problem).toContain(problem);
  });

  test("of workers fit together: a port for each, and rooms that all can read", () => {
    const flags = { workers: "4", mesh: "127.0.0.1:65533", rooms: "-" };
    expect(problems({ flags }).map(({ path, repair }) => [path, repair])).toEqual([
      ["--mesh", "write a port up to 65532"],
      ["--rooms", "name a file"],
    ]);
    expect(problems({ flags: { workers: "4", mesh: ":65532" } })).toEqual([]);
    expect(problems({ flags: { workers: "4", mesh: ":0", ephemeral: "true" } })).toEqual([]);
  });

  test("report all problems of all sources at once, outranked values too", () => {
    const found = problems({
      flags: { listen: ":1", admin: "nowhere" },
      environment: { ANTEROOM_LISTEN: "x", ANTEROOM_LISEN: ":2", ANTEROOM_DATA: "d", ANTEROOM_EPHEMERAL: "true" },
      file: "lisen: :3\nlog_level: loud\nlog_format:\n  - json\ntls_cert: c\n",
    });
    expect(found.map(({ path, problem, repair }) => `${path}: ${problem}; ${repair}`).sort()).toEqual([
      "--admin: has no port; write :8080 for every interface, or 127.0.0.1:8080, [::1]:8080; port 0 picks a free one",
      "ANTEROOM_DATA: contradicts ANTEROOM_EPHEMERAL, which keeps nothing on disk; give one of the two",
      "ANTEROOM_LISEN: is not a known variable, so it sets nothing; did you mean ANTEROOM_LISTEN?",
      "ANTEROOM_LISTEN: has no port; write :8080 for every interface, or 127.0.0.1:8080, [::1]:8080; port 0 picks a free one",
      "anteroom.yaml: lisen: is not a known setting; did you mean listen?",
      "anteroom.yaml: log_format: is not a single value; write log_format: FORMAT",
      "anteroom.yaml: log_level: is not known here; write error or warn or info or debug",
      "anteroom.yaml: tls_cert: is given without --tls-key FILE; give both or none",
    ]);
  });

  test.each([
    ["a:\n\t- b", "anteroom.yaml: line 2, column 1"],
    ["listen: :1\nlisten: :2", "anteroom.yaml: line 2, column 1"],
    ["- listen", "anteroom.yaml"],
    ["config: other.yaml", "anteroom.yaml: config"],
  ])("a config file %j is refused at %s", (file, path) => expect(problems({ file })[0]?.path).toBe(path));

  test("of a config file may be keys x-…, which are nobody's", () => {
    expect(problems({ file: "x-note: ours\nlisten: nowhere\n" }).map(({ path }) => path.split(": ")[1])).toEqual([
      "listen",
    ]);
  });

  test("may come from an empty config file, and from empty variables", () => {
    expect(settings({ file: "# nothing yet\n", environment: { ANTEROOM_ORIGIN: "" } })).toEqual(settings({}));
  });

  test("read over the variables that Kubernetes sets for a service called anteroom", () => {
    const environment = {
      ANTEROOM_SERVICE_HOST: "10.0.0.1",
      ANTEROOM_SERVICE_PORT_HTTP: "80",
      ANTEROOM_PORT: "tcp://10.0.0.1:80",
      ANTEROOM_PORT_80_TCP_ADDR: "10.0.0.1",
      ANTEROOM_ADMIN_SERVICE_HOST: "10.0.0.2",
    };
    expect(problems({ environment })).toEqual([]);
  });
});

describe("joining a mesh", () => {
  const JOIN = { environment: { ANTEROOM_JOIN: "10.0.0.1:8082" } };

  test("needs its key, and the problem names the repair", () => {
    const [problem, ...more] = joinProblems(sources(JOIN), false);
    expect(more).toEqual([]);
    expect(problem).toMatchObject({ path: "ANTEROOM_JOIN", value: '"10.0.0.1:8082"' });
    expect(problem?.repair).toContain("copy mesh.key");
    expect(problem?.repair).toContain("--mesh-key FILE");
  });

  test("is well with a key in the data directory or in a file of its own, and nothing is asked of who joins nobody", () => {
    expect(joinProblems(sources(JOIN), true)).toEqual([]);
    expect(joinProblems(sources({ ...JOIN, file: "mesh_key: k" }), false)).toEqual([]);
    expect(joinProblems(sources({}), false)).toEqual([]);
  });
});

describe("secrets in files", () => {
  const secrets = new Map([
    ["/etc/token", "hunter2\n"],
    ["/run/credentials/anteroom.token", "hunter3"],
    ["empty", "\n"],
  ]);
  const credentials = givenByCredentials("/run/credentials", (path) => secrets.has(path));
  const read = (given: Given) => resolveSettings({ ...sources(given), secrets, credentials });

  test.each([
    ["a flag", { flags: { "token-file": "/etc/token" } }, "hunter2", "--token-file"],
    ["a variable", { environment: { ANTEROOM_TOKEN_FILE: "/etc/token" } }, "hunter2", "ANTEROOM_TOKEN_FILE"],
    ["the config file", { file: "token_file: /etc/token" }, "hunter2", "anteroom.yaml"],
    ["a credential", {}, "hunter3", "credential anteroom.token"],
    [
      "a stronger source",
      { flags: { token: "x" }, environment: { ANTEROOM_TOKEN_FILE: "/etc/token" } },
      "x",
      "--token",
    ],
    ["a stronger file", { flags: { "token-file": "/etc/token" }, file: "token: x" }, "hunter2", "--token-file"],
  ])("come by %s", (_, given, token, from) => {
    const resolved = read(given);
    if (!resolved.ok) throw new Error(JSON.stringify(resolved.problems));
    expect(resolved.value.settings.token).toBe(token);
    const row = resolved.value.rows.find(({ setting }) => setting === "token");
    expect(row).toEqual({ setting: "token", value: "(set)", source: from });
  });

  test.each([
    ["beside the secret itself", { flags: { token: "x", "token-file": "/etc/token" } }, "is given beside --token"],
    ["that are empty", { flags: { "token-file": "empty" } }, "is empty"],
  ])("are refused %s, and never shown", (_, given, text) => {
    const resolved = read(given);
    expect(resolved).toMatchObject({ ok: false, problems: [{ problem: text }] });
    expect(JSON.stringify(resolved)).not.toContain("hunter");
  });

  test("count only where they can be read", () => {
    expect(resolveSettings(sources({ flags: { "token-file": "gone" } }))).toMatchObject({
      ok: true,
      value: { settings: { token: undefined, secretFiles: ["gone"] } },
    });
    expect(secretFilesIn(sources({ flags: { "token-file": "a", "origin-secret-file": "b" } }))).toEqual(["a", "b"]);
  });
});

interface Given {
  readonly flags?: Readonly<Record<string, string | readonly string[]>>;
  readonly environment?: Readonly<Record<string, string>>;
  readonly file?: string;
}

function sources({ flags = {}, environment = {}, file }: Given): SettingSources {
  return {
    flags: new Map(Object.entries(flags).map(([flag, value]) => [flag, typeof value === "string" ? [value] : value])),
    environment,
    file: file === undefined ? undefined : { path: "anteroom.yaml", text: file },
  };
}

function settings(given: Given) {
  const resolved = resolveSettings(sources(given));
  return resolved.ok ? resolved.value.settings : resolved.problems;
}

function problems(given: Given) {
  const resolved = resolveSettings(sources(given));
  return resolved.ok ? [] : resolved.problems;
}

function source(given: Given, setting: string) {
  const resolved = resolveSettings(sources(given));
  const row = resolved.ok ? resolved.value.rows.find((candidate) => candidate.setting === setting) : undefined;
  return row && `${row.value} from ${row.source}`;
}
