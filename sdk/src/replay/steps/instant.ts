import type { StepRecord } from "../../protocol/commit.ts";
import { Deferred } from "../deferred.ts";
import type { Abandonment, AskedStep, StepHost } from "./asked-step.ts";

type InstantRecord = Pick<StepRecord, "name" | "kind" | "output" | "effect">;

/** A step that finishes as soon as the body asks for it. */
export class InstantStep<Value> implements AskedStep<Value> {
  readonly name: string;
  readonly kind: StepRecord["kind"];
  readonly #host: StepHost;
  readonly #record: InstantRecord;
  readonly #value: Value;
  readonly #deferred = new Deferred<Value>();
  readonly promise = this.#deferred.promise;
  hasEnded = false;

  /** @param value What the body gets. */
  constructor(host: StepHost, record: InstantRecord, value: Value) {
    this.name = record.name;
    this.kind = record.kind;
    this.#host = host;
    this.#record = record;
    this.#value = value;
  }

  begin(): void {
    const record = { ...this.#record, attempts: 1, durationMs: 0 };
    this.#host.agenda.finish(this, { output: this.#value, attempts: 1 }, record);
  }

  end(): void {
    this.hasEnded = true;
    this.#deferred.resolve(this.#value);
  }

  abandon(): Abandonment {
    this.hasEnded = true;
    return { attempts: 1, since: this.#host.clock.now() };
  }
}
