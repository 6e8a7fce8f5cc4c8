/** Dockerfiles: read, and carried out in folders of this machine instead of containers. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, existsSync, mkdirSync, readFileSync, statSync } from "node:fs";
import { basename, join, relative } from "node:path";
import { text } from "node:stream/consumers";

export interface Instruction {
  readonly name: string;
  readonly text: string;
}

interface Stage {
  readonly name: string;
  readonly from: string;
  readonly instructions: readonly Instruction[];
}

/** The result of a stage. */
export interface StageResult {
  /** The folder that stands for "/". */
  readonly root: string;
  readonly workdir: string;
  readonly env: Readonly<Record<string, string>>;
  /** The last of each instruction. */
  readonly settings: ReadonlyMap<string, string>;
}

export interface CarryOutOptions {
  /** The folder that COPY takes from. */
  readonly context: string;
  readonly folder: string;
  /** Environment of the processes that RUN starts. */
  readonly env: NodeJS.ProcessEnv;
  /** Does what a RUN would do; false: it is run. */
  readonly instead: (command: string, workdir: string) => boolean;
}

export function readInstructions(path: string): Instruction[] {
  const lines = readFileSync(path, "utf8").split("\n");
  const whole = lines.filter((line) => !line.startsWith("#")).join("\n");
  return whole
    .replaceAll("\\\n", " ")
    .split("\n")
    .flatMap((line) => {
      const [, name, rest] = /^([A-Z]+)\s+(.*)$/.exec(line.trim()) ?? [];
      return name === undefined || rest === undefined ? [] : [{ name, text: rest.trim() }];
    });
}

/** The arguments of a COPY, without its flags. */
export function readCopy(words: string): {
  readonly from: string | undefined;
  readonly sources: string[];
  readonly target: string;
} {
  const all = words.split(/\s+/);
  const paths = all.filter((word) => !word.startsWith("--"));
  return {
    from: all.find((word) => word.startsWith("--from="))?.slice("--from=".length),
    sources: paths.slice(0, -1),
    target: paths.at(-1) ?? "",
  };
}

/** Carries out all stages; resolves with them by their names, the last one as "". */
export async function carryOut(
  dockerfile: string,
  options: CarryOutOptions,
): Promise<Map<string, StageResult>> {
  const isIgnored = readIgnored(join(options.context, ".dockerignore"));
  const done = new Map<string, StageResult>();
  for (const stage of stagesOf(readInstructions(dockerfile))) {
    done.set(stage.name, await carryOutStage(stage, done, isIgnored, options));
  }
  return done;
}

function stagesOf(instructions: readonly Instruction[]): Stage[] {
  const values = new Map<string, string>();
  const fill = (words: string): string =>
    words.replaceAll(/\$\{(\w+)\}/g, (whole, name: string) => values.get(name) ?? whole);
  const stages: { name: string; from: string; instructions: Instruction[] }[] = [];
  for (const { name, text: words } of instructions) {
    if (name === "ARG") {
      const [key = "", value] = words.split("=");
      if (value !== undefined) values.set(key, value);
    } else if (name === "FROM") {
      const [from = "", , as = ""] = fill(words).split(/\s+/);
      stages.push({ name: as, from, instructions: [] });
    } else stages.at(-1)?.instructions.push({ name, text: fill(words) });
  }
  return stages;
}

async function carryOutStage(
  { name, from, instructions }: Stage,
  done: ReadonlyMap<string, StageResult>,
  isIgnored: (path: string) => boolean,
  { context, folder, env, instead }: CarryOutOptions,
): Promise<StageResult> {
  const base = done.get(from);
  const root = join(folder, name === "" ? "last" : name);
  let workdir = base === undefined ? root : join(root, relative(base.root, base.workdir));
  const own: Record<string, string> = { ...base?.env };
  const settings = new Map<string, string>(base?.settings);
  mkdirSync(root, { recursive: true });
  if (base !== undefined) cpSync(base.root, root, { recursive: true, verbatimSymlinks: true });
  for (const { name: verb, text: words } of instructions) {
    if (verb === "WORKDIR") {
      workdir = join(root, words);
      mkdirSync(workdir, { recursive: true });
    } else if (verb === "ENV") {
      const [key = "", value = ""] = words.split("=");
      own[key] = value;
    } else if (verb === "COPY") {
      const copy = readCopy(words);
      const source = copy.from === undefined ? context : done.get(copy.from)?.root;
      if (source === undefined) throw new Error(`${words}: there is no stage ${copy.from}`);
      const goesInto = copy.target.endsWith("/") || copy.sources.length > 1;
      for (const path of copy.sources) {
        const found = join(source, path);
        const target = join(copy.target.startsWith("/") ? root : workdir, copy.target);
        const isFolder = statSync(found).isDirectory();
        cpSync(found, isFolder || !goesInto ? target : join(target, basename(path)), {
          recursive: true,
          verbatimSymlinks: true,
          // As COPY does.
          preserveTimestamps: true,
          filter: (one) => copy.from !== undefined || !isIgnored(relative(context, one)),
        });
      }
    } else if (verb === "RUN") {
      if (!instead(words, workdir)) await run(words, workdir, { ...env, ...own });
    } else settings.set(verb, words);
  }
  return { root, workdir, env: own, settings };
}

async function run(command: string, cwd: string, env: NodeJS.ProcessEnv): Promise<void> {
  const child = spawn("sh", ["-c", command], { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
  const [stdout, stderr] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, "close"),
  ]);
  if (child.exitCode !== 0) {
    throw new Error(`RUN ${command} ended with ${child.exitCode}: ${stderr}${stdout}`);
  }
}

/** Reads only what ours uses of the language of .dockerignore: paths, and a name at any depth. */
function readIgnored(path: string): (path: string) => boolean {
  const lines = existsSync(path) ? readFileSync(path, "utf8").split("\n") : [];
  const patterns = lines
    .filter((line) => line !== "" && !line.startsWith("#"))
    .map((line) => {
      const words = line
        .replaceAll(/[.+]/g, String.raw`\$&`)
        .replaceAll(/(?<!\*)\*(?!\*)/g, "[^/]*");
      return new RegExp(`^${words.replaceAll("**/", "(?:.*/)?")}(?:/|$)`);
    });
  return (one) => one !== "" && patterns.some((pattern) => pattern.test(one));
}
