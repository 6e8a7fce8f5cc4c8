import { InvalidArgument } from "../../core/errors.ts";
import { toJournal } from "../../core/json.ts";
import { checkEventName } from "../../core/names.ts";
import type { StepEffect } from "../../protocol/commit.ts";
import { Deferred } from "../deferred.ts";
import type { StepPromise } from "../step-promise.ts";
import type { Abandonment, AskedStep, StepHost } from "./asked-step.ts";

/** `step.signal` and `step.publish`: the database sends in the transaction that journals the step. */
export class SendStep implements AskedStep<void> {
  readonly kind: "signal" | "publish";
  readonly name: string;
  readonly #host: StepHost;
  readonly #deferred = new Deferred<void>();
  readonly #effect: Send<"signal" | "publish">;
  #hasEnded = false;

  constructor(host: StepHost, effect: Send<"signal" | "publish">) {
    this.#host = host;
    this.kind = effect.kind;
    this.name = effect.step;
    this.#effect = effect;
  }

  get promise(): StepPromise<void> {
    return this.#deferred.promise;
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  begin(): void {
    const { name, kind } = this;
    const record = { name, kind, attempts: 1, durationMs: 0, effect: this.#effect };
    this.#host.agenda.finish(this, { attempts: 1 }, record);
  }

  /** The step has no deadline. */
  fallDue(): void {}

  abandon(): Abandonment {
    this.#hasEnded = true;
    return { attempts: 1, since: this.#host.clock.now() };
  }

  end(): void {
    this.#hasEnded = true;
    this.#deferred.resolve();
  }
}

type Send<Kind> = Extract<StepEffect, { kind: Kind }>;

const MAX_RUN_ID = 8_796_093_022_207;

export function toSignal(
  step: string,
  runId: string,
  event: string,
  payload: unknown,
): Send<"signal"> {
  if (typeof runId !== "string" || !/^\d{1,13}$/.test(runId) || Number(runId) > MAX_RUN_ID) {
    throw new InvalidArgument(
      `Invalid run id ${JSON.stringify(runId)} in step "${step}": a run id is digits in a string, as start() returns it.`,
    );
  }
  checkEventName(event);
  const { text } = toJournal(payload, `the payload of step "${step}"`);
  return { kind: "signal", step, runId, event, ...(text === undefined ? {} : { payload: text }) };
}

export function toPublication(step: string, topic: string, message: unknown): Send<"publish"> {
  if (typeof topic !== "string" || !/^[^\s*#.]+(\.[^\s*#.]+)*$/.test(topic)) {
    throw new InvalidArgument(
      `Invalid topic ${JSON.stringify(topic)} in step "${step}": give words split by ".", without white space, "*" and "#".`,
    );
  }
  const { text } = toJournal(message, `the message of step "${step}"`);
  if (text === undefined) {
    throw new InvalidArgument(`Step "${step}" publishes nothing: give it a message.`);
  }
  return { kind: "publish", step, topic, message: text };
}
