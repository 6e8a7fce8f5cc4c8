import { isReservedName } from "@oxbow/sdk/internal/declared";
import type { Workflow } from "@oxbow/sdk/runtime";
import type { Json } from "../document/json.ts";
import type { MakeBehaviour } from "./behaviour.ts";
import { InvalidParameters, Parameters } from "./parameters.ts";

/**
 * `run@1`: runs another workflow, of code or declared, with `input`. Its output is that of the run; with `detach`, the id
 * of the run, for which it doesn't wait.
 */
export const run: MakeBehaviour = (id, node) => {
  const parameters = new Parameters(id, node);
  const workflow = parameters.required("workflow");
  const version = parameters.bound("version");
  const input = parameters.bound("input") ?? (() => null);
  const detach = parameters.literal("detach") === true;
  return {
    kind: "step",
    isCall: false,
    ask: ({ path, services: { step }, variables }) => {
      const target = { name: workflow(variables), version: version?.(variables) };
      if (
        typeof target.name !== "string" ||
        (target.version !== undefined && !isVersion(target.version))
      ) {
        throw new InvalidParameters(
          `Node "${id}" can't run ${JSON.stringify(target)}: give the name and the version of a workflow.`,
        );
      }
      // Its input decides whose resources it lists.
      if (isReservedName(target.name)) {
        throw new InvalidParameters(
          `Node "${id}" can't run "${target.name}", which lists resources for Oxbow. Name another workflow.`,
        );
      }
      const child = target as unknown as Workflow;
      const ended: Promise<unknown> = detach
        ? step.invoke(path, child, input(variables), { detach })
        : step.invoke(path, child, input(variables));
      return ended.then((output) => ({ handle: "out", output: (output ?? null) as Json }));
    },
  };
};

/** The database refuses the commit with another one, which would fail the run rather than the node. */
const isVersion = (value: Json): boolean =>
  Number.isInteger(value) && Number(value) >= 1 && Number(value) <= MAX_VERSION;

const MAX_VERSION = 2_147_483_647;
