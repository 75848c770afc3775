/** What axe-core finds on a page, as a browser shows it. */

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Page } from "playwright-core";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** Each violation with the elements that it is at; the size of targets is not among the rules that axe-core has on. */
export async function violations(page: Page): Promise<readonly string[]> {
  const found = await page.evaluate<{ violations: readonly { id: string; nodes: readonly { html: string }[] }[] }>(
    `(() => { ${AXE} })(); axe.run({ resultTypes: ["violations"], rules: { "target-size": { enabled: true } } })`,
  );
  return found.violations.map(({ id, nodes }) => `${id} at ${nodes.map(({ html }) => html).join(" ")}`);
}
