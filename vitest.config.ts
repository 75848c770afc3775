import { readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { dirname, resolve } from "node:path";
import { defineConfig } from "vitest/config";

// The binary imports pages as text (`with { type: "text" }`), which Vite does not know: this plugin does the same in tests.
// The ending `.text` keeps Vite from taking stylesheets for itself.
const textImports = {
  name: "text-imports",
  enforce: "pre" as const,
  resolveId(id: string, importer: string | undefined) {
    // What Vite has cached of an earlier run asks for these by their address from the root of the project.
    if (id.endsWith(".text")) return id.startsWith(import.meta.dirname) ? id : `${import.meta.dirname}${id}`;
    if (id.startsWith("uplot/dist/")) return `${resolve("node_modules", id)}.text`;
    if (!/\.(html|svg|css)$/.test(id) || importer === undefined) return undefined;
    return `${resolve(dirname(importer), id)}.text`;
  },
  load(id: string) {
    if (!id.endsWith(".text")) return undefined;
    return `export default ${JSON.stringify(readFileSync(id.slice(0, -".text".length), "utf8"))};`;
  },
};

export default defineConfig({
  plugins: [textImports],
  test: {
    include: ["test/**/*.test.ts"],
    // Forks start a watchdog over an IPC channel that Bun does not have; threads run on Bun as they are.
    pool: "threads",
    testTimeout: 20_000,
    // One worker per core, and two at least: Vitest would leave one core of two idle. Tests with real processes mostly wait.
    maxWorkers: Math.max(2, availableParallelism()),
  },
});
