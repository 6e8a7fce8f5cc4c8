/** Loads what files export that a worker can serve: workflows, and sources of definitions. */
import type { ServableWorkflow, WorkflowSource } from "@oxbow/sdk/runtime";
import { relative } from "node:path";
import { pathToFileURL } from "node:url";

type AnyWorkflow = ServableWorkflow<unknown, unknown, never>;

export interface Servable {
  readonly workflows: readonly AnyWorkflow[];
  /** Definitions, by their pools. */
  readonly sources: readonly WorkflowSource[];
  /** The files that export neither, such as helpers of the others. */
  readonly emptyFiles: readonly string[];
}

/** Rejects with what a file throws, and if no file exports anything to serve. */
export async function loadServable(files: readonly string[]): Promise<Servable> {
  const workflows = new Set<AnyWorkflow>();
  const sources = new Set<WorkflowSource>();
  const emptyFiles: string[] = [];
  for (const file of files) {
    const values = await exportsOf(file);
    const ownWorkflows = values.filter(isWorkflow);
    const ownSources = values.filter(isSource);
    if (ownWorkflows.length + ownSources.length === 0) emptyFiles.push(file);
    for (const one of ownWorkflows) workflows.add(one);
    for (const one of ownSources) sources.add(one);
  }
  if (emptyFiles.length === files.length) throw exportsNothing(emptyFiles);
  return { workflows: [...workflows], sources: [...sources], emptyFiles };
}

export function exportsNothing(files: readonly string[]): Error {
  const names = files.map((file) => relative(process.cwd(), file)).join(", ");
  const verb = files.length === 1 ? "exports" : "export";
  return new Error(
    `${names} ${verb} no workflow and no definitions: export the result of workflow(), as in export const hello = workflow({ … }), or of createDefinitions()`,
  );
}

/** All exports of a CommonJS module are in `default`. */
async function exportsOf(file: string): Promise<unknown[]> {
  const exported = (await import(pathToFileURL(file).href)) as Record<string, unknown>;
  return [exported, exported["default"]].flatMap((holder) =>
    typeof holder === "object" && holder !== null ? (Object.values(holder) as unknown[]) : [],
  );
}

// Neither compares classes, because the file may import another copy of the SDK.

function isWorkflow(value: unknown): value is AnyWorkflow {
  if (typeof value !== "object" || value === null) return false;
  const { name, version, run, serve } = value as Record<string, unknown>;
  return (
    typeof name === "string" &&
    typeof version === "number" &&
    typeof run === "function" &&
    typeof serve === "function"
  );
}

function isSource(value: unknown): value is WorkflowSource {
  if (typeof value !== "object" || value === null) return false;
  const { pools, resolve } = value as Record<string, unknown>;
  return Array.isArray(pools) && typeof resolve === "function";
}
