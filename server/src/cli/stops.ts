/**
 * What a command has started, and stops in reverse order: at its end, or at a signal. A second signal exits
 * immediately, and leaves the database to its watchdog.
 */
import { printText } from "./output.ts";

const EXIT_WITHIN_MS = 2_000;

/** Ends the process soon, although handles of user code or of a database may be open. */
export const exitSoon = (): void => void setTimeout(() => process.exit(), EXIT_WITHIN_MS).unref();

export class Stops {
  readonly #stops: (() => unknown)[] = [];
  readonly #failureCode: number;
  #isStopping = false;

  /** @param failureCode Exit code after a second signal. */
  constructor(failureCode: number) {
    this.#failureCode = failureCode;
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
      process.on(signal, () => this.#onSignal());
  }

  /** A signal has come: everything that is still added must be stopped immediately. */
  get isStopping(): boolean {
    return this.#isStopping;
  }

  add(stop: () => unknown): void {
    this.#stops.push(stop);
  }

  /** Rejects if one has failed, once all have ended. */
  async all(): Promise<void> {
    const failures: unknown[] = [];
    for (const stop of this.#stops.splice(0).toReversed()) {
      try {
        await stop();
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length > 0) throw failures[0];
  }

  #onSignal(): void {
    if (this.#isStopping) process.exit(this.#failureCode);
    this.#isStopping = true;
    printText("\nStopping …");
    void this.all().then(() => {
      printText("Stopped.");
      exitSoon();
    });
  }
}
