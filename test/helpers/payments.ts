/** The load of tests of failovers: worker and starter processes, what was acknowledged, and what came of it. */
import { deepEqual } from "node:assert/strict";
import { createWorkflowClient } from "@oxbow/sdk";
import { type WorkerProcess, startWorkerProcess } from "./worker-process.ts";

type Query = (text: string) => Promise<Record<string, unknown>[]>;

export interface EndedRun {
  readonly runId: string;
  /** When its start was asked for, in milliseconds since 1970. */
  readonly at: number;
  readonly ms: number;
}

/** @param environment `QUEUE_URL` or `QUEUE_SHARDS`. */
export const startPayingWorker = (environment: Readonly<Record<string, string>>): WorkerProcess =>
  startWorkerProcess(new URL("programs/paying-worker.ts", import.meta.url), { env: environment });

export class PayingStarter {
  readonly #process: WorkerProcess;

  constructor(
    environment: Readonly<Record<string, string>>,
    { name, perSecond, route }: { name: string; perSecond: number; route?: string },
  ) {
    this.#process = startWorkerProcess(new URL("programs/paying-starter.ts", import.meta.url), {
      args: [name, String(perSecond), ...(route === undefined ? [] : [route])],
      env: environment,
    });
  }

  /** Ids of runs whose start was acknowledged. */
  acknowledged(): readonly string[] {
    return this.#facts("started").map(({ runId }) => runId);
  }

  ended(): readonly EndedRun[] {
    return this.#facts("ended");
  }

  /** Calls whose answer was lost, and which were repeated. */
  lost(): readonly string[] {
    return this.#process.output.filter((line) => line.startsWith("lost "));
  }

  /** Starts no more, and resolves once everything that it has started has ended. */
  async finish(): Promise<void> {
    await this.#process.stop();
    const wrong = this.#process.output.filter(
      (line) => !/^(?:started|ended|lost|done) /.test(line),
    );
    deepEqual(wrong, []);
    await this.#process.line(/^done /);
  }

  #facts(kind: string): readonly EndedRun[] {
    const lines = this.#process.output.filter((line) => line.startsWith(`${kind} `));
    return lines.map((line) => JSON.parse(line.slice(kind.length)) as EndedRun);
  }
}

export const preparePayments = (query: Query): Promise<unknown> =>
  query("create table effect (run_id bigint, step text)");

/** Every acknowledged run has completed, with each of its effects once, and there are no others. */
export async function requireSound(query: Query, acknowledged: readonly string[]): Promise<void> {
  const runs = await query(
    "select run_id::text as id, status::text from queue.workflow_run order by run_id",
  );
  const expected = [...new Set(acknowledged)].toSorted((a, b) => Number(a) - Number(b));
  deepEqual(
    runs,
    expected.map((id) => ({ id, status: "completed" })),
  );
  const wrong = await query(
    `select r.run_id, array_agg(e.step order by e.step) as steps
     from queue.workflow_run as r
     full join effect as e on e.run_id = r.run_id
     group by r.run_id
     having array_agg(e.step order by e.step) is distinct from array['credit', 'debit']`,
  );
  deepEqual(wrong, []);
  deepEqual(await query("select * from queue.check_invariants()"), []);
}

/** The route of some tenant that is at home in a shard. */
export async function routeIn(
  shards: Readonly<Record<string, string>>,
  shard: string,
): Promise<string> {
  await using client = createWorkflowClient({ shards });
  for (let n = 0; ; n += 1) if ((await client.home(`tenant-${n}`)) === shard) return `tenant-${n}`;
}
