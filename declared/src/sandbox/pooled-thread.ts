/** A thread of the pool, from its start until it is gone. It keeps the process alive only while it has a task. */
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { extname } from "node:path";
import { Worker } from "node:worker_threads";
import type { SandboxEnd, SandboxJob, ThreadMessage } from "./sandbox-job.ts";

/** A call that waits for its end. */
export interface Task {
  readonly job: SandboxJob;
  readonly resolve: (end: SandboxEnd) => void;
  readonly reject: (error: unknown) => void;
  /** A thread died in it before. */
  isRepeated: boolean;
}

export interface PooledThreadOptions {
  /** It takes a task. */
  readonly onIdle: () => void;
  /** It has ended, perhaps with a task that is not done. */
  readonly onGone: (task: Task | undefined, error: Error) => void;
}

/** How far beyond its time limit a call may be before the thread is ended. */
const GRACE = 1.5;

// From the source or compiled, the program of the thread is in the folder of this file.
const PROGRAM = new URL(`./sandbox-thread${extname(import.meta.url)}`, import.meta.url);

/** A global of the platform; TypeScript has its types only for browsers. */
declare const WebAssembly: { readonly compile: (bytes: Uint8Array) => Promise<unknown> };

let interpreter: Promise<unknown> | undefined;

/** Compiles QuickJS once for all threads, which share the machine code that V8 optimizes while they call it. */
async function compiledInterpreter(): Promise<unknown> {
  const wasm = createRequire(PROGRAM).resolve("@jitl/quickjs-wasmfile-release-sync/wasm");
  interpreter ??= readFile(wasm).then((bytes) => WebAssembly.compile(bytes));
  try {
    return await interpreter;
  } catch (error) {
    interpreter = undefined;
    throw error;
  }
}

/** Limits of the memory outside of WebAssembly. */
const RESOURCE_LIMITS = { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 16 };

export class PooledThread {
  readonly #worker = new Worker(PROGRAM, {
    name: "oxbow-sandbox",
    env: {},
    argv: [],
    resourceLimits: RESOURCE_LIMITS,
    // WebAssembly that aborts prints a line.
    stdout: true,
    stderr: true,
  });
  readonly #options: PooledThreadOptions;
  #state: "starting" | "idle" | "busy" | "ending" = "starting";
  #group: string | undefined;
  #task: Task | undefined;
  #overdue: NodeJS.Timeout | undefined;
  #error = new Error("A thread of the sandbox ended.");

  constructor(options: PooledThreadOptions) {
    this.#options = options;
    this.#worker.stdout.resume();
    this.#worker.stderr.resume();
    this.#worker.on("message", (message: ThreadMessage) => this.#receive(message));
    this.#worker.on("error", (error: Error) => this.#fail(error));
    this.#worker.on("exit", () => this.#gone());
    compiledInterpreter().then(
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- Threads have no origin.
      (module) => this.#worker.postMessage(module),
      (error: unknown) => {
        this.#error = error as Error;
        this.end();
      },
    );
  }

  get isIdle(): boolean {
    return this.#state === "idle";
  }

  get isStarting(): boolean {
    return this.#state === "starting";
  }

  /** Group of the last call. */
  get group(): string | undefined {
    return this.#group;
  }

  has(task: Task): boolean {
    return this.#task === task;
  }

  begin(task: Task): void {
    this.#state = "busy";
    this.#task = task;
    this.#group = task.job.group;
    this.#worker.ref();
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- Threads have no origin.
    this.#worker.postMessage(task.job);
  }

  /** Ends the thread, whatever it is doing. Its task is not answered. */
  end(): void {
    this.#state = "ending";
    this.#task = undefined;
    clearTimeout(this.#overdue);
    this.#worker.terminate().catch(() => {});
  }

  #receive(message: ThreadMessage): void {
    if (this.#state === "ending") return;
    switch (message.kind) {
      case "ready":
        this.#rest();
        break;
      case "begun": {
        const { timeMs } = this.#task?.job.limits ?? { timeMs: 0 };
        this.#overdue = setTimeout(
          () => this.#stop({ kind: "limit", limit: "time" }),
          timeMs * GRACE,
        );
        break;
      }
      case "ended":
        if (message.end.kind === "limit") this.#stop(message.end);
        else this.#finish(message.end);
        break;
      default:
        message satisfies never;
    }
  }

  /** The thread reports when it takes another task: it dies if it can't free what this one has left. */
  #finish(end: SandboxEnd): void {
    clearTimeout(this.#overdue);
    const task = this.#task;
    this.#task = undefined;
    task?.resolve(end);
  }

  /** Answers the task, and throws the instance away. */
  #stop(end: SandboxEnd): void {
    const task = this.#task;
    this.end();
    task?.resolve(end);
  }

  #rest(): void {
    this.#state = "idle";
    this.#worker.unref();
    this.#options.onIdle();
  }

  #fail(error: Error): void {
    this.#error = error;
    const { code } = error as { readonly code?: unknown };
    if (code === "ERR_WORKER_OUT_OF_MEMORY") this.#stop({ kind: "limit", limit: "memory" });
  }

  #gone(): void {
    clearTimeout(this.#overdue);
    this.#state = "ending";
    const task = this.#task;
    this.#task = undefined;
    this.#options.onGone(task, this.#error);
  }
}
