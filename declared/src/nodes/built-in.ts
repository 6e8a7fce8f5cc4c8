import type { MakeBehaviour } from "./behaviour.ts";
import { branch } from "./branch.ts";
import { delay } from "./delay.ts";
import { end } from "./end.ts";
import { forEach } from "./for-each.ts";
import { repeat } from "./repeat.ts";
import { run } from "./run.ts";
import { set } from "./set.ts";
import { wait } from "./wait.ts";

/** The node types that every worker knows, by name and version. */
export const BUILT_IN: ReadonlyMap<string, MakeBehaviour> = new Map([
  ["branch@1", branch],
  ["delay@1", delay],
  ["end@1", end],
  ["for_each@1", forEach],
  ["repeat@1", repeat],
  ["run@1", run],
  ["set@1", set],
  ["wait@1", wait],
]);
