import type { StepHost } from "./asked-step.ts";
import { InstantStep } from "./instant.ts";

/** The colon keeps it apart from names of users. */
export const patchName = (id: string): string => `patched:${id}`;

/** `ctx.patched` in a run that reaches it for the first time: journals that the run takes the new path. */
export const patchStep = (host: StepHost, name: string): InstantStep<boolean> =>
  new InstantStep(host, { name, kind: "run", output: "true" }, true);
