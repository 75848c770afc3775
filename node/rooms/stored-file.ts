/** What a node keeps on its disk of its rooms file. */

import { z } from "zod";
import { Entry } from "../../mesh/core/wire/entry.ts";
import { whole } from "../../mesh/core/wire/shapes.ts";

export const FILE_SEEN = new Entry({
  key: "rooms-file",
  shape: z.object({ digest: z.string().max(64), atMs: whole }),
  writer: "node/process/shell.ts",
  holds: "which content of the rooms file this node saw last",
  without: "a start applies the file as if it were new, unless the mesh remembers its content",
});
