import { createWorkflowClient } from "@oxbow/sdk";
import { describe, expect, it } from "vitest";
import { createDatabase } from "../helpers/database.ts";
import { eventually } from "../helpers/eventually.ts";
import { atFileEnd } from "../helpers/file-end.ts";
import type { LargeInput } from "../helpers/programs/large-worker.ts";
import { startTestServer } from "../helpers/server.ts";
import { startWorkerProcess, type WorkerProcess } from "../helpers/worker-process.ts";

const MIB = 1_048_576;
const SMALL_HEAP = ["--max-old-space-size=96"];

async function setup() {
  const database = await createDatabase();
  const client = createWorkflowClient({ url: database.url });
  atFileEnd(() => client.close());
  const startWorker = (flags?: readonly string[]): WorkerProcess =>
    startWorkerProcess(new URL("../helpers/programs/large-worker.ts", import.meta.url), {
      args: [database.url],
      ...(flags === undefined ? {} : { flags }),
    });
  const start = (input: LargeInput) => client.start("large", input);
  /** A run that waits, with a journal that no worker had to make. */
  const startWaiting = async (input: LargeInput): Promise<string> => {
    const { runId } = await start(input);
    await database.query(
      `select from queue.workflow_receive(array['large'], null, 1) as d,
         lateral queue.workflow_commit(
           array['large'], array[d.run_id], array[d.receipt], array['suspend'],
           array[jsonb_build_object('waits', jsonb_build_array(jsonb_build_object('kind', 'event', 'step', 'due',
             'event', 'due')), 'retries', '[]'::jsonb, 'journaled', $1::int)], null)`,
      [input.values],
    );
    await database.query(
      `insert into queue.workflow_step (
         run_id, started_at, completed_at, position, attempts, step_name, kind, output, bytes)
       select $1, now(), now(), n + 1, 1, 'value-' || n, 'run', to_jsonb(repeat('x', $3)), $3
       from generate_series(0, $2 - 1) as n`,
      [runId, input.values, input.bytes],
    );
    return runId;
  };
  return { database, client, startWorker, start, startWaiting };
}

it("a worker with a small heap survives forty runs with 3 MB each that become due together", async () => {
  const { database, client, startWorker, startWaiting } = await setup();
  const runIds: string[] = [];
  for (let n = 0; n < 40; n += 1) {
    // The first ones hold their values until the worker receives no more runs.
    runIds.push(await startWaiting({ values: 1, bytes: 3_000_000, holdMs: 8_000 }));
  }
  for (const runId of runIds) await client.signal(runId, "due");
  const worker = startWorker(SMALL_HEAP);
  await eventually(
    () =>
      database.query<{ count: number }>(
        "select count(*)::int from queue.workflow_run where output = '3000000'",
      ),
    ([row]) => row?.count === 40,
    { withinMs: 200_000 },
  );
  const [first, ...others] = worker.output;
  expect(first).toBe("serving");
  const held = others.map((line) => Number(/^holding (\d+)$/.exec(line)?.[1]));
  expect(held).not.toEqual([]);
  // An eighth of the heap, and one run more.
  expect(Math.max(...held)).toBeLessThanOrEqual(7);
  await worker.kill();
});

describe("a run whose journal is larger than one answer", () => {
  // An answer has at most 64 MiB.
  const LARGE = { values: 7, bytes: 10_000_000 };

  it("is received in pages over HTTP, and completes", async () => {
    const { database, client, startWaiting } = await setup();
    const runId = await startWaiting(LARGE);
    await client.signal(runId, "due");
    const server = await startTestServer(database);
    const remote = startWorkerProcess(
      new URL("../helpers/programs/large-worker.ts", import.meta.url),
      { args: [server.url] },
    );
    await eventually(async () => (await client.runs.find(runId)).output, 70_000_000, {
      withinMs: 110_000,
    });
    await remote.kill();
  });

  it("is given back, uncounted, while its journal can't be read, and completes, as its neighbours do", async () => {
    const { database, client, startWorker, start, startWaiting } = await setup();
    const runId = await startWaiting(LARGE);
    const neighbour = await start({ values: 1, bytes: 10 });
    const rename = (from: string, to: string): Promise<unknown> =>
      database.query(`alter function queue.${from}(bigint, integer) rename to ${to}`);
    await rename("workflow_journal_page", "journal_page_away");
    for (const id of [runId, neighbour.runId]) await client.signal(id, "due");
    const worker = startWorker();
    const found = async (id: string): Promise<unknown> => (await client.runs.find(id)).output;
    await eventually(
      () =>
        database.query(
          "select read_ct, restarts, message ->> 'journaled' as journaled from queue.workflow_continuation where msg_id = $1 and headers::text like '%journal can''t be read%'",
          [runId],
        ),
      // The values and the signal.
      [{ read_ct: 0, restarts: null, journaled: "8" }],
      { withinMs: 110_000 },
    );
    await eventually(() => found(neighbour.runId), 10);
    await rename("journal_page_away", "workflow_journal_page");
    await eventually(() => found(runId), 70_000_000, { withinMs: 110_000 });
    await worker.kill();
  });
});

describe("a run that outgrows its journal", () => {
  it.each([
    ["one after the other", false],
    ["at once, over HTTP", true],
  ])(
    "fails by name of the step and its size, with values %s",
    async (_, together) => {
      const { database, client, start } = await setup();
      const server = await startTestServer(database);
      const worker = startWorkerProcess(
        new URL("../helpers/programs/large-worker.ts", import.meta.url),
        { args: [together ? server.url : database.url] },
      );
      const run = await start({ values: 13, bytes: 10 * MIB, together });
      const error: unknown = await run
        .result({ timeout: "220s" })
        .catch((reason: unknown) => reason);
      expect(error).toMatchObject({
        cause: {
          code: "PAYLOAD_TOO_LARGE",
          message: expect.stringMatching(
            /^Step "value-\d+" of 104857\d+ bytes takes the journal of run/,
          ),
        },
      });
      // Neighbours continue.
      const small = await start({ values: 1, bytes: 10 });
      await client.signal(small.runId, "due");
      expect(await small.result({ timeout: "60s" })).toBe(10);
      await worker.kill();
    },
    300_000,
  );
});
