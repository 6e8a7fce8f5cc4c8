/** Workers that are killed again and again while the items of a loop run as child runs. */
import { createWorkflowClient } from "@oxbow/sdk";
import { expect, it } from "vitest";
import { createDatabase } from "../helpers/database.ts";
import { atFileEnd } from "../helpers/file-end.ts";
import { startWorkerProcess } from "../helpers/worker-process.ts";

const PROGRAM = new URL("../helpers/programs/item-runs-worker.ts", import.meta.url);
const ITEMS = [0, 1, 2, 3, 4, 5, 6, 7];
/** Calls that each worker answers before it is killed. */
const ANSWERED = [1, 2, 3, 2, 1];

it("killed workers lose no item, repeat no item that has ended, and start no item twice", async () => {
  const database = await createDatabase();
  const client = createWorkflowClient({ url: database.url });
  atFileEnd(() => client.close());
  const run = await client.start("killed-items", { items: ITEMS });
  for (const answered of ANSWERED) {
    const worker = startWorkerProcess(PROGRAM, { args: [database.url, String(answered)] });
    await worker.line(/^held/);
    await worker.kill();
  }
  const last = startWorkerProcess(PROGRAM, { args: [database.url] });
  expect(await run.result({ timeout: "60s" })).toMatchObject({
    results: ITEMS.map((item) => (item === 4 ? null : item + 100 + item)),
    succeeded: 7,
    failures: [{ index: 4, error: { code: "EXPRESSION_FAILED" } }],
  });
  await last.kill();
  const items = await database.query(
    `select parent_step, is_item, status::text from queue.workflow_run
    where parent_run_id = $1 order by parent_step`,
    [run.runId],
  );
  expect(items).toEqual(
    ITEMS.map((item) => ({
      parent_step: `each.${item}`,
      is_item: true,
      status: item === 4 ? "failed" : "completed",
    })),
  );
  expect(await database.query("select * from queue.check_invariants()")).toEqual([]);
});
