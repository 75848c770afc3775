import { readFileSync } from "node:fs";
import { defineConfig } from "vitest/config";

// The binary imports pages as text (`with { type: "text" }`), which Vite does not know: this plugin does the same in tests.
const textImports = {
  name: "text-imports",
  enforce: "pre" as const,
  load(id: string) {
    if (!/\.(html|svg|txt|css)$/.test(id)) return undefined;
    return `export default ${JSON.stringify(readFileSync(id, "utf8"))};`;
  },
};

export default defineConfig({
  plugins: [textImports],
  test: {
    include: ["test/**/*.test.ts"],
    // Forks start a watchdog over an IPC channel that Bun does not have; threads run on Bun as they are.
    pool: "threads",
    testTimeout: 20_000,
  },
});
