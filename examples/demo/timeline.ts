/** Prints events as they happen: one line each, with the seconds since the start and the actor. */
import type { Report } from "./worker.ts";
import { type Colour, paint, say, seconds } from "./terminal.ts";

const WHO_WIDTH = 8;
const STEP_WIDTH = 14;

export class Timeline {
  readonly #startedAt = Date.now();
  #told = Promise.resolve();

  /** One line; `at` is in milliseconds since 1970. */
  tell(who: string, colour: Colour, text: string, at = Date.now()): void {
    this.#next(() => this.#print(who, colour, text, at));
  }

  /**
   * The reports of a worker process.
   *
   * @param journaled the names of the steps in the journal, in order
   */
  report(
    worker: string,
    colour: Colour,
    report: Report,
    journaled: () => Promise<readonly string[]>,
  ): void {
    this.#next(async () => {
      const names = report.kind === "received" && report.replayed > 0 ? await journaled() : [];
      this.#print(worker, colour, this.#describe(report, names), report.at);
    });
  }

  /** Resolves when all has been printed. */
  async told(): Promise<void> {
    await this.#told;
  }

  /** One after the other, since some have to ask the database first. */
  #next(print: () => void | Promise<void>): void {
    this.#told = this.#told.then(print);
  }

  #print(who: string, colour: Colour, text: string, at: number): void {
    const time = seconds(Math.max(0, at - this.#startedAt)).padStart(6);
    say(`${paint("dim", `${time} s`)}  ${paint(colour, who.padEnd(WHO_WIDTH))}  ${text}`);
  }

  #describe(report: Report, journaled: readonly string[]): string {
    switch (report.kind) {
      case "serving": {
        return "serves onboard-user";
      }
      case "received": {
        const { replayed, attempt } = report;
        const again =
          attempt > 1 ? paint("yellow", `, delivery ${attempt}: the last one was lost`) : "";
        if (replayed === 0) return `takes the run, from the beginning${again}`;
        const names = paint("cyan", journaled.slice(0, replayed).join(", "));
        return `takes the run${again}; replays without a call: ${names}`;
      }
      case "called": {
        const again = report.attempt > 1 ? paint("yellow", `, attempt ${report.attempt}`) : "";
        return `${step(report.step)} called${again}`;
      }
      case "returned": {
        const ms = Math.round(report.durationMs);
        return `${step(report.step)} ${paint("green", "done")} in ${ms} ms`;
      }
      case "threw": {
        return `${step(report.step)} ${paint("red", "threw")} "${report.message}", is tried again`;
      }
      case "suspended": {
        return `gives the run back to the database: ${this.#untilWhen(report)}`;
      }
      case "completed": {
        return paint("green", "completes the run");
      }
      case "trouble": {
        return paint("red", report.message);
      }
      default: {
        return report satisfies never;
      }
    }
  }

  #untilWhen({ resumeAt, at }: { readonly resumeAt?: number; readonly at: number }): string {
    if (resumeAt === undefined) return "it waits for a signal";
    const ms = resumeAt - at;
    return ms > 3_600_000
      ? `it waits for a signal, ${Math.round(ms / 86_400_000)} days at most`
      : `it resumes in ${seconds(Math.max(0, ms))} s`;
  }
}

function step(name: string): string {
  return paint("bold", name.padEnd(STEP_WIDTH));
}
