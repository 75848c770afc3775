/**
 * `npm run picture`: draws docs/demo.svg for the README. The demo runs with five nodes; left is what it has said some
 * time after one of them was killed, right is the page of a visitor who joins at that moment, in Chromium.
 *
 * Nothing in it is made up, so its numbers differ from run to run; fonts are those of the host.
 */

import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { resolve } from "node:path";
import type { Readable } from "node:stream";
import { type Browser, chromium } from "playwright-core";
import { ARGUMENTS, CHROMIUM } from "../e2e/chromium.ts";

const ROOT = resolve(import.meta.dirname, "../..");
const FILE = resolve(ROOT, "docs/demo.svg");
const FLAGS = ["--nodes", "5", "--localities", "sjc,lon,del"];
const PAGE = { width: 400, height: 700 };
/** Its longest line fits. */
const TERMINAL_WIDTH = 770;
const LINE = 18;
/** Pixels of the page's image for each of the layout: readable where it is shown larger, and few enough for a README. */
const SCALE = 1.5;
/** The kill, and what came of it. */
const SHOWN = /Now open (\S+) in a browser[\s\S]*kill -9[\s\S]*(?:\n.*){5}\n/;
/** Far above what the page needs until it tells a wait, on a host that does other things too. */
const WAIT_MAX_MS = 60_000;

if (CHROMIUM === undefined) {
  console.error("Cannot draw the picture as it needs a Chromium: current value is none. Install chromium.");
  process.exit(1);
}
const demo = spawn("bun", ["cmd/main.ts", "demo", ...FLAGS], { cwd: ROOT, stdio: ["ignore", "pipe", "inherit"] });
const browser = await chromium.launch({ executablePath: CHROMIUM, args: ARGUMENTS });
try {
  const said = await shownOf(demo.stdout);
  const picture = draw(said, await waitingPage(browser, SHOWN.exec(said)?.[1] ?? ""));
  writeFileSync(FILE, picture);
  console.log(`${FILE}: ${picture.length} bytes`);
} finally {
  await browser.close();
  demo.kill("SIGINT");
}

/** What the demo has said by the time of the picture. It goes on, and is read to its end. */
function shownOf(output: Readable): Promise<string> {
  return new Promise((resolve, reject) => {
    let said = "";
    output.on("data", (piece) => {
      said += piece;
      const shown = SHOWN.exec(said);
      if (shown !== null) resolve(said.slice(0, shown.index + shown[0].length));
    });
    output.on("end", () => reject(new Error(`Cannot draw the picture as the demo ended too early:\n${said}`)));
  });
}

/** The page of a visitor who joins now, as an image, once it shows how long the wait is. */
async function waitingPage(browser: Browser, url: string): Promise<Buffer> {
  const page = await (await browser.newContext({ viewport: PAGE, deviceScaleFactor: SCALE })).newPage();
  page.setDefaultTimeout(WAIT_MAX_MS);
  await page.goto(url);
  await page.locator("#wait", { hasText: "minute" }).waitFor();
  return page.screenshot();
}

/** Text stays text, so the picture is small, and sharp at any size. */
function draw(said: string, waiting: Buffer): string {
  const lines = [`$ npm start -- ${FLAGS.join(" ")}`, ...said.trimEnd().split("\n")];
  const width = TERMINAL_WIDTH + PAGE.width;
  const image = `<image x="${TERMINAL_WIDTH}" width="${PAGE.width}" height="${PAGE.height}" href="data:image/png;base64,${waiting.toString("base64")}"/>`;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${PAGE.height}">
<title>The demo, and the page of a visitor in line</title>
<rect width="${width}" height="${PAGE.height}" fill="#14181c"/>
<g font-family="DejaVu Sans Mono, Menlo, Consolas, monospace" font-size="12" fill="#d7dde2">
${lines.map((line, index) => `<text x="24" y="${38 + index * LINE}">${escaped(line)}</text>`).join("\n")}
</g>
${image}
</svg>
`;
}

/** Browsers make one of several blanks, unless these are not to be broken. */
function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(" ", "\u00a0");
}
