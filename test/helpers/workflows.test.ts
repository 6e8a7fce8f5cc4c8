/** The workflows of GitHub name only what exists here, since nothing else tries them before they are needed. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const WORKFLOWS = join(ROOT, ".github/workflows");

interface Job {
  readonly needs?: string | readonly string[];
  readonly "timeout-minutes"?: number;
  readonly strategy?: { readonly matrix?: unknown };
  readonly steps: readonly { readonly run?: string; readonly uses?: string }[];
}
interface Workflow {
  readonly permissions?: unknown;
  readonly jobs: Readonly<Record<string, Job>>;
}

const read = (path: string): string => readFileSync(join(ROOT, path), "utf8");
const targets = new Set([...read("Makefile").matchAll(/^([a-z-]+):/gm)].map(([, name]) => name));
const scripts = new Set(
  Object.keys((JSON.parse(read("package.json")) as { scripts: object }).scripts),
);

describe.each(readdirSync(WORKFLOWS))("%s", (file) => {
  const workflow = parse(read(`.github/workflows/${file}`)) as Workflow;
  const jobs = Object.values(workflow.jobs);
  const commands = jobs
    .flatMap(({ steps, strategy }) => [...steps.map(({ run = "" }) => run), matrixText(strategy)])
    .join("\n");
  const named = (pattern: RegExp): string[] =>
    [...commands.matchAll(pattern)].flatMap(([, name = ""]) => name.trim().split(/\s+/));

  it("makes targets and runs scripts that exist", () => {
    const made = named(/\bmake ([a-z-]+)/g);
    expect(made.filter((name) => !targets.has(name))).toEqual([]);
    expect(named(/\bnpm run ([\w:-]+)/g).filter((name) => !scripts.has(name))).toEqual([]);
  });

  it("names files and folders that exist", () => {
    const paths = [...named(/\bvitest run ((?:[\w./-]+ ?)+)/g), ...named(/(?:^|\s)(\.ci\/\w+)/gm)];
    expect(paths.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
  });

  it("needs jobs that it has, and ends each", () => {
    const needed = jobs.flatMap(({ needs = [] }) => needs);
    expect(needed.filter((name) => workflow.jobs[name] === undefined)).toEqual([]);
    expect(jobs.filter((job) => job["timeout-minutes"] === undefined)).toEqual([]);
  });

  it("gives its token the right to read, and more only to jobs that name it", () => {
    expect(workflow.permissions).toEqual({ contents: "read" });
  });
});

/** A matrix may hold the commands of its jobs. */
function matrixText(strategy: Job["strategy"]): string {
  return JSON.stringify(strategy?.matrix ?? {}).replaceAll(/["{}[\],]/g, "\n");
}
