/** The files in deploy/ hold together with what they start. */

import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { parseAllDocuments } from "yaml";
import { COMMANDS } from "../../cmd/commands.ts";
import { isObject } from "../../node/config/is-object.ts";
import { parseRooms } from "../../node/config/rooms-file.ts";
import { resolveSettings } from "../../node/config/settings.ts";
import { parseYaml } from "../../node/config/yaml-text.ts";
import { HEALTH_TARGET } from "../../node/gate/gate.ts";
import { anteroom } from "../cmd/fake-io.ts";

const DEPLOY = join(import.meta.dirname, "../../deploy");
const FOLDER = mkdtempSync(join(tmpdir(), "anteroom-deploy-"));
afterAll(() => rmSync(FOLDER, { recursive: true }));

const has = (program: string): boolean => spawnSync("sh", ["-c", `command -v ${program}`]).status === 0;

describe("the systemd unit", () => {
  const text = readFileSync(join(DEPLOY, "systemd/anteroom.service"), "utf8");

  test.skipIf(!has("systemd-analyze"))("is well, and exposes little (skipped without systemd-analyze)", () => {
    const unit = join(FOLDER, "anteroom.service");
    writeFileSync(unit, text.replaceAll("/usr/local/bin/anteroom", "/bin/true"));
    const { status, stderr } = spawnSync("systemd-analyze", ["verify", "--man=no", unit], { encoding: "utf8" });
    expect([status, stderr.split("\n").filter((line) => line.includes("anteroom.service"))]).toEqual([0, []]);
    const security = spawnSync("systemd-analyze", ["security", "--offline=true", unit], { encoding: "utf8" });
    expect(Number(/exposure level for .*: ([\d.]+)/.exec(security.stdout)?.[1])).toBeLessThan(2.5);
  });

  test("starts anteroom with flags that it has", () => {
    const flags = [...text.matchAll(/--([a-z-]+)/g)].map(([, flag]) => flag ?? "");
    const known = COMMANDS.flatMap(({ options }) => options.map(({ flag }) => flag));
    expect(flags.filter((flag) => !known.includes(flag))).toEqual([]);
  });
});

describe("the Kubernetes manifest", () => {
  const documents = parseAllDocuments(readFileSync(join(DEPLOY, "kubernetes/anteroom.yaml"), "utf8"));
  const found = documents.map((document) => document.toJS());
  const set = found.find(({ kind }) => kind === "StatefulSet");
  const [container] = set.spec.template.spec.containers;
  const given: readonly { name: string; value?: string }[] = container.env;
  const environment = Object.fromEntries(
    given
      .filter(({ name }) => name.startsWith("ANTEROOM_"))
      .flatMap(({ name, value }) => (value === undefined ? [] : [[name, value.replaceAll("$(POD)", "anteroom-0")]])),
  );
  const settings = resolveSettings({ flags: new Map(), environment, file: undefined });

  test("gives settings and rooms that are valid", () => {
    expect(documents.flatMap(({ errors }) => errors)).toEqual([]);
    expect(settings).toMatchObject({ ok: true });
    const rooms = parseYaml(found.find(({ kind }) => kind === "ConfigMap").data["rooms.yaml"]);
    expect(rooms.ok && parseRooms(rooms.value)).toMatchObject({ ok: true });
    const services = found.filter(({ kind }) => kind === "Service").map(({ metadata }) => metadata.name);
    expect(services).toContain(set.spec.serviceName);
    expect(services).toContain(environment.ANTEROOM_JOIN?.split(":")[0]);
    const mounted = container.volumeMounts.map(({ name }: { name: string }) => name);
    const volumes = [...set.spec.template.spec.volumes, ...set.spec.volumeClaimTemplates];
    const names = volumes.map((volume) => (isObject(volume.metadata) ? volume.metadata.name : volume.name));
    expect(mounted.filter((name: string) => !names.includes(name))).toEqual([]);
  });

  test("opens no more than visitors, metrics and the mesh need", () => {
    if (!settings.ok) throw new Error("settings");
    const { admin, metrics, listen, mesh, trustedProxies } = settings.value.settings;
    expect([admin.host, trustedProxies.length]).toEqual(["127.0.0.1", 1]);
    const ports = new Map(
      container.ports.map(({ name, containerPort }: { name: string; containerPort: number }) => [name, containerPort]),
    );
    expect(Object.fromEntries(ports)).toEqual({ http: listen.port, metrics: metrics?.port, mesh: mesh.port });
    const policy = found.find(({ kind }) => kind === "NetworkPolicy");
    expect(policy.spec.podSelector).toEqual(set.spec.selector);
    const opened = policy.spec.ingress.map(({ from, ports: to }: { from: unknown[]; ports: { port: string }[] }) => {
      expect(from).toHaveLength(1);
      return to.map(({ port }) => port).join();
    });
    expect(opened).toEqual(["http", "metrics", "mesh"]);
    expect(container.readinessProbe.httpGet).toEqual({ path: HEALTH_TARGET, port: "http" });
    const [, command] = container.livenessProbe.exec.command;
    expect(COMMANDS.map(({ name }) => name)).toContain(command);
  });
});

/** What `anteroom snippet kubernetes` prints. */
async function snippet(flags: string, files: Readonly<Record<string, string>> = {}): Promise<string> {
  const { exit, answer, talk } = await anteroom(`snippet kubernetes ${flags}`, { files });
  expect([exit, talk]).toEqual([0, ""]);
  return answer;
}

const ROOMS = 'rooms:\n  - { name: tickets, host: "*", total_active_users: 10, new_users_per_minute: 5 }\n';
const ALL_FLAGS = [
  "--rooms rooms.yaml --image r.example.com/anteroom:1 --replicas 5 --namespace shop --origin http://web:3000",
  "--host shop.example.com --host *.example.org --tls-secret shop-tls --ingress-class nginx --ingress-namespace edge",
  "--trusted-proxies 10.0.0.0/8,192.0.2.1 --storage 5Gi --storage-class fast --cpu 2 --memory 2Gi",
  "--monitor example.com/release=prometheus --monitoring-namespace watch",
].join(" ");

describe("anteroom snippet kubernetes", () => {
  const text = readFileSync(join(DEPLOY, "kubernetes/anteroom.yaml"), "utf8");

  test("prints the file in deploy/ if nothing is said, or what its help says", async () => {
    expect(await snippet("")).toBe(text);
    const { options = [] } = COMMANDS.find(({ name }) => name === "snippet") ?? {};
    const own = options.filter(({ help, fallback }) => help.startsWith("kubernetes: ") && fallback !== undefined);
    expect(own.length).toBeGreaterThan(5);
    expect(await snippet(own.map(({ flag, fallback }) => `--${flag} ${fallback}`).join(" "))).toBe(text);
  });

  test("puts each value where it belongs, and all objects into the namespace", async () => {
    const printed = await snippet(ALL_FLAGS, { "rooms.yaml": ROOMS });
    const found = parseAllDocuments(printed).map((document) => document.toJS());
    expect(found.map(({ metadata }) => metadata.namespace)).toEqual(found.map(() => "shop"));
    const of = (kind: string) => found.find((each) => each.kind === kind);
    expect(of("ConfigMap").data["rooms.yaml"]).toBe(ROOMS);
    const { replicas, template, volumeClaimTemplates } = of("StatefulSet").spec;
    const [{ image, env, resources }] = template.spec.containers;
    expect([replicas, image]).toEqual([5, "r.example.com/anteroom:1"]);
    expect(env).toEqual(
      expect.arrayContaining([
        { name: "ANTEROOM_ORIGIN", value: "http://web:3000" },
        { name: "ANTEROOM_TRUSTED_PROXIES", value: "10.0.0.0/8,192.0.2.1" },
      ]),
    );
    expect(resources).toEqual({ requests: { cpu: "2", memory: "2Gi" }, limits: { memory: "2Gi" } });
    const claim = { resources: { requests: { storage: "5Gi" } }, storageClassName: "fast" };
    expect(volumeClaimTemplates[0].spec).toMatchObject(claim);
    const froms = JSON.stringify(of("NetworkPolicy").spec.ingress.map(({ from }: { from: unknown }) => from));
    expect(froms).toMatch(/metadata.name":"edge".*metadata.name":"watch".*app":"anteroom"/);
    const hosts = ["shop.example.com", "*.example.org"];
    const { ingressClassName, tls, rules } = of("Ingress").spec;
    expect([ingressClassName, tls]).toEqual(["nginx", [{ hosts, secretName: "shop-tls" }]]);
    expect(rules.map(({ host }: { host: string }) => host)).toEqual(hosts);
    const service = found.find(({ kind, spec }) => kind === "Service" && spec.clusterIP === undefined);
    const { name, port } = rules[0].http.paths[0].backend.service;
    expect([name, port.name]).toEqual([service.metadata.name, service.spec.ports[0].name]);
    expect(of("PodMonitor").metadata.labels).toEqual({ "example.com/release": "prometheus" });
    const { jobLabel, selector, podMetricsEndpoints } = of("PodMonitor").spec;
    // The alerts ask for this job.
    expect(template.metadata.labels[jobLabel]).toBe("anteroom");
    expect(template.metadata.labels).toEqual(selector.matchLabels);
    const ports = template.spec.containers[0].ports.map((each: { name: string }) => each.name);
    expect(ports).toContain(podMetricsEndpoints[0].port);
    expect(printed).toContain("kubectl -n shop create secret");
    expect(printed).not.toMatch(/kubectl (?!-n shop )/);
  });

  test("prints as text what kubectl, which reads YAML 1.1, would take for a boolean or a number", async () => {
    const files = { "rooms.yaml": ROOMS };
    for (const word of ["yes", "no", "on", "off", "y"]) {
      const flags = `--namespace ${word} --image ${word} --ingress-namespace ${word} --host a.example --tls-secret ${word}`;
      const printed = await snippet(`--rooms rooms.yaml ${flags} --monitor ${word}=${word}`, files);
      const read = parseAllDocuments(printed, { version: "1.1" }).map((document) => document.toJS());
      const of = (kind: string) => read.find((each) => each.kind === kind);
      expect(read.map(({ metadata }) => metadata.namespace)).toEqual(read.map(() => word));
      expect(of("StatefulSet").spec.template.spec.containers[0].image).toBe(word);
      expect(JSON.stringify(of("NetworkPolicy").spec)).toContain(`"kubernetes.io/metadata.name":"${word}"`);
      expect(of("Ingress").spec.tls[0].secretName).toBe(word);
      expect(of("PodMonitor").metadata.labels).toEqual({ [word]: word });
    }
    for (const number of ["1_000", "0b1", "0x1f", "1_0.5"])
      expect(await snippet(`--monitor a=${number}`)).toContain(`a: "${number}"`);
  });

  test("reports all that is wrong at once, and flags that belong to another kind", async () => {
    const flags = "--replicas 0 --namespace Shop --memory lots --tls-secret x --bind :80 --rooms rooms.yaml";
    const wrong = await anteroom(`snippet kubernetes ${flags}`, { files: { "rooms.yaml": "rooms: [{ name: shop }]" } });
    expect(wrong.exit).toBe(2);
    for (const part of ["--replicas", "--namespace", "--memory", "add --host", "--bind", "rooms.yaml"])
      expect(wrong.talk).toContain(part);
    expect(wrong.answer).toBe("");
    const nginx = await anteroom("snippet nginx --monitor release=prometheus");
    expect([nginx.exit, nginx.talk]).toEqual([2, expect.stringContaining("--monitor")]);
  });

  test("has the fields of the API, and no others", async () => {
    const types = join(DEPLOY, "../node_modules/kubernetes-types");
    const printed = [text, await snippet(ALL_FLAGS, { "rooms.yaml": ROOMS })].flatMap((each) =>
      parseAllDocuments(each),
    );
    const lines = printed.map((document, at) => {
      const { apiVersion, kind } = document.toJS();
      const group = apiVersion === "v1" ? "core/v1" : apiVersion.replace(".k8s.io", "");
      const type = kind === "PodMonitor" ? kind : `import("${types}/${group}").${kind}`;
      return `export const ${kind}${at}: ${type} = ${JSON.stringify(document)};`;
    });
    const file = join(FOLDER, "manifest.ts");
    const complaints = (source: string): string => {
      writeFileSync(file, `${podMonitorType(types)}\n${source}`);
      const options = ["--noEmit", "--strict", "--ignoreConfig", "--module", "esnext", "--moduleResolution", "bundler"];
      return spawnSync(join(DEPLOY, "../node_modules/.bin/tsc"), [...options, file], { encoding: "utf8" }).stdout;
    };
    expect(complaints(lines.join("\n"))).toBe("");
    const misspelt = lines.join("\n").replace("periodSeconds", "periodSecond").replace("jobLabel", "jobLabels");
    const found = complaints(misspelt);
    for (const name of ["periodSecond", "jobLabels"]) expect(found).toContain(`'"${name}"' does not exist`);
  });
});

/** Of pkg/apis/monitoring/v1/podmonitor_types.go of the Prometheus operator, what is used here. */
function podMonitorType(types: string): string {
  return `interface PodMonitor {
    apiVersion: "monitoring.coreos.com/v1";
    kind: "PodMonitor";
    metadata: import("${types}/meta/v1").ObjectMeta;
    spec: {
      jobLabel?: string;
      selector: import("${types}/meta/v1").LabelSelector;
      podMetricsEndpoints: { port?: string; path?: string; scheme?: "http" | "https"; interval?: string }[];
    };
  }`;
}

test("the container's commands are commands", () => {
  const text = readFileSync(join(DEPLOY, "container/Containerfile"), "utf8");
  const words = [...text.matchAll(/^(?:HEALTHCHECK .*CMD|CMD) (\[.*\])$/gm)].map(([, list]) =>
    JSON.parse(list ?? "[]"),
  );
  expect(words).toEqual([["/usr/local/bin/anteroom", "doctor", "--live"], ["serve"]]);
  for (const name of ["doctor", "serve"]) expect(COMMANDS.map((command) => command.name)).toContain(name);
});

test("each folder of deploy/ is described in docs/install.md", () => {
  const text = readFileSync(join(DEPLOY, "../docs/install.md"), "utf8");
  const folders = readdirSync(DEPLOY, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  for (const { name } of folders) expect(text).toContain(`deploy/${name}`);
});
