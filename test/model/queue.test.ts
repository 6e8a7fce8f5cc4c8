/**
 * The queue does what its model does, whatever happens to it in whatever order.
 *
 * A failure prints the seed, and the shortest commands that were found to show it. To soak:
 * `OXBOW_MODEL_RUNS=5000 npx vitest run test/model/queue.test.ts`; to repeat a failure, add `OXBOW_MODEL_SEED=<seed>`
 * and `-t <the test>`.
 */
import fc from "fast-check";
import { it } from "vitest";
import { behavesLikeItsModel, setupSessions, topologies } from "./pair-property.ts";

const { OXBOW_MODEL_RUNS: runs, OXBOW_MODEL_SEED: seed } = process.env;

const HOUR_MS = 3_600_000;
const USUAL_SEED = 20_261_121;

const PARAMETERS = {
  numRuns: Number(runs ?? 40),
  // A failure that is still being shortened by then is reported at its current length.
  interruptAfterTimeLimit: runs === undefined ? 25_000 : HOUR_MS,
  // Always the same commands, so that a failure shows what the change broke, and nothing else; a soak looks for more.
  ...(runs === undefined || seed !== undefined ? { seed: Number(seed ?? USUAL_SEED) } : {}),
};

it.each([
  ["a standard queue", topologies.standard],
  ["a FIFO queue with FIFO dead letters", topologies.fifoToFifo],
  ["a FIFO queue with standard dead letters", topologies.fifoToStandard],
  ["a FIFO queue without dead letters", topologies.fifoAlone],
])(
  "%s behaves like its model",
  async (_, topology) => {
    await fc.assert(behavesLikeItsModel(await setupSessions(), topology), PARAMETERS);
  },
  runs === undefined ? 60_000 : HOUR_MS,
);
