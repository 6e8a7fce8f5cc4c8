import { expect, it } from "vitest";
import { createDatabase } from "../helpers/database.ts";
import { atLeast, eventually } from "../helpers/eventually.ts";
import { Ledger } from "../helpers/ledger.ts";
import type { GenerationsInput } from "../helpers/programs/generations-worker.ts";
import { startWorkerProcess, type WorkerProcess } from "../helpers/worker-process.ts";

const RUNS = 6;
const INPUT: GenerationsInput = { sum: 0, generations: 30, turns: 4 };

it("workers that are killed while runs continue as new neither lose nor repeat a generation", async () => {
  const database = await createDatabase();
  const ledger = new Ledger(database.url, (text, values) => database.query(text, values));
  await ledger.prepare();
  const startWorker = (): WorkerProcess =>
    startWorkerProcess(new URL("../helpers/programs/generations-worker.ts", import.meta.url), {
      args: [database.url],
    });
  const calls = async (): Promise<number> => {
    const [row] = await database.query<{ n: number }>("select count(*)::int as n from call");
    return row?.n ?? 0;
  };
  for (let n = 0; n < RUNS; n += 1) await ledger.client.start("renewing", INPUT);
  // Each worker is killed after some progress, at no chosen moment.
  for (let victim = 0; victim < 6; victim += 1) {
    const before = await calls();
    await using worker = startWorker();
    await eventually(calls, atLeast(before + 5 + victim * 3));
    await worker.kill();
  }
  startWorker();
  const turns = INPUT.generations * INPUT.turns;
  const ends = await eventually(
    () =>
      database.query(
        `select status::text, output, generation, count(*)::int as n
           from queue.workflow_run group by 1, 2, 3`,
      ),
    (rows) => rows.every(({ status }) => status !== "running"),
    { withinMs: 150_000 },
  );
  expect(ends).toEqual([
    { status: "completed", output: turns, generation: INPUT.generations, n: RUNS },
  ]);
  expect(
    await database.query(
      `select steps, count(*)::int as n from queue.workflow_generation group by 1`,
    ),
  ).toEqual([{ steps: INPUT.turns, n: RUNS * (INPUT.generations - 1) }]);
  // Calls go forward: no call of an earlier generation comes after the first of a later one was journaled.
  expect(
    await database.query(
      `select c.run_id, c.step
         from call as c
         join queue.workflow_generation as g
           on g.run_id = c.run_id
           and g.generation = split_part(c.step, ':', 1)::int
         where c.called_at > g.ended_at`,
    ),
  ).toEqual([]);
  expect(await database.query("select * from queue.check_invariants()")).toEqual([]);
});
