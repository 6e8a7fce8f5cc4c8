import type { MakeBehaviour } from "./behaviour.ts";
import { reader } from "./parameters.ts";

/** `set@1`: its output is its parameters. */
export const set: MakeBehaviour = (_id, { params = null }) => ({
  kind: "pure",
  compute: reader(params),
});
