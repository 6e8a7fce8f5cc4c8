import type { ContinueAsNew } from "../definition/continue-as-new.ts";
import type { Workflow } from "../definition/workflow.ts";
import { defineWorkflow, type WorkflowOptions } from "../definition/define-workflow.ts";
import type { EventSchemas } from "../definition/events.ts";
import type { ServeOptions } from "./serve-options.ts";
import { drain, type Drained } from "./drain.ts";
import type { DrainServeOptions } from "./drain-options.ts";
import { createWorker, type Worker } from "./worker.ts";

/** A workflow that a worker can serve. */
export interface ServableWorkflow<Input, Output, Events extends EventSchemas> extends Workflow<
  Input,
  Output,
  Events
> {
  /** Starts a worker for this workflow; `createWorker` serves several. */
  serve(options?: ServeOptions): Worker;
  /** Executes the runs of this workflow that are ready, and returns; the function `drain` does so for several. */
  drain(options: DrainServeOptions): Promise<Drained>;
}

/**
 * Defines a workflow.
 *
 * @throws InvalidName, InvalidArgument
 * @example
 * const greet = workflow({
 *   name: "greet",
 *   run: async (ctx, input: { name: string }) => {
 *     const text = await ctx.step.run("compose", () => `Hello, ${input.name}!`);
 *     await ctx.step.sleep("pause", "1m");
 *     return text;
 *   },
 * });
 * const worker = greet.serve({ url: process.env.DATABASE_URL });
 */
export function workflow<
  Parsed,
  Output,
  Events extends EventSchemas = EventSchemas,
  Input = Parsed,
>(
  options: WorkflowOptions<Input, Parsed, Output, Events>,
): ServableWorkflow<Input, Exclude<Output, ContinueAsNew>, Events> {
  const definition = defineWorkflow<Parsed, Output, Events, Input>(options);
  const servable: ServableWorkflow<Input, Exclude<Output, ContinueAsNew>, Events> = Object.freeze({
    ...definition,
    serve: (serveOptions: ServeOptions = {}) =>
      createWorker({ ...serveOptions, workflows: [definition] }),
    drain: async (drainOptions: DrainServeOptions) =>
      drain({ ...drainOptions, workflows: [definition] }),
  });
  return servable;
}
