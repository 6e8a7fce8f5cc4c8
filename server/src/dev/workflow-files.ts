import { existsSync, readdirSync, statSync } from "node:fs";
import { join, resolve } from "node:path";

const EXTENSIONS = /\.(?:ts|mts|js|mjs)$/;
const NO_WORKFLOWS = /\.(?:d\.m?ts|(?:test|spec)\.\w+)$/;

/** The default files of `oxbow dev`: `workflows.ts`, and the files of the folder `workflows`. */
export function findWorkflowFiles(directory: string): string[] {
  const names = readdirSync(directory).filter((name) =>
    /^workflows\.(?:ts|mts|js|mjs)$/.test(name),
  );
  const folder = join(directory, "workflows");
  const inFolder = isDirectory(folder)
    ? readdirSync(folder)
        .filter((name) => EXTENSIONS.test(name) && !NO_WORKFLOWS.test(name))
        .map((name) => join("workflows", name))
    : [];
  return [...names, ...inFolder].toSorted().map((name) => resolve(directory, name));
}

const isDirectory = (path: string): boolean => existsSync(path) && statSync(path).isDirectory();
