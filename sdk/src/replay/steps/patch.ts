import { Deferred } from "../deferred.ts";
import type { StepPromise } from "../step-promise.ts";
import type { Abandonment, AskedStep, StepHost } from "./asked-step.ts";

/** The colon keeps it apart from names of users. */
export const patchName = (id: string): string => `patched:${id}`;

/** `ctx.patched` in a run that reaches it for the first time: journals that the run takes the new path. */
export class PatchStep implements AskedStep<boolean> {
  readonly kind = "run";
  readonly name: string;
  readonly #host: StepHost;
  readonly #deferred = new Deferred<boolean>();
  #hasEnded = false;

  constructor(host: StepHost, name: string) {
    this.#host = host;
    this.name = name;
  }

  get promise(): StepPromise<boolean> {
    return this.#deferred.promise;
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  begin(): void {
    const { name } = this;
    const record = { name, kind: "run", output: "true", attempts: 1, durationMs: 0 } as const;
    this.#host.agenda.finish(this, { output: true, attempts: 1 }, record);
  }

  /** The step has no deadline. */
  fallDue(): void {}

  abandon(): Abandonment {
    this.#hasEnded = true;
    return { attempts: 1, since: this.#host.clock.now() };
  }

  end(): void {
    this.#hasEnded = true;
    this.#deferred.resolve(true);
  }
}
