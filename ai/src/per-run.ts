import type { Context } from "@oxbow/sdk/runtime";

/** State of each run, for as long as its body is in memory. */
export function perRun<State>(make: () => State): (ctx: Pick<Context, "step">) => State {
  const states = new WeakMap<object, State>();
  return ({ step }) => {
    if (!states.has(step)) states.set(step, make());
    return states.get(step) as State;
  };
}
