/** Runs for each file of tests with processes: modules are evaluated once for several files. */

import { afterAll, afterEach, aroundEach } from "vitest";
import { endAll, withOwnEndings } from "./process.ts";

aroundEach(withOwnEndings);
// Not after the test in `aroundEach`: what is there waits until the tests beside it have begun.
afterEach(endAll);
afterAll(endAll);
