/**
 * Calls code of end users in threads apart from the event loop.
 *
 * Promises:
 *   K1  A call has its input and the language, and nothing else: no network, files, timers, modules or objects of the
 *       host. No call sees what another one left behind. Runs have separate instances of the interpreter.
 *   K2  A call is interrupted at its time limit; a thread that doesn't stop by then is ended at one and a half times the
 *       limit. The event loop of the worker waits for neither.
 *   K3  Memory, stack, output and log are limited. After any limit the thread is replaced.
 *   K4  `Math.random` depends only on the seed, and `Date` stands still.
 *   K5  A thread that dies is no fault of the call that it was in: the call is repeated once, on another thread.
 */
import { unlessAborted } from "@oxbow/sdk/internal/declared";
import { PooledThread, type Task } from "./pooled-thread.ts";
import type { SandboxEnd, SandboxJob } from "./sandbox-job.ts";
import { SandboxLimit } from "./sandbox-limit-error.ts";

export class Sandbox {
  readonly #size: number;
  readonly #threads = new Set<PooledThread>();
  readonly #waiting: Task[] = [];

  /** @param size Calls at the same time. Threads begin when they are needed. */
  constructor(size: number) {
    this.#size = size;
  }

  /** @throws SandboxLimit; the reason of the signal */
  async run(job: SandboxJob, signal: AbortSignal): Promise<Exclude<SandboxEnd, { kind: "limit" }>> {
    signal.throwIfAborted();
    if (Buffer.byteLength(job.code) > job.limits.sourceBytes) {
      throw new SandboxLimit("source", job.limits);
    }
    const end = await this.#submit(job, signal);
    if (end.kind === "limit") throw new SandboxLimit(end.limit, job.limits);
    return end;
  }

  async #submit(job: SandboxJob, signal: AbortSignal): Promise<SandboxEnd> {
    let task: Task | undefined;
    const ended = new Promise<SandboxEnd>((resolve, reject) => {
      task = { job, resolve, reject, isRepeated: false };
      this.#waiting.push(task);
      this.#assign();
    });
    try {
      return await unlessAborted(ended, signal);
    } finally {
      if (signal.aborted && task !== undefined) this.#withdraw(task);
    }
  }

  #withdraw(task: Task): void {
    const at = this.#waiting.indexOf(task);
    if (at !== -1) this.#waiting.splice(at, 1);
    for (const thread of this.#threads) if (thread.has(task)) thread.end();
  }

  #assign(): void {
    const idle = [...this.#threads].filter((thread) => thread.isIdle);
    while (idle.length > 0) {
      const task = this.#waiting.shift();
      if (task === undefined) return;
      const known = idle.findIndex(({ group }) => group === task.job.group);
      const [thread] = idle.splice(Math.max(known, 0), 1);
      thread?.begin(task);
    }
    const starting = [...this.#threads].filter((thread) => thread.isStarting).length;
    const free = this.#size - this.#threads.size;
    const missing = Math.min(this.#waiting.length - starting, free);
    for (let opened = 0; opened < missing; opened += 1) this.#open();
  }

  #open(): void {
    let hasStarted = false;
    const thread = new PooledThread({
      onIdle: () => {
        hasStarted = true;
        this.#assign();
      },
      onGone: (task, error) => {
        this.#threads.delete(thread);
        if (task !== undefined) this.#repeat(task, error);
        // Otherwise a thread that can't start would be replaced for ever.
        else if (!hasStarted) this.#waiting.shift()?.reject(error);
        this.#assign();
      },
    });
    this.#threads.add(thread);
  }

  /** K5. */
  #repeat(task: Task, error: unknown): void {
    if (task.isRepeated) {
      task.reject(error);
      return;
    }
    task.isRepeated = true;
    this.#waiting.unshift(task);
  }
}
