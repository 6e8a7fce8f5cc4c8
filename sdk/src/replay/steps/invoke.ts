import type { StandardSchemaV1 } from "@standard-schema/spec";
import { fromErrorRecord } from "../../core/error-record.ts";
import { InvalidArgument, StepFailed } from "../../core/errors.ts";
import { checkStartableName } from "../../core/names.ts";
import { checkOptions } from "../../core/options.ts";
import { toJournal } from "../../core/json.ts";
import { INVOKE_OPTIONS, type InvokeOptions } from "../../definition/step.ts";
import type { Workflow } from "../../definition/workflow.ts";
import { requireKeyOfRoute } from "../../protocol/routes.ts";
import { Deferred } from "../deferred.ts";
import type { Abandonment, AskedStep, Outcome, StepHost } from "./asked-step.ts";

/** The members of a workflow that starting a run requires. */
export type Invocable = Pick<Workflow, "name" | "retentionDays"> & {
  /** Version to start; undefined for the latest registered version, which of a definition is the published one. */
  readonly version: number | undefined;
  readonly input?: StandardSchemaV1 | undefined;
};

/**
 * `step.invoke`. The database starts the child run in the transaction of the next commit, and journals its end. This step
 * describes the child run.
 */
export class InvokeStep implements AskedStep {
  readonly kind = "invoke";
  readonly name: string;
  readonly #host: StepHost;
  readonly #deferred = new Deferred<unknown>();
  readonly promise = this.#deferred.promise;
  readonly #workflow: Invocable;
  readonly #input: string | undefined;
  readonly #isDetached: boolean;
  readonly #effect: "invoke" | "item" | "detach";
  readonly #route: { readonly route?: string };
  hasEnded = false;

  constructor(
    host: StepHost,
    name: string,
    workflow: Invocable,
    input: unknown,
    options: InvokeOptions,
    as: "invoke" | "item" = "invoke",
  ) {
    checkOptions(options, INVOKE_OPTIONS, `step "${name}"`);
    const { name: target, version = 1 } = workflow ?? {};
    if (typeof target !== "string" || typeof version !== "number") {
      throw new InvalidArgument(
        `Step "${name}" invokes no workflow: give it what workflow() or defineWorkflow() returned.`,
      );
    }
    checkStartableName(target);
    this.#host = host;
    this.name = name;
    this.#workflow = workflow;
    this.#isDetached = options.detach ?? false;
    this.#effect = this.#isDetached ? "detach" : as;
    this.#route = options.route === undefined ? {} : { route: options.route };
    requireKeyOfRoute(options, target);
    this.#input = toJournal(host.codec.encode(input), `the input of step "${name}"`).text;
  }

  begin(): void {
    const begun = this.#host.continuation.claimWait(this.name);
    const isKnown = begun?.kind === "invoke";
    this.#host.continuation.addWait(
      {
        kind: "invoke",
        step: this.name,
        ...(isKnown && begun.since !== undefined ? { since: begun.since } : {}),
        ...this.#route,
        ...(this.#isDetached && this.#route.route !== undefined ? { detached: true } : {}),
      },
      isKnown,
    );
    if (isKnown) return;
    const { name: workflow, version, retentionDays } = this.#workflow;
    this.#host.commits.addEffect({
      kind: this.#effect,
      step: this.name,
      workflow,
      ...this.#route,
      ...(version === undefined ? {} : { version }),
      ...(retentionDays === undefined ? {} : { retentionDays }),
      ...(this.#input === undefined ? {} : { input: this.#input }),
    });
  }

  end(outcome: Outcome): void {
    this.hasEnded = true;
    this.#host.continuation.removeResolved(this.name);
    const { codec, runId } = this.#host;
    if (outcome.error !== undefined) {
      const cause = fromErrorRecord(outcome.error);
      this.#deferred.reject(new StepFailed({ runId, step: this.name, attempts: 1, cause }));
    } else {
      this.#deferred.resolve(this.#isDetached ? outcome.output : codec.decode(outcome.output));
    }
  }

  /** Cancels the child run, unless it has not been started or is detached. */
  abandon(): Abandonment {
    this.hasEnded = true;
    const since = this.#host.continuation.beginningOf(this.name);
    this.#host.continuation.remove(this.name);
    const isUnsent = this.#host.commits.dropEffects(this.name);
    return {
      attempts: 1,
      since,
      ...(isUnsent || this.#isDetached
        ? {}
        : { effect: { kind: "cancel", step: this.name, ...this.#route } }),
    };
  }
}
