/**
 * Runs for each file of tests with processes, and ends what it has started: modules are evaluated once for several
 * files.
 */

import { afterAll } from "vitest";
import { endAll } from "./process.ts";

afterAll(endAll);
