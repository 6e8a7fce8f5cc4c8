import type { WaitOptions } from "@oxbow/sdk/runtime";
import type { Json } from "../document/json.ts";
import type { MakeBehaviour } from "./behaviour.ts";
import { Parameters } from "./parameters.ts";

/**
 * `wait@1`: waits for a signal named `event`, or for a message on `topic`, that contains `match`. Takes `received` with
 * the payload as output, or `timeout` after the time `timeout`.
 */
export const wait: MakeBehaviour = (id, node) => {
  const parameters = new Parameters(id, node);
  const names = ["event", "topic", "match", "timeout"] as const;
  const reads = names.flatMap((name) => {
    const read = parameters.bound(name);
    return read === undefined ? [] : ([[name, read]] as const);
  });
  return {
    kind: "step",
    isCall: false,
    ask: ({ path, services: { step }, variables }) => {
      const options = Object.fromEntries(reads.map(([name, read]) => [name, read(variables)]));
      const given = { event: id, ...options } as WaitOptions & { readonly event: string };
      return step.waitForEvent(path, given).then((payload) => {
        // A signal without a payload can't be told from the timeout yet.
        const isTimeout = payload === null && options["timeout"] !== undefined;
        return { handle: isTimeout ? "timeout" : "received", output: payload as Json };
      });
    },
  };
};
