/**
 * Which Chromium the tests and the picture of the README use, and how they start it.
 */

import { existsSync } from "node:fs";

/** Where Debian and others put it. */
export const CHROMIUM = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find(existsSync);
/**
 * The first two are pages that Chromium keeps ready behind the address bar of each window, and that no test opens: a
 * window takes a third of the CPU time without them. The others are those that Playwright disables: Chromium obeys only
 * the last of two such switches.
 */
const DISABLED = [
  "WebUIOmniboxPopup,WebUIOmniboxAimPopup",
  "AvoidUnnecessaryBeforeUnloadCheckSync,DestroyProfileOnBrowserClose,HttpsUpgrades,HttpsFirstBalancedModeAutoEnable",
  "LensOverlay,MediaRouter,PaintHolding,ThirdPartyStoragePartitioning,AvoidCorsURLLoaderRestartOnRedirect",
  "TcpPortRandomizationWin,OptimizationHints,NetworkTimeServiceQuerying,AimEnabled,PreconnectToSearch",
];
export const ARGUMENTS = [
  ...["--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-background-networking"],
  `--disable-features=${DISABLED.join()}`,
  // Hosts of one site, and others.
  "--host-resolver-rules=MAP *.test 127.0.0.1",
];
