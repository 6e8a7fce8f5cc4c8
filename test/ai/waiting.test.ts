/** Ten thousand agents that wait for people. */
import { expect, it } from "vitest";
import { eventually, moreThan } from "../helpers/eventually.ts";
import { startWorkerProcess, type WorkerProcess } from "../helpers/worker-process.ts";
import { setupWorkflows, type WorkflowBench } from "../helpers/workflows.ts";

const AGENTS = 10_000;
/** Enough for the program to load and compile all that it uses. */
const FIRST = 1_000;
const MOST_BYTES = 5_000_000;
/** A worker and a client, whose pools grow with the load. */
const MOST_CONNECTIONS = 40;

async function startAgents({ client }: WorkflowBench, from: number, to: number): Promise<string[]> {
  const orders = Array.from({ length: to - from }, (_, n) => ({ input: from + n }));
  const runs = await client.startBatch("patient", orders);
  return runs.map(({ runId }) => runId);
}

const waits = ({ client }: WorkflowBench, count: number): Promise<unknown> =>
  eventually(() => client.runs.count({ workflow: "patient", activity: "waiting" }), count, {
    withinMs: 300_000,
  });

/** Bytes of the heap of a worker, the least of several looks: it may be about to hear from the database. */
async function heapOf(worker: WorkerProcess): Promise<number> {
  const heaps: number[] = [];
  while (heaps.length < 5) {
    const before = worker.output.length;
    process.kill(worker.pid, "SIGUSR2");
    await eventually(() => worker.output.length, moreThan(before));
    heaps.push(Number(worker.output.at(-1)?.replace("heap ", "")));
  }
  return Math.min(...heaps);
}

const connectionsTo = async ({ database }: WorkflowBench): Promise<number> => {
  const [row] = await database.query(
    "select count(*)::int as connections from pg_stat_activity where datname = current_database()",
  );
  return Number(row?.["connections"]);
};

it(`${AGENTS} agents that wait for approval hold neither memory of their worker nor connections`, async () => {
  const bench = await setupWorkflows();
  const program = new URL("programs/waiting-worker.ts", import.meta.url);
  const args = [JSON.stringify(bench.connection)];
  const worker = startWorkerProcess(program, { args, flags: ["--expose-gc"] });
  await worker.line(/^serving/);
  const [first = ""] = await startAgents(bench, 0, FIRST);
  await waits(bench, FIRST);
  const before = await heapOf(worker);
  await startAgents(bench, FIRST, AGENTS);
  await waits(bench, AGENTS);
  expect((await heapOf(worker)) - before).toBeLessThan(MOST_BYTES);
  expect(await connectionsTo(bench)).toBeLessThan(MOST_CONNECTIONS);

  for await (const { approvals } of bench.client.approvals.list({ runId: first })) {
    await bench.client.approvals.decide(approvals[0]?.id ?? "", "approved", { actor: "ada" });
  }
  const run = await eventually(() => bench.client.runs.find(first), { status: "completed" });
  expect(run.output).toBe("Done.");
  expect(await bench.violations()).toEqual([]);
});
