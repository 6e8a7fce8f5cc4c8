import type { Context, Logger } from "../definition/context.ts";
import type { ContinueAsNew, ContinueAsNewOptions } from "../definition/continue-as-new.ts";
import type { InvokeOptions, Step } from "../definition/step.ts";
import { checkStepName } from "../core/names.ts";
import type { Body } from "./body.ts";
import { DECIDE, type Decide } from "./decisions.ts";
import { type Items, ITEMS } from "./items.ts";
import { mapSteps } from "./map.ts";
import type { EngineOptions } from "./engine-options.ts";
import type { StepHost } from "./steps/asked-step.ts";
import type { NextGeneration } from "./next-generation.ts";
import { type Invocable, InvokeStep } from "./steps/invoke.ts";
import { sendStep, toPublication, toSignal } from "./steps/send.ts";
import { patchName, patchStep } from "./steps/patch.ts";
import { RunStep } from "./steps/run.ts";
import { deadlineAfter, deadlineAt, SleepStep } from "./steps/sleep.ts";
import { type EventWaitOptions, WaitStep } from "./steps/wait.ts";

export interface ContextParts {
  readonly host: StepHost;
  readonly body: Pick<Body, "ask" | "group">;
  readonly abandon: Step["abandon"];
  readonly decide: Decide;
  readonly isJournaled: (name: string) => boolean;
  /** An earlier delivery passed this point without the step. */
  readonly hasPassed: (name: string) => boolean;
  readonly isRepeating: () => boolean;
  readonly journalLength: () => number;
  readonly continueAsNew: (input: unknown, options?: ContinueAsNewOptions) => NextGeneration;
  readonly set: Context["set"];
  readonly write: Context["stream"]["write"];
}

/** Makes the first argument of a body. */
export function makeContext(options: EngineOptions, parts: ContextParts): Context {
  const { host, body, abandon, decide, hasPassed, isRepeating, set, write } = parts;
  const { delivery, getSignal, logger } = options;
  const patches = new Map<string, Promise<boolean>>();
  const patched = async (id: string): Promise<boolean> => {
    checkStepName(id);
    const name = patchName(id);
    return hasPassed(name) ? false : body.ask(name, () => patchStep(host, name), true);
  };
  return Object.freeze({
    runId: delivery.runId,
    attempt: delivery.attempt,
    version: delivery.version,
    startedAt: new Date(delivery.startedAt),
    generation: delivery.generation ?? 1,
    get journalLength() {
      return parts.journalLength();
    },
    schedule:
      delivery.schedule === undefined
        ? undefined
        : Object.freeze({
            name: delivery.schedule.name,
            scheduledAt: new Date(delivery.schedule.scheduledAt),
          }),
    get signal() {
      return getSignal();
    },
    set,
    stream: Object.freeze({ write }),
    patched: (id: string) => {
      const answer = patches.get(id) ?? patched(id);
      patches.set(id, answer);
      return answer;
    },
    continueAsNew: (input?: unknown, continueOptions?: ContinueAsNewOptions) =>
      parts.continueAsNew(input, continueOptions) as unknown as ContinueAsNew,
    step: Object.freeze({ ...makeStep(options, parts), abandon }),
    [DECIDE]: decide,
    [ITEMS]: Object.freeze<Items>({
      isItem: delivery.continuation.item === true,
      run: (name, workflow, input) =>
        body.ask(name, () => {
          const given = parts.isJournaled(name) ? null : input();
          return new InvokeStep(host, name, workflow, given, {}, "item");
        }),
    }),
    logger: Object.freeze(makeLogger(logger, isRepeating)),
  });
}

function makeStep(
  { definition }: EngineOptions,
  { host, body }: ContextParts,
): Omit<Step, "abandon"> {
  const run: Step["run"] = (name, callback, options = {}) =>
    body.ask(name, () => new RunStep(host, name, callback, options)) as Promise<never>;
  return {
    run,
    map: (name, items, callback, options = {}) =>
      body.group(name, mapSteps(run, name, items, callback as never, options)) as Promise<never>,
    tx: (name, callback, options = {}) => {
      const call = (signal: AbortSignal, tx?: never): unknown => callback(tx as never, signal);
      if (typeof callback !== "function") return run(name, callback);
      return body.ask(name, () => new RunStep(host, name, call, options, "tx")) as Promise<never>;
    },
    sleep: (name, duration) =>
      body.ask(
        name,
        () => new SleepStep(host, name, deadlineAfter(host.clock, duration, name), false),
      ),
    sleepUntil: (name, date) =>
      body.ask(name, () => new SleepStep(host, name, deadlineAt(date, name), true)),
    waitForEvent: (name: string, options: EventWaitOptions = {}) =>
      body.ask(name, () => new WaitStep(host, name, options, definition.events)) as Promise<never>,
    invoke: (name: string, workflow: Invocable, input?: unknown, invokeOptions?: InvokeOptions) =>
      body.ask(
        name,
        () => new InvokeStep(host, name, workflow, input, invokeOptions ?? {}),
      ) as Promise<never>,
    signal: (name, runId, event, payload) =>
      body.ask(name, () => sendStep(host, toSignal(name, runId, event, payload))),
    publish: (name, topic, message) =>
      body.ask(name, () => sendStep(host, toPublication(name, topic, message))),
  };
}

function makeLogger(sink: Logger | undefined, isRepeating: () => boolean): Logger {
  const at =
    (level: keyof Logger) =>
    (message: string, fields?: object): void => {
      if (!isRepeating()) sink?.[level](message, ...(fields === undefined ? [] : [fields]));
    };
  return { debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") };
}
