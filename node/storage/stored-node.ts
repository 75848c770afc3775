/** What a node keeps on its disk of its own life. */

import { z } from "zod";
import { Entry } from "../../mesh/core/wire/entry.ts";

export const FOUNDS = new Entry({
  key: "founds",
  shape: z.string().max(64),
  writer: "node/storage/founding.ts",
  holds: "the id of the mesh that the next start is to found",
  without: "the start founds no mesh: it waits to be taken in",
});

export const ALIVE = new Entry({
  key: "alive",
  shape: z.number().min(0),
  writer: "node/process/shell.ts",
  holds: "when the last process was alive, in unix ms",
  without: "a clock that was set back between two runs is not noticed by this alone",
});
