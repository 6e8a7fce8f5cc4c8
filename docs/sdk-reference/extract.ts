/**
 * Reads the declarations that `tsc -b sdk` wrote for each public door of the SDK: an API report, whose diff shows every
 * change of the public types to a reviewer, and the model from which the reference is rendered.
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

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const SDK = join(ROOT, "sdk");
const TEMPORARY = join(ROOT, ".tmp", "sdk-reference");

/** The public doors; `internal` promises nothing. */
export const DOORS = ["index", "runtime", "testing"] as const;
export type Door = (typeof DOORS)[number];

/** Writes the models, and compares the reports in `sdk/api/`, or writes them if `writes` is true. */
export function extract(writes: boolean): { readonly changed: readonly Door[] } {
  mkdirSync(TEMPORARY, { recursive: true });
  const configs = DOORS.map((door) => configOf(door));
  const [first, ...others] = configs;
  if (first === undefined) return { changed: [] };
  const compilerState = CompilerState.create(first, {
    additionalEntryPoints: others.map(({ mainEntryPointFilePath }) => mainEntryPointFilePath),
  });
  const changed = DOORS.filter((_, index) => {
    const result = Extractor.invoke(configs[index] ?? first, {
      localBuild: writes,
      compilerState,
      messageCallback: (message) => {
        message.handled = true;
      },
    });
    return result.apiReportChanged;
  });
  return { changed };
}

export function modelPath(door: Door): string {
  return join(TEMPORARY, `${door}.api.json`);
}

function configOf(door: Door): ExtractorConfig {
  const silent = { default: { logLevel: "none" as ExtractorLogLevel } };
  const options: IExtractorConfigPrepareOptions = {
    packageJsonFullPath: join(SDK, "package.json"),
    configObjectFullPath: undefined,
    configObject: {
      projectFolder: SDK,
      mainEntryPointFilePath: join(SDK, "dist", `${door}.d.ts`),
      compiler: { tsconfigFilePath: join(SDK, "tsconfig.json") },
      newlineKind: "lf",
      apiReport: {
        enabled: true,
        reportFileName: door,
        reportFolder: join(SDK, "api"),
        reportTempFolder: TEMPORARY,
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
