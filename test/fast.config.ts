/**
 * The tests of the inner loop (`npm run check:fast`): those of the pure parts and of the HTTP parsers, which need no
 * socket, process or disk.
 *
 * Left out are those that draw many worlds, as they take longer than all others together, and those for which the
 * product counts its steps (`counted` in vitest.config.ts). `npm test` or `npm run test:long` has them.
 */

import { resolve } from "node:path";
import { defineConfig } from "vitest/config";
import { common, textImports } from "../vitest.config.ts";

const PARSERS = "test/node/http/{request-head,response-head,chunked,fields,origin-target}.test.ts";

export default defineConfig({
  plugins: [textImports],
  root: resolve(import.meta.dirname, ".."),
  test: {
    ...common,
    isolate: false,
    include: ["test/tidy.test.ts", "test/{mesh/core,node/{admission,config,cookie,origin}}/**/*.test.ts", PARSERS],
    exclude: [
      "test/mesh/core/{members/leaving-together,members/members,replica/replica,wire/packed}.test.ts",
      "test/node/admission/mesh/{ramp,mesh-room,paced-order}.test.ts",
      "test/node/admission/{line,sorted-places,wait}.test.ts",
      "test/**/*linear.test.ts",
    ],
  },
});
