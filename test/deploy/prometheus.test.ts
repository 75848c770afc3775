/** What operators plug into Prometheus and Grafana, held to the metrics that there really are. */

import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { mergedMetrics } from "../../cmd/workers/merged-metrics.ts";
import { GateWorld } from "../node/gate/gate-world.ts";
import { renderOf } from "../node/operator/metrics/metrics-of-world.ts";
import { hasPromtool, PROMTOOL, promtool } from "./promtool.ts";

const ALERTS = "deploy/prometheus/alerts.yaml";
const DASHBOARD = "deploy/grafana/dashboards/anteroom.json";

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly annotations: Readonly<Record<string, string>>;
}

const rules = (parse(readFileSync(ALERTS, "utf8")) as { groups: { rules: Rule[] }[] }).groups.flatMap(
  (group) => group.rules,
);
const panels = (
  JSON.parse(readFileSync(DASHBOARD, "utf8")) as { panels: { title: string; targets: { expr: string }[] }[] }
).panels;

/** With one room, one origin, and all that such a node shows; as a host with workers answers. */
async function metricsText(): Promise<string> {
  const world = new GateWorld();
  await world.fill();
  return mergedMetrics(new Map([[1, await renderOf(world)()]]));
}

/** Names of samples; `up` is Prometheus's own. */
async function knownNames(): Promise<Set<string>> {
  const lines = (await metricsText()).split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  // A node alone has neither others' clocks nor a lease that runs out; a wait is known once sessions have ended.
  const unseen = ["anteroom_clock_offset_seconds", "anteroom_wait_estimate_seconds"];
  return new Set([...lines.map((line) => line.split(/[{ ]/)[0] ?? ""), "up", ...unseen]);
}

function namesIn(expr: string): string[] {
  return expr.match(/\b(?:anteroom|process)_\w+/g) ?? [];
}

test("the dashboard and the alerts ask for metrics that there are, and every panel asks for some", async () => {
  const known = await knownNames();
  const asked = [...panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)), ...rules.map(({ expr }) => expr)];
  expect(asked.flatMap(namesIn).filter((name) => !known.has(name))).toEqual([]);
  expect(panels.filter(({ targets }) => targets.length === 0)).toEqual([]);
});

test("each alert has a runbook, which has nothing else, and a test", () => {
  const sections = [...readFileSync("docs/runbook.md", "utf8").matchAll(/^## (\w+)$/gm)].map(([, name]) => name);
  expect(sections).toEqual(rules.map(({ alert }) => alert));
  for (const { alert, annotations } of rules)
    expect(annotations.runbook_url).toBe(`docs/runbook.md#${alert.toLowerCase()}`);
  const tested = readFileSync("deploy/prometheus/alerts.test.yaml", "utf8");
  expect(rules.filter(({ alert }) => !tested.includes(`name: ${alert} fires`))).toEqual([]);
});

test("every metric has a description and a kind, once", async () => {
  const text = await metricsText();
  const helps = [...text.matchAll(/^# HELP (\S+) (.*)$/gm)].map(([, name, help]) => [name, help]);
  const types = [...text.matchAll(/^# TYPE (\S+) /gm)].map(([, name]) => name);
  expect(helps.map(([name]) => name)).toEqual(types);
  expect(new Set(types).size).toBe(types.length);
  expect(helps.filter(([, help]) => help === "")).toEqual([]);
});

describe.runIf(hasPromtool)(PROMTOOL, () => {
  test("finds nothing wrong with the metrics of a node, and of a host with workers", async () => {
    const one = await renderOf(new GateWorld())();
    for (const input of [one, await metricsText()]) {
      expect(promtool(["check", "metrics"], { input })).toEqual({ ok: true, said: "" });
    }
  });

  test("finds nothing wrong with the alerts, and each fires when it should, and only then", () => {
    expect(promtool(["check", "rules", "alerts.yaml"], { cwd: "deploy/prometheus" })).toMatchObject({ ok: true });
    expect(promtool(["test", "rules", "alerts.test.yaml"], { cwd: "deploy/prometheus" })).toMatchObject({ ok: true });
  });
});

test.runIf(!hasPromtool)(`no check by ${PROMTOOL}`, () => {
  expect(hasPromtool).toBe(false);
});
