/**
 * The parent's end of the watchdog: starts a server through it, signals it, and learns of its end.
 *
 * Neither the watchdog nor its server keeps the parent alive, except while one of the calls here is awaited.
 */
import { type ChildProcess, fork } from "node:child_process";
import { on, once } from "node:events";
import { fileURLToPath } from "node:url";
import type { ServerUser } from "./server-user.ts";

/** Starts the server. */
export interface StartOrder {
  readonly kind: "start";
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Record<string, string>;
  readonly user: ServerUser | undefined;
  /** Receives what the server prints. */
  readonly logFile: string;
}

/** A message to the watchdog. */
export type Order = StartOrder | { readonly kind: "signal"; readonly signal: NodeJS.Signals };

/** A message from the watchdog. */
export type Report =
  | { readonly kind: "started"; readonly pid: number }
  | { readonly kind: "exited"; readonly reason: string };

/** A server that was started. */
export interface SupervisedServer {
  readonly pid: number;
  /** Resolves with the reason, in words, when the server has ended. Never rejects. */
  readonly exited: Promise<string>;
}

export class Supervisor {
  readonly #watchdog: ChildProcess;

  /** @param temporaryDirs removed when the watchdog ends */
  constructor(temporaryDirs: readonly string[]) {
    const script = fileURLToPath(new URL("watchdog.js", import.meta.url));
    this.#watchdog = fork(script, temporaryDirs, {
      // A separate group: Ctrl-C and a killed process group are the parent's to handle.
      detached: true,
      execArgv: [],
      env: {},
      stdio: ["ignore", "ignore", "ignore", "ipc"],
    });
    this.#rest();
  }

  async start(order: Omit<StartOrder, "kind">): Promise<SupervisedServer> {
    const started = this.#told((report) => (report.kind === "started" ? report.pid : undefined));
    const exited = this.#told((report) => (report.kind === "exited" ? report.reason : undefined));
    this.#send({ kind: "start", ...order });
    const outcome = await this.awake(Promise.race([started, exited]));
    if (typeof outcome === "number") return { pid: outcome, exited };
    throw new Error(`Postgres could not be started: ${outcome}`);
  }

  signal(signal: NodeJS.Signals): void {
    this.#send({ kind: "signal", signal });
  }

  /** Ends the watchdog, and with it a server that still runs; resolves when the directories are removed. */
  async release(): Promise<void> {
    if (this.#watchdog.exitCode !== null || this.#watchdog.signalCode !== null) return;
    const exited = once(this.#watchdog, "exit");
    if (this.#watchdog.connected) this.#watchdog.disconnect();
    this.#watchdog.ref();
    await exited;
  }

  /** Awaits a message of the watchdog, and keeps this process alive until then. */
  async awake<Value>(told: Promise<Value>): Promise<Value> {
    this.#watchdog.ref();
    this.#watchdog.channel?.ref?.();
    try {
      return await told;
    } finally {
      this.#rest();
    }
  }

  /** Resolves with what `pick` takes from a report, or with a reason when no report can come any more. */
  async #told<Value>(pick: (report: Report) => Value | undefined): Promise<Value | string> {
    for await (const [report] of on(this.#watchdog, "message", { close: ["exit"] })) {
      const value = pick(report as Report);
      if (value !== undefined) return value;
    }
    return "the watchdog has ended";
  }

  // In Bun, a channel has neither `ref` nor `unref`.
  #rest(): void {
    this.#watchdog.unref();
    this.#watchdog.channel?.unref?.();
  }

  #send(order: Order): void {
    if (this.#watchdog.connected) this.#watchdog.send(order);
  }
}
