/** The create scripts of releases, as they were released: compressed, since they are neither edited nor searched. */
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";

const FOLDER = fileURLToPath(new URL("released", import.meta.url));

/** The versions whose scripts are in a folder `released/`, in the order of their files. */
export function releasedVersions(folder: string = FOLDER): string[] {
  return readdirSync(folder)
    .toSorted()
    .map((name) => {
      const version = /^oxbow--(\d+\.\d+\.\d+)\.sql\.gz$/.exec(name)?.[1];
      if (version === undefined)
        throw new Error(`${name}: a release is kept as oxbow--X.Y.Z.sql.gz`);
      return version;
    });
}

export function releasedScript(version: string, folder: string = FOLDER): string {
  return gunzipSync(readFileSync(`${folder}/oxbow--${version}.sql.gz`)).toString();
}
