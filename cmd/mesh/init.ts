/**
 * `anteroom init`: creates a mesh in a data directory, and does nothing else.
 *
 * `serve` does the same on its first start; this command is for operators who want the keys before, for instance to
 * copy them to other hosts.
 */

import { join } from "node:path";
import { SETTINGS, variableOf } from "../../node/config/settings-table.ts";
import { initDataDirectory } from "../../node/storage/founding.ts";
import { DataDirectoryError } from "../../node/storage/identity.ts";
import { flagValue, type Invocation } from "../command.ts";
import { EXIT } from "../exit.ts";
import { Failure } from "../failure.ts";

export async function init(invocation: Invocation): Promise<number> {
  const { io } = invocation;
  const data = flagValue(invocation, "data") ?? (io.environment[variableOf("data")] || SETTINGS.data.fallback);
  try {
    const { meshId, files } = await initDataDirectory(data);
    io.answer(`Founded mesh ${meshId} in ${data}.`);
    io.talk(
      [
        ...files.map((file) => `  wrote ${file}`),
        `Start a node: anteroom serve --origin URL --data ${data}`,
        `On each other host, with a copy of ${join(data, "mesh.key")} (mode 0600):`,
        "  anteroom serve --origin URL --join THIS-HOST:8082 --mesh-key mesh.key",
      ].join("\n"),
    );
    return EXIT.ok;
  } catch (error) {
    if (error instanceof DataDirectoryError) throw new Failure(error.message, { hint: error.hint, cause: error });
    throw error;
  }
}
