/** What `oxbow worker` and `oxbow server --worker` serve: what files export, or without files definitions of built-in nodes. */
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { nodeVariables } from "../config.ts";
import { describeLoadFailure } from "../dev/load-failure.ts";
import { environmentDefinitions } from "../worker/environment-definitions.ts";
import { exportsNothing, loadServable, type Servable } from "../worker/servable-files.ts";
import { readTypeScript } from "../worker/typescript.ts";
import { CommandFailure, EXIT, notFound } from "./exit-codes.ts";
import { servedNames } from "./show.ts";

export interface ServedParts extends Pick<Servable, "workflows" | "sources"> {
  /** In words, a line each. */
  readonly lines: readonly string[];
  readonly close: () => Promise<void>;
}

export const DEFAULT_POOL = "default";

/** @param pool Of definitions of built-in nodes; files name those of theirs. */
export async function servedParts(
  files: readonly string[],
  pool = DEFAULT_POOL,
): Promise<ServedParts> {
  if (files.length === 0) {
    const { source, offers, close } = await environmentDefinitions(pool);
    const lines = [serving([], [source])];
    if (offers.length > 0) lines.push(`Definitions may use: ${offers.join(", ")}.`);
    return { workflows: [], sources: [source], lines, close };
  }
  const missing = files.find((file) => !existsSync(file));
  if (missing !== undefined) {
    throw notFound("FILE_NOT_FOUND", `File "${missing}" doesn't exist.`);
  }
  const { workflows, sources } = await load(files.map((file) => resolve(file)));
  const unread = nodeVariables();
  const lines = [serving(workflows, sources)];
  if (unread.length > 0) {
    lines.push(
      `Not read, because files are given: ${unread.join(", ")}. Pass data sources and secrets to createDefinitions().`,
    );
  }
  return { workflows, sources, lines, close: async () => {} };
}

async function load(files: readonly string[]): Promise<Servable> {
  try {
    if (files.some((file) => /\.[cm]?tsx?$/.test(file))) await readTypeScript();
    const servable = await loadServable(files);
    // A file that is named and serves nothing has lost an export, whose runs would wait.
    if (servable.emptyFiles.length > 0) throw exportsNothing(servable.emptyFiles);
    return servable;
  } catch (error) {
    throw new CommandFailure(
      EXIT.failed,
      "LOAD_FAILED",
      `Can't serve your workflows: ${describeLoadFailure(error, process.cwd())}`,
    );
  }
}

const serving = (workflows: Servable["workflows"], sources: Servable["sources"]): string =>
  `Serving ${servedNames({ workflows, pools: sources.flatMap(({ pools }) => pools) })}.`;
