import type { MakeBehaviour } from "./behaviour.ts";
import { Parameters } from "./parameters.ts";

/** `end@1`: `output` is that of the run, or of the iteration. With `terminate`, the graph ends with it. */
export const end: MakeBehaviour = (id, node) => {
  const output = new Parameters(id, node).bound("output") ?? (() => null);
  return { kind: "pure", compute: output };
};
