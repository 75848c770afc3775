/**
 * Each command block of the README and of docs/ is run as a reader would run it, page by page, top to bottom, each page
 * as one shell. What stands in for the reader's host: a root folder for `/etc`, `/usr/local` and `/var/lib`, free ports
 * for those of the page, tomorrow for the day of the sale, and a `systemctl` that starts what the installed unit says.
 */

import { spawn } from "node:child_process";
import { chmodSync, copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { describe, expect, inject, test } from "vitest";
import { blocksOf, type DocBlock, PAGES, typedOf } from "../doc-blocks.ts";
import { selfSigned } from "../self-signed.ts";
import { endLater, freePort, temporaryDirectory } from "./process.ts";

const ROOT = resolve(import.meta.dirname, "../..");
const DAY_MS = 86_400_000;
/** The pages that start their node by themselves; on the others it runs already, with the rooms file of the README. */
const STARTING = new Set([
  "README.md",
  "docs/first-sale.md",
  "docs/install.md",
  "docs/other-queues.md",
  "docs/proxies.md",
]);
/** The site runs before the page begins, also where the page starts its node. */
const WITH_SITE = "docs/first-sale.md";
const SHOP = "anteroom demo --shop-only --listen 127.0.0.1:3000\n";
const GATE = "anteroom serve --origin http://127.0.0.1:3000 --rooms rooms.yaml --listen :8080\n";

/** `serve` and the shop go on beside the commands that follow, once they are up; all others run to their end. */
const ANTEROOM = `#!/bin/sh
case "$*" in
  "status --watch") exec "$BINARY" status ;; # it would go on for ever
  "serve "*|"demo --shop-only"*) ;;
  *) exec "$BINARY" "$@" ;;
esac
"$BINARY" "$@" >"$HOST/$1.log" 2>&1 &
echo $! >>"$HOST/pids"
until grep -qsE "anteroom is up|The shop is at" "$HOST/$1.log"; do
  kill -0 $! 2>/dev/null || { cat "$HOST/$1.log" >&2; exit 1; }
  sleep 0.1
done
`;

/** Of systemd: check and start, as the installed unit says. */
const SYSTEMCTL = `#!/bin/sh
[ "$1" = enable ] || exit 0
unit="$HOST/etc/systemd/system/anteroom.service"
mkdir -p "$HOST/var/lib/anteroom"
for step in ExecStartPre ExecStart; do
  eval "$(sed -n "s|^$step=||p" "$unit" | sed "s|/usr/local|$HOST/usr/local|g; s|/etc|$HOST/etc|g; s|/var/lib|$HOST/var/lib|g")" || exit 1
done
`;

describe("the blocks of the documents", () => {
  test("are found, and most of them are run", () => {
    const blocks = PAGES.flatMap(blocksOf);
    expect(blocks.length).toBeGreaterThan(30);
    expect(blocks.filter(({ notRun }) => notRun === undefined).length).toBeGreaterThan(blocks.length / 2);
  });

  test("a command that fails is noticed", async () => {
    const host = await hostOf("docs/rooms.md");
    const typed = "anteroom room list\nanteroom room get no-such-room\n";
    const block = { line: 7, language: "sh", text: typed, notRun: undefined, file: undefined };
    const { code, said } = await run(host, [block]);
    expect([code, said]).toEqual([1, expect.stringContaining("line 7: anteroom room get no-such-room")]);
  });

  test.each(PAGES.filter((page) => blocksOf(page).some(({ notRun }) => notRun === undefined)))("%s", async (page) => {
    const { code, said } = await run(await hostOf(page), blocksOf(page));
    expect(code, said).toBe(0);
  });
});

interface Host {
  readonly folder: string;
  readonly addresses: ReadonlyMap<string, string>;
  readonly page: string;
}

/** A host with the archive of a release, and the files that the pages' commands take for given. */
async function hostOf(page: string): Promise<Host> {
  const folder = temporaryDirectory();
  const [gate, admin, mesh, shop] = [freePort(), freePort(), freePort(), freePort()];
  const addresses = new Map([
    ["127.0.0.1:3000", `127.0.0.1:${shop}`],
    ["127.0.0.1:8081", `127.0.0.1:${admin}`],
    ["10.0.0.1:8082", `127.0.0.1:${mesh}`],
    ["GATE", `127.0.0.1:${gate}`],
    // The doctor asks the site by its name.
    ["doctor https://shop.example.com/", `doctor http://127.0.0.1:${gate}/`],
  ]);
  const release = join(folder, "anteroom-0.1.0-linux-x64");
  write(join(release, "anteroom"), ANTEROOM);
  mkdirSync(join(release, "systemd"), { recursive: true });
  copyFileSync(join(ROOT, "deploy/systemd/anteroom.service"), join(release, "systemd/anteroom.service"));
  const packed = Bun.spawnSync(["tar", "czf", `${release}.tar.gz`, "-C", folder, "anteroom-0.1.0-linux-x64"]);
  if (!packed.success) throw new Error(`Cannot pack the archive: ${packed.stderr}`);
  write(join(folder, "usr/local/bin/anteroom"), ANTEROOM);
  write(join(folder, "bin/systemctl"), SYSTEMCTL);
  for (const sub of ["etc/systemd/system", "etc/anteroom", "etc/haproxy", "etc/nginx/conf.d", "var/lib"])
    mkdirSync(join(folder, sub), { recursive: true });
  const rooms = blocksOf("README.md").find(({ file }) => file === "rooms.yaml");
  if (!STARTING.has(page) && rooms !== undefined) writeFileSync(join(folder, "rooms.yaml"), rooms.text);
  writeFileSync(join(folder, "guests.csv"), "key\norder-1041\norder-1042\n");
  writeFileSync(join(folder, "anteroom.yaml"), `origin: http://127.0.0.1:${shop}\nlisten: 127.0.0.1:${gate}\n`);
  for (const secret of page === "docs/other-queues.md" ? ["queue-it-secret", "queue-it-api-key"] : []) {
    writeFileSync(join(folder, "etc/anteroom", secret), "0123456789abcdef".repeat(4));
  }
  for (const site of page === "docs/proxies.md" ? ["shop", "tickets"] : []) {
    const { cert, key } = selfSigned(`${site}.example.com`);
    writeFileSync(join(folder, `${site}.pem`), cert);
    writeFileSync(join(folder, `${site}.key`), key);
  }
  endLater(() => endAllOf(folder));
  return { folder, addresses, page };
}

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  chmodSync(path, 0o755);
}

/** Runs `blocks` in one shell; the exit code, and what was said last, the line of the page that failed among it. */
async function run(host: Host, blocks: readonly DocBlock[]): Promise<{ code: number | null; said: string }> {
  const { folder, page } = host;
  const before = STARTING.has(page) ? (page === WITH_SITE ? SHOP : "") : SHOP + GATE;
  const steps = blocks.filter(({ notRun }) => notRun === undefined).map((block) => stepOf(host, block));
  const script = [
    "set -E -o pipefail",
    "trap 'echo \"$page, line $line: $BASH_COMMAND\" >&2; exit 1' ERR",
    `page=${page} line=0`,
    onHost(host, before),
    ...steps,
  ].join("\n");
  const [admin = "", mesh = ""] = ["127.0.0.1:8081", "10.0.0.1:8082"].map((each) => host.addresses.get(each));
  const env = {
    PATH: `${folder}/bin:${folder}/usr/local/bin:${process.env.PATH ?? ""}`,
    HOST: folder,
    BINARY: inject("binary"),
    ANTEROOM_ADMIN: admin,
    ANTEROOM_MESH: mesh,
    ANTEROOM_PRESSURE: "off",
  };
  const shell = spawn("bash", ["-c", script], { cwd: folder, env, stdio: ["ignore", "pipe", "pipe"] });
  let said = "";
  for (const stream of [shell.stdout, shell.stderr]) {
    stream.on("data", (data) => {
      said = `${said}${data}`.slice(-10_000);
    });
  }
  const isWhole = new Promise((closed) => shell.on("close", closed));
  const code = await new Promise<number | null>((ended) => shell.on("exit", ended));
  endAllOf(folder);
  await isWhole;
  return { code, said };
}

function stepOf(host: Host, block: DocBlock): string {
  const { file, line } = block;
  if (file === undefined) return `line=${line}\n${onHost(host, typedOf(block))}`;
  return `cat > ${onHost(host, ` ${file}`)} <<'END_OF_FILE'\n${onHost(host, block.text)}END_OF_FILE`;
}

/** `text` with the folders, addresses and days of this host. */
function onHost({ folder, addresses, page }: Host, text: string): string {
  const day = new Date(Date.now() + (page === "docs/analytics.md" ? -DAY_MS : DAY_MS)).toISOString().slice(0, 10);
  let here = text
    .replaceAll(/(?<=[\s=:"])\/(etc|usr\/local|var\/lib)\//g, `${folder}/$1/`)
    .replaceAll("2026-11-27", day)
    .replaceAll(/(listen:? )"?:(80|443|8080)\b"?/g, "$1GATE");
  for (const [named, real] of addresses) here = here.replaceAll(named, real);
  return here;
}

function endAllOf(folder: string): void {
  const pids = join(folder, "pids");
  if (!existsSync(pids)) return;
  for (const pid of readFileSync(pids, "utf8")
    .split("\n")
    .filter((line) => line !== "")) {
    try {
      process.kill(Number(pid), "SIGKILL");
    } catch {
      // It has ended by itself.
    }
  }
  writeFileSync(pids, "");
}
