import type { WaitOptions } from "@oxbow/sdk/runtime";
import { AT_TIMEOUT } from "@oxbow/sdk/internal/declared";
import type { Json } from "../document/json.ts";
import type { MakeBehaviour } from "./behaviour.ts";
import { Parameters } from "./parameters.ts";

/**
 * `wait@1`: waits for a signal named `event`, or for a message on `topic`, that contains `match`. Takes `received` with
 * the payload as output, or `timeout` after the time `timeout`.
 */
export const wait: MakeBehaviour = (id, node) => {
  const parameters = new Parameters(id, node);
  const options = parameters.boundOf(["event", "topic", "match", "timeout"]);
  return {
    kind: "step",
    isCall: false,
    ask: ({ path, services: { step }, variables }) => {
      const given = { event: id, ...options(variables), [AT_TIMEOUT]: TIMEOUT };
      return step
        .waitForEvent(path, given as WaitOptions & { readonly event: string })
        .then((payload: unknown) =>
          payload === TIMEOUT
            ? { handle: "timeout", output: null }
            : { handle: "received", output: payload as Json },
        );
    },
  };
};

/** Differs from every payload. */
const TIMEOUT = Symbol("timeout");
