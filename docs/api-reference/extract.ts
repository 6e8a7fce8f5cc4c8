/**
 * Reads the declarations that `tsc -b` wrote for each public door: an API report, whose diff shows every change of the
 * public types to a reviewer, and the model from which the reference is rendered.
 */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import {
  CompilerState,
  Extractor,
  ExtractorConfig,
  type ExtractorLogLevel,
  type IExtractorConfigPrepareOptions,
} from "@microsoft/api-extractor";
import { type Door, DOORS } from "./doors.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const TEMPORARY = join(ROOT, ".tmp", "api-reference");

/**
 * Writes the models, and compares the API reports, or writes them.
 *
 * @returns The doors whose report differed.
 */
export function extract({ writes }: { readonly writes: boolean }): readonly Door[] {
  return [...new Set(DOORS.map(({ folder }) => folder))].flatMap((folder) =>
    extractPackage(
      DOORS.filter((door) => door.folder === folder),
      writes,
    ),
  );
}

/** The doors of a package share one program of the compiler. */
function extractPackage(doors: readonly Door[], writes: boolean): Door[] {
  const configs = doors.map((door) => configOf(door));
  const [first, ...others] = configs;
  if (first === undefined) return [];
  const compilerState = CompilerState.create(first, {
    additionalEntryPoints: others.map(({ mainEntryPointFilePath }) => mainEntryPointFilePath),
  });
  return doors.filter((_, index) => {
    const result = Extractor.invoke(configs[index] ?? first, {
      localBuild: writes,
      compilerState,
      messageCallback: (message) => {
        message.handled = true;
      },
    });
    return result.apiReportChanged;
  });
}

export function modelPath({ folder, entry }: Door): string {
  return join(TEMPORARY, folder, `${entry}.api.json`);
}

function configOf(door: Door): ExtractorConfig {
  const home = join(ROOT, door.folder);
  const temporary = join(TEMPORARY, door.folder);
  mkdirSync(temporary, { recursive: true });
  mkdirSync(join(home, "api"), { recursive: true });
  const silent = { default: { logLevel: "none" as ExtractorLogLevel } };
  const options: IExtractorConfigPrepareOptions = {
    packageJsonFullPath: join(home, "package.json"),
    configObjectFullPath: undefined,
    configObject: {
      projectFolder: home,
      mainEntryPointFilePath: join(home, "dist", `${door.entry}.d.ts`),
      // The declarations of other packages, as users have them, rather than their source: it would be checked once more.
      compiler: {
        overrideTsconfig: {
          extends: join(home, "tsconfig.json"),
          compilerOptions: { customConditions: [] },
        },
      },
      newlineKind: "lf",
      apiReport: {
        enabled: true,
        reportFileName: door.entry,
        reportFolder: join(home, "api"),
        reportTempFolder: temporary,
      },
      docModel: { enabled: true, apiJsonFilePath: modelPath(door) },
      dtsRollup: { enabled: false },
      tsdocMetadata: { enabled: false },
      messages: {
        compilerMessageReporting: silent,
        extractorMessageReporting: silent,
        tsdocMessageReporting: silent,
      },
    },
  };
  return ExtractorConfig.prepare(options);
}
