/** Promises about ids: those of runs and messages, in the hands of the clients that were given them. */
import { isDeepStrictEqual } from "node:util";
import type { Acknowledged } from "../record.ts";
import { expectationOf } from "../workload/expectations.ts";
import type { History } from "./history.ts";

/**
 * An acknowledged id never names what another client started or sent, though a database may have lost what it named:
 * its holder would signal, cancel and read a stranger's run.
 */
export function* idsNameOneThing(history: History): Generator<string> {
  const holders = new Map<string, Acknowledged>();
  for (const entry of history.acknowledged) {
    const id = idIn(entry);
    if (id === undefined) continue;
    const other = holders.get(id);
    if (other !== undefined && other.op !== entry.op) {
      yield `the id of ${id} was given to ${other.op} and to ${entry.op}`;
    }
    holders.set(id, entry);
    const run = entry.verb === "start" ? history.runs.get(String(entry.answer)) : undefined;
    if (run !== undefined && run.key !== entry.op) {
      yield `the id of ${id}, given to ${entry.op}, names the run of ${run.key ?? run.workflow}`;
    }
  }
  for (const { op, verb, item, answer } of history.acknowledged) {
    const output = outputIn(answer);
    if (verb !== "result" || item.what !== "run" || output === undefined) continue;
    const expected = expectationOf(item.workflow, item.input)?.output;
    if (expected !== undefined && !isDeepStrictEqual(output, expected)) {
      yield `${op} was answered by ${JSON.stringify(output)}, which is the result of another run`;
    }
  }
}

/** The id that a call was answered by, with what it is an id of. */
function idIn({ verb, item, answer }: Acknowledged): string | undefined {
  if (verb === "start" && item.what === "run") return `run ${String(answer)}`;
  if (verb === "send" && item.what === "message") return `message ${item.queue} ${String(answer)}`;
  return undefined;
}

const outputIn = (answer: unknown): unknown =>
  typeof answer === "object" && answer !== null && "output" in answer ? answer.output : undefined;
