import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

/** A process that runs a worker at `QUEUE_URL`. */
export class WorkerProcess<Report> {
  readonly #child: ChildProcess;
  readonly #ended: Promise<unknown>;

  /** @param env - added to the environment of this process */
  constructor(
    script: URL,
    url: string,
    onReport: (report: Report) => void,
    env: Readonly<Record<string, string>> = {},
  ) {
    const flags = ["--import", "tsx", "--conditions=oxbow-source"];
    this.#child = spawn(process.execPath, [...flags, fileURLToPath(script)], {
      env: { ...process.env, QUEUE_URL: url, ...env },
      stdio: ["ignore", "ignore", "inherit", "ipc"],
    });
    this.#child.on("message", (message) => onReport(message as Report));
    this.#ended = once(this.#child, "exit");
  }

  get pid(): number {
    if (this.#child.pid === undefined) throw new Error("The worker process could not be started.");
    return this.#child.pid;
  }

  /** Resolves when the process has ended, for whatever reason. */
  get ended(): Promise<unknown> {
    return this.#ended;
  }

  /** SIGKILL: the process gets no chance to do anything. */
  async kill(): Promise<void> {
    this.#child.kill("SIGKILL");
    await this.#ended;
  }

  /** SIGTERM: the process finishes what it is doing. */
  async stop(): Promise<void> {
    this.#child.kill("SIGTERM");
    await this.#ended;
  }
}
