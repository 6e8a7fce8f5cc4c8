import { fileURLToPath } from "node:url";
import { releaseVersion } from "../../extension-sql/release/agreement.ts";

/** The version of this source. */
export const VERSION: string = releaseVersion(fileURLToPath(new URL("../..", import.meta.url)));
