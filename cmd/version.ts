/** Which anteroom this is. */

import manifest from "../package.json" with { type: "json" };

/** The version of this anteroom, as in package.json. */
export const VERSION: string = manifest.version;
