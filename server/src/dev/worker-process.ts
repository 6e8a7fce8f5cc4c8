/**
 * Starts the process that serves the workflows of `oxbow dev`, and replaces it when a file that it has imported changes,
 * after the old one has drained.
 *
 * Promises:
 *   D1  At most one process at a time: the next starts when the one before has ended.
 *   D2  A file that can't be loaded is reported once, and loaded again when any source file in its folders changes.
 *   D3  After `stop()` no process remains; a process that doesn't drain in time is killed.
 */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { extname } from "node:path";
import { fileURLToPath } from "node:url";
import { FileWatcher } from "./file-watcher.ts";
import type { Served, WorkerOrder, WorkerReport } from "./messages.ts";

export interface WorkerProcessOptions {
  /** Url of the database; undefined for what its environment names. */
  readonly url: string | undefined;
  readonly files: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly onServing: (served: Served) => void;
  readonly onFailed: (reason: string) => void;
  /** The process is replaced, because a file changed, or because it crashed. */
  readonly onRestart: (why: { readonly changed: string } | { readonly crashed: string }) => void;
}

const DRAIN_MS = 10_000;
const AFTER_CRASH_MS = 1_000;

export class WorkerProcess {
  readonly #options: WorkerProcessOptions;
  readonly #watcher: FileWatcher;
  #child: ChildProcess | undefined;
  #isStopped = false;
  #restart: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: WorkerProcessOptions) {
    this.#options = options;
    this.#watcher = new FileWatcher((changed) => this.#startAnew({ changed }));
    this.#watcher.add(options.files);
  }

  start(): void {
    if (this.#isStopped) return;
    const { url, files, env } = this.#options;
    const program = fileURLToPath(
      new URL(`worker-main${extname(import.meta.url)}`, import.meta.url),
    );
    const child = fork(program, [...files], {
      // Arguments are visible to all users of the machine, and a url may contain a password.
      env: url === undefined ? env : { ...env, QUEUE_URL: url },
      // In a separate process group: the parent handles Ctrl-C, and lets this process drain.
      detached: true,
      stdio: ["ignore", "inherit", "inherit", "ipc"],
    });
    this.#child = child;
    const startedAt = Date.now();
    let state: "loading" | "serving" | "failed" = "loading";
    child.on("message", (report: WorkerReport) => {
      // Messages of a process that is being stopped are ignored.
      if (this.#child !== child) return;
      if (report.kind === "imported") this.#watcher.add(report.files, startedAt);
      else {
        state = report.kind;
        this.#watcher.takeAll(report.kind === "failed");
        if (report.kind === "serving") this.#options.onServing(report);
        else this.#options.onFailed(report.reason);
      }
    });
    child.once("exit", (code, signal) => {
      if (this.#child !== child) return;
      this.#child = undefined;
      if (state === "failed") return;
      const end = signal ?? `exit code ${code}`;
      if (state === "loading") {
        this.#watcher.takeAll(true);
        this.#options.onFailed(`The process that loads them exited (${end}).`);
      } else {
        this.#timer = setTimeout(() => this.#startAnew({ crashed: end }), AFTER_CRASH_MS);
      }
    });
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#watcher.close();
    clearTimeout(this.#timer);
    await this.#restart;
    await this.#end();
  }

  #startAnew(why: Parameters<WorkerProcessOptions["onRestart"]>[0]): void {
    clearTimeout(this.#timer);
    // A process that waits for the old one loads the files as they are then.
    if (this.#isStopped || this.#restart !== undefined) return;
    this.#options.onRestart(why);
    this.#restart = this.#end().then(() => {
      this.#restart = undefined;
      this.start();
    });
  }

  async #end(): Promise<void> {
    const child = this.#child;
    if (child === undefined) return;
    this.#child = undefined;
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, "exit");
    const stop: WorkerOrder = { kind: "stop" };
    if (child.connected) child.send(stop, () => {});
    const timer = setTimeout(() => {
      child.kill("SIGKILL");
    }, DRAIN_MS);
    await ended;
    clearTimeout(timer);
  }
}
