/**
 * `anteroom snippet kubernetes`: deploy/kubernetes/anteroom.yaml with an operator's values in place of its own. The file
 * is what is printed if nothing is said, and its comments stay.
 */

import { Document, parseAllDocuments } from "yaml";
import manifest from "../../deploy/kubernetes/anteroom.yaml" with { type: "text" };
import { isObject } from "../../node/config/is-object.ts";
import { type Problem, problemAt, problemsIn } from "../../node/config/problem.ts";
import { listOf, readRange } from "../../node/config/readers.ts";
import { parseRooms } from "../../node/config/rooms-file.ts";
import { placed } from "../../node/config/yaml-places.ts";
import { parseYaml } from "../../node/config/yaml-text.ts";
import { parseOrigin } from "../../node/http/origin-target.ts";
import type { Invocation } from "../command.ts";
import { EXIT } from "../exit.ts";
import { Failure } from "../failure.ts";
import { problemsOf, readInput, shownPath } from "../read-input.ts";

type Path = readonly (string | number)[];

const LABEL = "[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?";
const NAME = [new RegExp(`^${LABEL}(?:\\.${LABEL})*$`), "shop.example.com"] as const;
const NAMESPACE = [new RegExp(`^${LABEL}$`), "shop"] as const;
const BYTES = [/^[1-9]\d*(?:Mi|Gi|Ti)$/, "1Gi"] as const;

/** What each flag takes, with an example. */
const FORMS: Readonly<Record<string, readonly [form: { test(text: string): boolean }, example: string]>> = {
  origin: [{ test: (url) => parseOrigin(url) !== undefined }, "http://shop.default:3000"],
  rooms: [/./, "rooms.yaml"],
  image: [/^[\w.:/@-]+$/, "registry.example.com/anteroom:0.1.0"],
  replicas: [/^[1-9]\d?$/, "3"],
  namespace: NAMESPACE,
  host: [new RegExp(`^(?:\\*\\.)?${LABEL}(?:\\.${LABEL})*$`), "shop.example.com"],
  "tls-secret": NAME,
  "ingress-class": NAME,
  "ingress-namespace": NAMESPACE,
  "trusted-proxies": [{ test: (text) => "value" in listOf(readRange)(text) }, "10.244.0.0/16"],
  storage: BYTES,
  "storage-class": NAME,
  cpu: [/^[1-9]\d*m?$/, "500m"],
  memory: BYTES,
  monitor: [/^(?:[a-z0-9.-]+\/)?[\w.-]+=[\w.-]+$/, "release=prometheus"],
  "monitoring-namespace": NAMESPACE,
};

const HOST_NEEDED = { problem: "is given without --host", repair: "add --host NAME" };

export function kubernetesSnippet({ flags, io }: Invocation): number {
  const given = (flag: string): string | undefined => flags.get(flag)?.[0];
  const file = given("rooms");
  const rooms = file === undefined ? undefined : readInput(io, file);
  const problems: Problem[] = [
    ...[...flags].flatMap(([flag, values]) => values.flatMap((value) => flagProblems(flag, value))),
    ...["tls-secret", "ingress-class"]
      .filter((flag) => flags.has(flag) && !flags.has("host"))
      .map((flag) => problemAt(`--${flag}`, given(flag), HOST_NEEDED)),
    ...problemsOf(rooms),
    ...(rooms?.ok === true ? roomProblems(file ?? "", rooms.value) : []),
  ];
  if (problems.length > 0) throw new Failure("no snippet was made", { problems });

  const objects = new Objects();
  const replicas = given("replicas");
  objects.set("ConfigMap", ["data", "rooms.yaml"], rooms?.ok === true ? rooms.value : undefined);
  objects.set("NetworkPolicy", namespaceOf(0), given("ingress-namespace"));
  objects.set("NetworkPolicy", namespaceOf(1), given("monitoring-namespace"));
  objects.set("StatefulSet", ["spec", "replicas"], replicas && Number(replicas));
  objects.set("StatefulSet", [...NODE, "image"], given("image"));
  objects.setEnvironment("ANTEROOM_ORIGIN", given("origin"));
  objects.setEnvironment("ANTEROOM_TRUSTED_PROXIES", given("trusted-proxies"));
  objects.set("StatefulSet", [...NODE, "resources", "requests", "cpu"], given("cpu"));
  for (const of of ["requests", "limits"])
    objects.set("StatefulSet", [...NODE, "resources", of, "memory"], given("memory"));
  objects.set("StatefulSet", [...VOLUME, "resources", "requests", "storage"], given("storage"));
  objects.set("StatefulSet", [...VOLUME, "storageClassName"], given("storage-class"));
  const hosts = flags.get("host") ?? [];
  if (hosts.length > 0) objects.add(ingress(hosts, given("ingress-class"), given("tls-secret")));
  const tag = given("monitor");
  if (tag !== undefined) objects.add(podMonitor(tag));
  io.answer(objects.textIn(given("namespace")).trimEnd());
  return EXIT.ok;
}

/** Whether a flag means nothing for a proxy. */
export function isForKubernetes(flag: string): boolean {
  return flag in FORMS && flag !== "origin";
}

const NODE: Path = ["spec", "template", "spec", "containers", 0];
const VOLUME: Path = ["spec", "volumeClaimTemplates", 0, "spec"];

/** The namespace of those who may come by the rule `at` of the NetworkPolicy. */
function namespaceOf(at: number): Path {
  return ["spec", "ingress", at, "from", 0, "namespaceSelector", "matchLabels", "kubernetes.io/metadata.name"];
}

/** kubectl reads YAML 1.1, in which a bare `yes` or `1_000` is no text. */
const QUOTED = { compat: "yaml-1.1" } as const;

/** The objects of the manifest. A value that is not given leaves them as they are. */
class Objects {
  readonly #documents: Document[] = [...parseAllDocuments(String(manifest), QUOTED)];

  set(kind: string, path: Path, value: unknown): void {
    if (value !== undefined) this.#documents.find((each) => each.get("kind") === kind)?.setIn(path, value);
  }

  setEnvironment(name: string, value: string | undefined): void {
    const set = this.#documents.find((each) => each.get("kind") === "StatefulSet")?.toJS();
    const at = set.spec.template.spec.containers[0].env.findIndex(
      (each: unknown) => isObject(each) && each.name === name,
    );
    this.set("StatefulSet", [...NODE, "env", at, "value"], value);
  }

  add(object: object): void {
    const added = new Document(object, { ...QUOTED, aliasDuplicateObjects: false });
    if (added.directives) added.directives.docStart = true;
    this.#documents.push(added);
  }

  /** The text of all, in that namespace; the commands in the comments at its left edge are for it as well. */
  textIn(namespace: string | undefined): string {
    if (namespace !== undefined) for (const each of this.#documents) each.setIn(["metadata", "namespace"], namespace);
    const text = this.#documents.map((each) => each.toString({ lineWidth: 120 })).join("");
    if (namespace === undefined) return text;
    return text.replace(/^#.*$/gm, (line) => line.replaceAll("kubectl ", `kubectl -n ${namespace} `));
  }
}

function ingress(hosts: readonly string[], className: string | undefined, secretName: string | undefined): object {
  const service = { name: "anteroom", port: { name: "http" } };
  return {
    apiVersion: "networking.k8s.io/v1",
    kind: "Ingress",
    metadata: { name: "anteroom" },
    spec: {
      ...(className !== undefined && { ingressClassName: className }),
      ...(secretName !== undefined && { tls: [{ hosts, secretName }] }),
      rules: hosts.map((host) => ({
        host,
        http: { paths: [{ path: "/", pathType: "Prefix", backend: { service } }] },
      })),
    },
  };
}

/** For the Prometheus operator. Its job is called as the alerts and the dashboard expect. */
function podMonitor(tag: string): object {
  const [key = "", value = ""] = tag.split("=");
  return {
    apiVersion: "monitoring.coreos.com/v1",
    kind: "PodMonitor",
    metadata: { name: "anteroom", labels: { [key]: value } },
    spec: {
      jobLabel: "app",
      selector: { matchLabels: { app: "anteroom" } },
      podMetricsEndpoints: [{ port: "metrics" }],
    },
  };
}

function flagProblems(flag: string, value: string): Problem[] {
  const [form, example] = FORMS[flag] ?? [];
  if (form === undefined) {
    const repair = "leave it out: no node is asked, and no proxy configured";
    return [problemAt(`--${flag}`, undefined, { problem: "means nothing for kubernetes", repair })];
  }
  if (form.test(value)) return [];
  return [
    problemAt(`--${flag}`, value, { problem: "is not a value that it takes", repair: `write one such as ${example}` }),
  ];
}

/** A file beside the rooms file, such as a page, is not in a pod: its field is refused. */
function roomProblems(file: string, text: string): readonly Problem[] {
  const data = parseYaml(text);
  const problems = data.ok ? problemsOf(parseRooms(data.value)) : data.problems;
  return problemsIn(shownPath(file), data.ok ? placed(problems, text) : problems);
}
