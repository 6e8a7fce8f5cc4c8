/**
 * A background service: a task that repeats until it is stopped.
 *
 * Promises:
 *   S1  Ticks never overlap. Each returns the delay until the next one, which varies by 10 %, so that servers that
 *       start together don't tick together.
 *   S2  A tick that fails is reported, and repeated after a pause that grows to five seconds. It stops no other service.
 *   S3  `stop()` aborts the signal of the tick, and resolves after the tick and everything it started have ended. It may
 *       be called twice, and before `start()`.
 */
import { setMaxListeners } from "node:events";
import { type Emitter, sleep } from "@oxbow/sdk/internal/server";
import type { ServerEvents } from "../events.ts";

export interface Service {
  start(): void;
  stop(): Promise<void>;
}

export interface Task {
  /** Names the work in reports of failures: "sweeping runs". */
  readonly doing: string;
  /** @returns Milliseconds until the next tick. */
  tick(signal: AbortSignal): Promise<number>;
  /** Ends work that ticks have started. */
  drain?(): Promise<void>;
}

const JITTER = 0.1;
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 5_000;

export class RepeatedTask implements Service {
  readonly #task: Task;
  readonly #events: Pick<Emitter<ServerEvents>, "emit">;
  readonly #stopping = new AbortController();
  #running: Promise<void> | undefined;
  #stopped: Promise<void> | undefined;

  constructor(task: Task, events: Pick<Emitter<ServerEvents>, "emit">) {
    this.#task = task;
    this.#events = events;
    // A tick may start many requests.
    setMaxListeners(0, this.#stopping.signal);
  }

  start(): void {
    this.#running ??= this.#repeat();
  }

  stop(): Promise<void> {
    this.#stopped ??= this.#stop();
    return this.#stopped;
  }

  async #stop(): Promise<void> {
    this.#stopping.abort(new Error("The server is stopping."));
    await this.#running;
    await this.#task.drain?.();
  }

  async #repeat(): Promise<void> {
    const { signal } = this.#stopping;
    let pauseMs = FIRST_PAUSE_MS;
    let delayMs = 0;
    while (!signal.aborted) {
      if (delayMs > 0) await sleep(jittered(delayMs), signal);
      if (signal.aborted) return;
      try {
        delayMs = await this.#task.tick(signal);
        pauseMs = FIRST_PAUSE_MS;
      } catch (error) {
        if (signal.aborted) return;
        this.#events.emit("trouble", { doing: this.#task.doing, error });
        delayMs = pauseMs;
        pauseMs = Math.min(LONGEST_PAUSE_MS, pauseMs * 2);
      }
    }
  }
}

const jittered = (ms: number): number => ms * (1 - JITTER + 2 * JITTER * Math.random());
