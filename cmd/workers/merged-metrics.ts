/**
 * The metrics of several processes as one text in the Prometheus format: families once, and every sample with the label
 * `worker`.
 */

/** A sample without its name: labels, if any, and the value. */
const SAMPLE = /^([a-zA-Z_:][\w:]*)(\{?)(.*)$/s;

const UP = "anteroom_worker_up";

/** `texts` by worker, undefined for one that does not answer. */
export function mergedMetrics(texts: ReadonlyMap<number, string | undefined>): string {
  const families = new Map<string, { readonly head: string[]; readonly samples: string[] }>();
  for (const [worker, text] of texts) {
    let family = { head: [] as string[], samples: [] as string[] };
    for (const line of (text ?? "").split("\n")) {
      const [, kind, name] = /^# (HELP|TYPE) (\S+)/.exec(line) ?? [];
      if (name !== undefined) {
        const known = families.get(name);
        family = known ?? { head: [], samples: [] };
        families.set(name, family);
        if (!family.head.some((head) => head.startsWith(`# ${kind} `))) family.head.push(line);
      } else if (line !== "" && !line.startsWith("#")) family.samples.push(labelled(line, worker));
    }
  }
  const up = [...texts].map(([worker, text]) => `${UP}{worker="${worker}"} ${text === undefined ? 0 : 1}`);
  const head = [`# HELP ${UP} Whether the worker answers.`, `# TYPE ${UP} gauge`];
  return `${[[...head, ...up], ...[...families.values()].map(({ head, samples }) => [...head, ...samples])]
    .map((lines) => lines.join("\n"))
    .join("\n\n")}\n`;
}

function labelled(sample: string, worker: number): string {
  const [, name = "", brace = "", rest = ""] = SAMPLE.exec(sample) ?? [];
  return brace === "" ? `${name}{worker="${worker}"}${rest}` : `${name}{worker="${worker}",${rest}`;
}
