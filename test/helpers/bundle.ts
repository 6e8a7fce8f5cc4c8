/**
 * Joins each process that tests start with all of its imports in a few files. Node spends 0.2 to 0.9 seconds of CPU on
 * loading the packages and their dependencies file by file, and a run of the tests starts hundreds of processes.
 *
 * The code is that of the compiled packages, in a mirror of the repository, together with the files that it reads by
 * their paths. `make test-system` and `make test-packages` test the packages as they are published.
 */
import { build, type Plugin } from "esbuild";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { latestChange } from "../../dashboard/build.ts";
import { BUNDLED, MIRROR, ROOT } from "./compiled.ts";

const PROGRAMS = join(ROOT, ".tmp/programs");
/** Except the compiled files. */
const OTHER_SOURCES = [
  join(ROOT, "package-lock.json"),
  ...BUNDLED.map((name) => join(ROOT, name, "package.json")),
  join(ROOT, "server/bin"),
  fileURLToPath(import.meta.url),
];
/** Written last. */
const DONE = ".done";

/** Files that the packages and the tests start by their paths, except the programs of tests. */
const STARTED = [
  "declared/dist/sandbox/sandbox-thread.js",
  "sdk/dist/testing/embedded/watchdog.js",
  "server/dist/cli/execute.js",
  "server/dist/cli/index.js",
  "server/dist/dev/worker-main.js",
  "server/dist/main.js",
];
/** Files and folders that the packages read by their paths. */
const READ = [
  "declared/package.json",
  "fleet/package.json",
  "sdk/package.json",
  "sdk/sql",
  "server/dist/dashboard",
  "server/package.json",
];

/** The place of a compiled file in the mirror. */
function mirrored(path: string): string {
  const inPrograms = relative(PROGRAMS, path);
  return join(MIRROR, inPrograms.startsWith("..") ? relative(ROOT, path) : inPrograms);
}

/** Writes the mirror, unless it is newer than all of its sources: another run may be using it. */
export async function bundle(): Promise<void> {
  const sources = [PROGRAMS, ...BUNDLED.map((name) => join(ROOT, name, "dist")), ...OTHER_SOURCES];
  const done = join(MIRROR, DONE);
  if (existsSync(done) && statSync(done).mtimeMs >= Math.max(...sources.map(latestChange))) return;
  const draft = mkdtempSync(`${MIRROR}.`);
  try {
    await writeTo(draft);
    replaceMirror(draft);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

async function writeTo(folder: string): Promise<void> {
  const entries = [...STARTED.map((path) => join(ROOT, path)), ...doors(), ...programs()];
  await build({
    entryPoints: entries.map((path) => ({
      in: path,
      out: relative(MIRROR, mirrored(path)).replace(/\.js$/, ""),
    })),
    outdir: folder,
    absWorkingDir: ROOT,
    bundle: true,
    splitting: true,
    platform: "node",
    format: "esm",
    target: "node20",
    logLevel: "error",
    // For the dependencies that are CommonJS.
    banner: {
      js: 'import { createRequire as $require } from "node:module"; const require = $require(import.meta.url);',
    },
    plugins: [onlyDependenciesOfPackages, ownPlaces],
  });
  for (const path of READ) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    symlinkSync(join(ROOT, path), join(folder, path));
  }
  // No link: node would resolve its imports from the target.
  cpSync(join(ROOT, "server/bin"), join(folder, "server/bin"), { recursive: true });
  writeFileSync(join(folder, DONE), "");
}

/** Puts a folder in the place of the mirror, unless a run that began at the same time was faster. */
function replaceMirror(folder: string): void {
  const old = `${folder}.old`;
  try {
    renameSync(MIRROR, old);
  } catch {
    // It does not exist.
  }
  try {
    renameSync(folder, MIRROR);
  } catch (error) {
    if (!existsSync(join(MIRROR, DONE))) throw error;
  }
  rmSync(old, { recursive: true, force: true });
}

interface Manifest {
  readonly exports: Readonly<Record<string, { readonly default: string }>>;
  readonly dependencies: Readonly<Record<string, string>>;
}

const manifestOf = (name: string): Manifest =>
  JSON.parse(readFileSync(join(ROOT, name, "package.json"), "utf8")) as Manifest;

/** The entries that the packages export. */
function doors(): string[] {
  return BUNDLED.flatMap((name) =>
    Object.values(manifestOf(name).exports).map((door) => join(ROOT, name, door.default)),
  );
}

/** The compiled programs of tests, and the examples. */
function programs(): string[] {
  return (readdirSync(PROGRAMS, { recursive: true }) as string[])
    .filter((path) => /^(?:test\/[^/]+\/programs|examples)\/[^/]+\.js$/.test(path))
    .map((path) => join(PROGRAMS, path));
}

/** Leaves out what only tests depend on, and compilers for the sources of users. */
const onlyDependenciesOfPackages: Plugin = {
  name: "only dependencies of packages",
  setup(building) {
    const known = new Set(BUNDLED.flatMap((name) => Object.keys(manifestOf(name).dependencies)));
    building.onResolve({ filter: /^[^./#]/ }, ({ path, importer, kind }) => {
      // A part that is split off has no named exports if it is CommonJS.
      if (kind === "dynamic-import" && !path.startsWith("@oxbow/")) return { path, external: true };
      const name = path.split("/", path.startsWith("@") ? 2 : 1).join("/");
      const isInside = known.has(name) || importer.includes("/node_modules/");
      return isInside && name !== "pg-native" ? undefined : { path, external: true };
    });
  },
};

/**
 * Lets a file look for others from its original place rather than from the file that it is joined into: ours in the
 * mirror, dependencies in node_modules.
 */
const ownPlaces: Plugin = {
  name: "own places",
  setup(building) {
    building.onLoad({ filter: /\.m?js$/ }, ({ path }) => {
      const contents = readFileSync(path, "utf8");
      const place = path.includes("/node_modules/") ? path : mirrored(path);
      const url = JSON.stringify(pathToFileURL(place).href);
      return contents.includes("import.meta.url")
        ? { contents: contents.replaceAll("import.meta.url", url), loader: "js" }
        : undefined;
    });
  },
};
