/** Runs one scenario of one system in a separate process group with a time limit, and cleans up after it. */
import { fork } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Outcome } from "./systems/measure.ts";

export interface Order {
  readonly system: string;
  readonly scenario: string;
  readonly url: string;
  readonly scale: number;
}

/** Limit of one measurement. Slow systems take about a minute for the longest. */
const LIMIT_MS = Number(process.env["LIMIT"] ?? 180) * 1_000;
/** How much of what it printed is shown when it fails. */
const TAIL = 2_000;

/** Running process groups, each with a directory for its files. */
const groups = new Map<number, string>();

export async function runSystem({ system, scenario, url, scale }: Order): Promise<Outcome> {
  const script = fileURLToPath(new URL("systems/measure.ts", import.meta.url));
  const scratch = mkdtempSync(join(tmpdir(), "oxbow-bench-"));
  const child = fork(script, [system, scenario, url, String(scale)], {
    // Leads a group: a signal to the group reaches whatever it has started.
    detached: true,
    execPath: nodeForSystems(),
    execArgv: ["--import", "tsx", "--disable-warning=ExperimentalWarning"],
    stdio: ["ignore", "pipe", "pipe", "ipc"],
    env: { ...process.env, BENCH_SCRATCH: scratch },
  });
  const { pid } = child;
  if (pid === undefined) return { kind: "failed", reason: "Its process could not be started." };
  groups.set(pid, scratch);
  let printed = "";
  const keep = (chunk: Buffer): void => {
    printed = (printed + chunk.toString()).slice(-TAIL);
  };
  child.stdout?.on("data", keep);
  child.stderr?.on("data", keep);
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(), LIMIT_MS);
  const outcome = await Promise.race([
    once(child, "message", { signal: limit.signal }).then(([told]) => told as Outcome),
    once(child, "exit").then(([code, signal]) =>
      ended(`it ended by itself (${String(signal ?? code)})`),
    ),
  ]).catch(() => ended(`no result within ${LIMIT_MS / 1_000} s`));
  clearTimeout(timer);
  end(pid, scratch);
  if (outcome.kind === "failed" && printed !== "") console.error(indented(printed));
  return outcome;
}

const ended = (how: string): Outcome => ({ kind: "failed", reason: how });

/** Immediately ends whatever is being measured. */
export function endAll(): void {
  for (const [pid, scratch] of groups) end(pid, scratch);
}

function end(pid: number, scratch: string): void {
  groups.delete(pid);
  try {
    process.kill(-pid, "SIGKILL");
  } catch (error) {
    // Nothing of it was left.
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
  // Killed processes may be writing for another moment.
  rmSync(scratch, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
}

const indented = (text: string): string => text.trimEnd().replaceAll(/^/gm, "    | ");

/** Some peers need a newer Node than Oxbow does. One is installed with them, and then all systems run on it. */
export function nodeForSystems(): string {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  if (major > 22 || (major === 22 && minor >= 18)) return process.execPath;
  const platform = `${process.platform}-${process.arch}`;
  const names = [`node-${platform}`, `node-bin-${platform}`];
  const paths = names.map((name) =>
    fileURLToPath(new URL(`peers/node_modules/${name}/bin/node`, import.meta.url)),
  );
  return paths.find((path) => existsSync(path)) ?? process.execPath;
}
