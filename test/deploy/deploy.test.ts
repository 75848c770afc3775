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

test("the Kubernetes manifest gives settings and rooms that are valid", () => {
  const documents = parseAllDocuments(readFileSync(join(DEPLOY, "kubernetes/anteroom.yaml"), "utf8"));
  expect(documents.flatMap(({ errors }) => errors)).toEqual([]);
  const found = documents.map((document) => document.toJS());
  const set = found.find(({ kind }) => kind === "StatefulSet");
  const [container] = set.spec.template.spec.containers;
  const environment: Record<string, string> = {};
  for (const { name, value } of container.env) {
    if (name.startsWith("ANTEROOM_")) environment[name] = String(value).replaceAll("$(POD)", "anteroom-0");
  }
  expect(resolveSettings({ flags: new Map(), environment, file: undefined })).toMatchObject({ ok: true });
  const rooms = parseYaml(found.find(({ kind }) => kind === "ConfigMap").data["rooms.yaml"]);
  expect(rooms.ok && parseRooms(rooms.value)).toMatchObject({ ok: true });
  const services = found.filter(({ kind }) => kind === "Service").map(({ metadata }) => metadata.name);
  expect(services).toContain(set.spec.serviceName);
  expect(services).toContain(environment.ANTEROOM_JOIN?.split(":")[0]);
  const mounted = container.volumeMounts.map(({ name }: { name: string }) => name);
  const volumes = [...set.spec.template.spec.volumes, ...set.spec.volumeClaimTemplates.map((claim: unknown) => claim)];
  const names = volumes.map((volume) => (isObject(volume.metadata) ? volume.metadata.name : volume.name));
  expect(mounted.filter((name: string) => !names.includes(name))).toEqual([]);
});

test("the Kubernetes manifest opens no more than visitors, metrics and the mesh need", () => {
  const documents = parseAllDocuments(readFileSync(join(DEPLOY, "kubernetes/anteroom.yaml"), "utf8"));
  const found = documents.map((document) => document.toJS());
  const set = found.find(({ kind }) => kind === "StatefulSet");
  const [container] = set.spec.template.spec.containers;
  const environment = Object.fromEntries(
    container.env
      .filter(
        ({ name, value }: { name: string; value?: string }) => name.startsWith("ANTEROOM_") && value !== undefined,
      )
      .map(({ name, value }: { name: string; value: string }) => [name, value.replaceAll("$(POD)", "anteroom-0")]),
  );
  const settings = resolveSettings({ flags: new Map(), environment, file: undefined });
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

test("the Kubernetes manifest has the fields of the API, and no others", () => {
  const types = join(DEPLOY, "../node_modules/kubernetes-types");
  const lines = parseAllDocuments(readFileSync(join(DEPLOY, "kubernetes/anteroom.yaml"), "utf8")).map((document) => {
    const { apiVersion, kind } = document.toJS();
    const group = apiVersion === "v1" ? "core/v1" : apiVersion.replace(".k8s.io", "");
    return `export const ${kind}${document.range[0]}: import("${types}/${group}").${kind} = ${JSON.stringify(document)};`;
  });
  const file = join(FOLDER, "manifest.ts");
  const complaints = (text: string): string => {
    writeFileSync(file, text);
    const options = ["--noEmit", "--strict", "--ignoreConfig", "--module", "esnext", "--moduleResolution", "bundler"];
    return spawnSync(join(DEPLOY, "../node_modules/.bin/tsc"), [...options, file], { encoding: "utf8" }).stdout;
  };
  expect(complaints(lines.join("\n"))).toBe("");
  expect(complaints(lines.join("\n").replace("periodSeconds", "periodSecond"))).toContain(
    "'\"periodSecond\"' does not exist",
  );
});

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
