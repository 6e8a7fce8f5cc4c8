/** The components of the guide "Show a run to its user", as modules that tests load. */
import { build, type Plugin } from "esbuild";
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { allBlocksOf, readPage, ROOT } from "../docs/pages.ts";
import { atFileEnd } from "../helpers/file-end.ts";

const GUIDE = "docs/guides/show-a-run.md";
const [app = "", runPage = ""] = allBlocksOf(readPage(GUIDE))
  .filter(({ language }) => language === "tsx")
  .map(({ code }) => code);

/**
 * Writes the blocks into a folder, as the files of an application.
 *
 * @param url of the Oxbow server
 */
export function writeGuide(url: string, files: Readonly<Record<string, string>> = {}): string {
  // Within the repository, so that the packages are found.
  mkdirSync(join(ROOT, ".tmp"), { recursive: true });
  const folder = mkdtempSync(join(ROOT, ".tmp", "react-guide-"));
  atFileEnd(() => rm(folder, { recursive: true }));
  const all = {
    "app.tsx": app.replace("https://oxbow.example.com", url),
    "run-page.tsx": runPage,
    "workflows.ts": `export type { onboardUser } from ${JSON.stringify(join(ROOT, "test/react/workflows.ts"))};`,
    "client.ts": `import type { WorkflowClient } from "@oxbow/sdk";
export const client = (globalThis as unknown as { client: WorkflowClient }).client;`,
    ...files,
  };
  for (const [name, text] of Object.entries(all)) writeFileSync(join(folder, name), text);
  return folder;
}

/** Styles are no business of Node. */
const withoutStyles: Plugin = {
  name: "without styles",
  setup(building) {
    building.onLoad({ filter: /\.css$/ }, () => ({ contents: "" }));
  },
};

/** Compiles a file of the folder for Node, with the copies of React and the SDK that the tests have. */
export async function forNode(folder: string, file: string): Promise<string> {
  const outfile = join(folder, file.replace(/\.tsx$/, ".mjs"));
  await build({
    entryPoints: [join(folder, file)],
    bundle: true,
    platform: "node",
    format: "esm",
    jsx: "automatic",
    external: ["react", "react/*", "@oxbow/react", "@oxbow/sdk"],
    plugins: [withoutStyles],
    outfile,
  });
  return outfile;
}
