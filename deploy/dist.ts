/**
 * `npm run dist`: archives for other machines, in dist/, with checksums and a list of what they contain.
 *
 * Each has the binary, the licences, a CycloneDX SBOM, and the files in this folder.
 * The runtimes for other systems come from the package registry that npm is set to. `--target NAME` makes one archive.
 */

import { createHash } from "node:crypto";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { parseArgs } from "node:util";
import manifest from "../package.json" with { type: "json" };
import { CLIENT_NAME, clientText } from "./client/make-client.ts";
import { compile } from "./compile.ts";

interface Target {
  /** The system in the archive's name. */
  readonly name: string;
  /** The runtime's package, without its scope and `bun-`. */
  readonly runtime: string;
  /** As the compiler calls it. */
  readonly compiler: string;
}

const TARGETS: readonly Target[] = [
  { name: "linux-x64", runtime: "linux-x64", compiler: "bun-linux-x64" },
  { name: "linux-x64-musl", runtime: "linux-x64-musl", compiler: "bun-linux-x64-musl" },
  { name: "linux-arm64", runtime: "linux-aarch64", compiler: "bun-linux-arm64" },
  { name: "linux-arm64-musl", runtime: "linux-aarch64-musl", compiler: "bun-linux-arm64-musl" },
  { name: "darwin-x64", runtime: "darwin-x64", compiler: "bun-darwin-x64" },
  { name: "darwin-arm64", runtime: "darwin-aarch64", compiler: "bun-darwin-arm64" },
];

const ROOT = join(import.meta.dirname, "..");
const { packages: PINNED } = JSON.parse(readFileSync(join(ROOT, "package-lock.json"), "utf8")) as {
  readonly packages: Readonly<Record<string, { readonly integrity?: string }>>;
};
const DIST = join(ROOT, "dist");
const MAIN = join(ROOT, "cmd/main.ts");

function main(): void {
  const { values } = parseArgs({ options: { target: { type: "string", multiple: true } } });
  const unknown = values.target?.find((wanted) => !TARGETS.some(({ name }) => name === wanted));
  if (unknown !== undefined) {
    console.error(`--target ${unknown}: is not known; write ${TARGETS.map(({ name }) => name).join(", ")}`);
    process.exit(2);
  }
  const chosen = TARGETS.filter(({ name }) => values.target?.includes(name) ?? true);
  mkdirSync(DIST, { recursive: true });
  writeFileSync(join(DIST, CLIENT_NAME), clientText());
  const work = mkdtempSync(join(tmpdir(), "anteroom-dist-"));
  try {
    const shared = join(work, "shared");
    writeShared(shared);
    const sums = chosen.map((target) => {
      const archive = pack(target, shared, work);
      const sum = createHash("sha256").update(readFileSync(archive)).digest("hex");
      console.log(`${basename(archive)}  ${Math.round(readFileSync(archive).length / 1e6)} MB`);
      return `${sum}  ${basename(archive)}\n`;
    });
    writeFileSync(join(DIST, "SHA256SUMS"), sums.join(""));
    cpSync(join(shared, "sbom.cdx.json"), join(DIST, `anteroom-${manifest.version}.cdx.json`));
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** What is the same in all archives. */
function writeShared(folder: string): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "licenses.txt"), run([process.execPath, MAIN, "--licenses"]));
  writeFileSync(join(folder, "sbom.cdx.json"), sbom());
  for (const file of ["LICENSE", "README.md", "CHANGELOG.md", "SECURITY.md", "docs"]) {
    cpSync(join(ROOT, file), join(folder, file), { recursive: true });
  }
  cpSync(import.meta.dirname, folder, {
    recursive: true,
    filter: (path) => !path.endsWith(".ts") && path !== join(import.meta.dirname, "client"),
  });
  // The first content of a container's volume.
  mkdirSync(join(folder, "container/data"));
  writeFileSync(join(folder, CLIENT_NAME), clientText());
}

/**
 * What the binary contains, as CycloneDX: the packages in the lock file that are not for development only, and the
 * runtime.
 */
function sbom(): string {
  const found = JSON.parse(
    run(["npm", "sbom", "--sbom-format", "cyclonedx", "--omit", "dev", "--sbom-type", "application"]),
  );
  found.metadata.component.name = manifest.name;
  const runtime = `bun@${Bun.version}`;
  found.components.push({
    type: "framework",
    "bom-ref": runtime,
    name: "bun",
    version: Bun.version,
    purl: `pkg:npm/${runtime}`,
    licenses: [{ license: { id: "MIT" } }],
  });
  // Where this machine fetched a package from says nothing about it.
  for (const component of found.components) {
    const references: { readonly type: string }[] = component.externalReferences ?? [];
    component.externalReferences = references.filter(({ type }) => type !== "distribution");
  }
  return `${JSON.stringify(found, undefined, 2)}\n`;
}

/** Makes one archive; its path. */
function pack({ name, runtime, compiler }: Target, shared: string, work: string): string {
  const base = `anteroom-${manifest.version}-${name}`;
  const folder = join(work, base);
  cpSync(shared, folder, { recursive: true });
  compile({ runtime: runtimeOf(runtime, work), outfile: join(folder, "anteroom"), target: compiler });
  const archive = join(DIST, `${base}.tar.gz`);
  run(["tar", "--create", "--gzip", "--owner=0", "--group=0", "--file", `${archive}.part`, "--directory", work, base]);
  renameSync(`${archive}.part`, archive);
  rmSync(folder, { recursive: true });
  return archive;
}

/** The runtime's executable for a system: its package is fetched, and must be the one that the lock file pins. */
function runtimeOf(runtime: string, work: string): string {
  const folder = join(work, `runtime-${runtime}`);
  mkdirSync(folder);
  const spec = `@oven/bun-${runtime}@${Bun.version}`;
  const packed = run(["npm", "pack", "--silent", "--pack-destination", folder, spec]).trim();
  const digest = createHash("sha512")
    .update(readFileSync(join(folder, packed)))
    .digest("base64");
  if (PINNED[`node_modules/@oven/bun-${runtime}`]?.integrity !== `sha512-${digest}`)
    throw new Error(`${spec} is not the package that package-lock.json pins`);
  run(["tar", "--extract", "--file", join(folder, packed), "--directory", folder]);
  const executable = join(folder, "package/bin/bun");
  if (!existsSync(executable)) throw new Error(`${spec} has no bin/bun`);
  return executable;
}

/** Runs a program; its output. Throws with what it complained about. */
function run(words: readonly string[]): string {
  const { exitCode, stdout, stderr } = Bun.spawnSync([...words], { cwd: ROOT, env: { ...process.env, NO_COLOR: "1" } });
  if (exitCode === 0) return stdout.toString();
  throw new Error(`${words.slice(0, 3).join(" ")} … ended with ${exitCode}:\n${stderr.toString()}`);
}

main();
