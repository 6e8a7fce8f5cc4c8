import { hasRealDay } from "@oxbow/sdk/internal/declared";
import type { Finished, MakeBehaviour } from "./behaviour.ts";
import { InvalidParameters, Parameters } from "./parameters.ts";

/** `delay@1`: sleeps `for` a duration, or `until` a time in RFC 3339. */
export const delay: MakeBehaviour = (id, node) => {
  const parameters = new Parameters(id, node);
  const until = parameters.bound("until");
  const duration = until ?? parameters.required("for");
  return {
    kind: "step",
    isCall: false,
    ask: ({ path, services: { step }, variables }) => {
      const slept =
        until === undefined
          ? step.sleep(path, toDuration(duration(variables), id))
          : step.sleepUntil(path, toTime(until(variables), id));
      return slept.then(() => SLEPT);
    },
  };
};

const SLEPT: Finished = { handle: "out", output: null };

const PROTOBUF = /^-?\d+(?:\.\d+)?s$/;

/** Durations of expressions are text in seconds, which may be below zero: the delay is over then. */
function toDuration(value: unknown, id: string): number | string {
  if (typeof value === "number") return value;
  if (typeof value === "string") {
    return PROTOBUF.test(value) ? Number(value.slice(0, -1)) * 1000 : value;
  }
  throw new InvalidParameters(
    `Node "${id}" can't sleep for ${JSON.stringify(value)}: give milliseconds, or text like "5m".`,
  );
}

function toTime(value: unknown, id: string): Date {
  const time = typeof value === "string" ? new Date(value) : new Date(Number.NaN);
  if (!Number.isNaN(time.getTime()) && hasRealDay(String(value))) return time;
  throw new InvalidParameters(
    `Node "${id}" can't sleep until ${JSON.stringify(value)}: give a time like "2026-05-01T09:00:00Z".`,
  );
}
