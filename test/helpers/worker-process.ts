/**
 * A real process for tests that kill: a worker inside the test can't show the effect of a signal. It runs a script
 * by `node` itself rather than by a launcher, so that signals reach it.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { compiledFrom } from "./compiled.ts";
import { eventually } from "./eventually.ts";
import { atFileEnd } from "./file-end.ts";

export interface WorkerProcessOptions {
  readonly args?: readonly string[];
  /** Added to the environment of the tests. */
  readonly env?: Readonly<Record<string, string>>;
  /** Default: that of the tests. */
  readonly cwd?: string;
  /** For node. */
  readonly flags?: readonly string[];
}

const FROM_SOURCE = ["--import", import.meta.resolve("tsx"), "--conditions=oxbow-source"];

/** The arguments for node that run a script: compiled, or from the source if no project has it. */
function commandOf(script: URL): readonly string[] {
  const path = fileURLToPath(script);
  if (!path.endsWith(".ts")) return [path];
  const compiled = compiledFrom(script);
  return compiled === undefined ? [...FROM_SOURCE, path] : [compiled];
}

/** How a process ended. */
export interface ProcessEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/**
 * Starts a script.
 *
 * @param script url of a file: `new URL("order-worker.ts", import.meta.url)`
 * @example
 * await using worker = startWorkerProcess(new URL("order-worker.ts", import.meta.url), { args: [url] });
 * await worker.line(/^serving/);
 * await worker.kill();
 */
export function startWorkerProcess(
  script: URL,
  { args = [], env = {}, cwd, flags = [] }: WorkerProcessOptions = {},
): WorkerProcess {
  const child = spawn(process.execPath, [...flags, ...commandOf(script), ...args], {
    env: { ...process.env, NODE_OPTIONS: "", ...env },
    stdio: ["ignore", "pipe", "pipe"],
    ...(cwd === undefined ? {} : { cwd }),
  });
  const worker = new WorkerProcess(child);
  atFileEnd(() => worker.kill());
  return worker;
}

export class WorkerProcess {
  /** The process's output so far, standard output and errors, a line each. */
  readonly output: string[] = [];
  readonly #child: ChildProcess;
  readonly #ended: Promise<ProcessEnd>;

  constructor(child: ChildProcess) {
    this.#child = child;
    this.#ended = once(child, "close").then(() => ({
      code: child.exitCode,
      signal: child.signalCode,
    }));
    for (const stream of [child.stdout, child.stderr]) {
      if (stream !== null) this.#record(stream);
    }
  }

  get pid(): number {
    if (this.#child.pid === undefined) throw new Error("The process could not be started.");
    return this.#child.pid;
  }

  /** Waits for a line that matches, also among those printed before, and returns it. */
  async line(pattern: RegExp, { withinMs = 60_000 } = {}): Promise<string> {
    await eventually(
      () => this.output,
      () => this.#find(pattern) !== undefined || this.#hasEnded(),
      { withinMs },
    );
    const line = this.#find(pattern);
    if (line !== undefined) return line;
    throw new Error(
      `The process ended without a line ${String(pattern)}:\n${this.output.join("\n")}`,
    );
  }

  /** SIGKILL: the process gets no chance to do anything. Resolves when it is gone. */
  kill(): Promise<ProcessEnd> {
    return this.#end("SIGKILL");
  }

  /** SIGTERM: asks the process to stop. Resolves when it has. */
  stop(): Promise<ProcessEnd> {
    return this.#end("SIGTERM");
  }

  /** SIGSTOP: the process stands still, holding whatever it holds, as in a long pause of its machine. */
  freeze(): void {
    this.#child.kill("SIGSTOP");
  }

  /** SIGCONT: the frozen process continues. */
  thaw(): void {
    this.#child.kill("SIGCONT");
  }

  /** Waits until the process ends by itself. */
  end(): Promise<ProcessEnd> {
    return this.#ended;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill();
  }

  #end(signal: NodeJS.Signals): Promise<ProcessEnd> {
    if (!this.#hasEnded()) this.#child.kill(signal);
    return this.#ended;
  }

  #record(stream: Readable): void {
    createInterface(stream).on("line", (line) => {
      this.output.push(line);
    });
  }

  #hasEnded(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  #find(pattern: RegExp): string | undefined {
    return this.output.find((line) => pattern.test(line));
  }
}
