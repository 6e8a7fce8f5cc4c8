/**
 * A process that is kept running, as by systemd: when it ends for any reason, a successor starts immediately.
 */
import { startWorkerProcess, type WorkerProcess } from "../../helpers/worker-process.ts";

export interface PostOptions {
  readonly script: URL;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** The line that it prints when it is ready. */
  readonly ready: RegExp;
  /** Additional flags of node. */
  readonly flags?: readonly string[];
}

const STARTING_MS = 90_000;

export class Post {
  /** How many processes have ended unexpectedly or were killed. */
  deaths = 0;
  readonly #options: PostOptions;
  #process: WorkerProcess;
  #isClosed = false;
  #isHeld = false;
  #following: Promise<void>;

  constructor(options: PostOptions) {
    this.#options = options;
    this.#process = this.#start();
    this.#following = this.#follow(this.#process);
  }

  /** The running process. */
  get process(): WorkerProcess {
    return this.#process;
  }

  async ready(): Promise<void> {
    await this.#process.line(this.#options.ready, { withinMs: STARTING_MS });
  }

  /** SIGKILL; another one takes its place. */
  async kill(): Promise<void> {
    await this.#process.kill();
  }

  /** SIGTERM; resolves when it has ended, and returns how. Another one takes its place. */
  async deploy(): Promise<{ readonly code: number | null; readonly tookMs: number }> {
    const began = performance.now();
    const { code } = await this.#process.stop();
    return { code, tookMs: performance.now() - began };
  }

  /** SIGKILL; its place stays empty until `release`. */
  async remove(): Promise<void> {
    this.#isHeld = true;
    await this.#process.kill();
    await this.#following;
  }

  release(): void {
    if (!this.#isHeld) return;
    this.#isHeld = false;
    this.#process = this.#start();
    this.#following = this.#follow(this.#process);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#process.kill();
    await this.#following;
  }

  #start(): WorkerProcess {
    const { script, args = [], env = {}, flags = [] } = this.#options;
    return startWorkerProcess(script, { args, env, flags });
  }

  async #follow(process: WorkerProcess): Promise<void> {
    await process.end();
    if (this.#isClosed || this.#isHeld) return;
    this.deaths += 1;
    this.#process = this.#start();
    this.#following = this.#follow(this.#process);
  }
}
