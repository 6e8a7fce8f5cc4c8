/** Workers over shards, each a process, for tests that move what they execute. */
import { pairsOf, type TestFleet } from "./fleet.ts";
import { startWorkerProcess, type WorkerProcess } from "./worker-process.ts";

/** Resolves once it serves. The first shard needs a table `call (run_id bigint, step text)`. */
export async function startMovingWorker(
  lease: string,
  shards: TestFleet["shards"],
): Promise<WorkerProcess> {
  const script = new URL("programs/moving-worker.ts", import.meta.url);
  const worker = startWorkerProcess(script, { args: [lease, ...pairsOf(shards)] });
  await worker.line(/^serving/);
  return worker;
}
