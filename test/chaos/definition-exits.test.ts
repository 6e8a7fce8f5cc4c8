/** A definition whose node ends each process that calls it, next to those of others. */
import { definitionTools } from "@oxbow/declared";
import { expect, it } from "vitest";
import { createCheckedClient, definitionsOf } from "../helpers/checked-clients.ts";
import { createDatabase } from "../helpers/database.ts";
import { eventually } from "../helpers/eventually.ts";
import { atFileEnd } from "../helpers/file-end.ts";
import { startWorkerProcess } from "../helpers/worker-process.ts";

const PROGRAM = new URL("../helpers/programs/exiting-definitions-worker.ts", import.meta.url);

it("is set aside after ten workers, and runs of others complete", async () => {
  const database = await createDatabase();
  const client = createCheckedClient({ url: database.url, tools: definitionTools() });
  atFileEnd(() => client.close());
  const definitions = definitionsOf(client);
  for (const [name, type] of [
    ["exits", "exit@1"],
    ["works", "task@1"],
  ] as const) {
    const document = { format: 1, name, nodes: { node: { type, params: {} } }, edges: [] };
    await definitions.publish(name, await definitions.create(document));
  }

  let deaths = 0;
  let isOver = false;
  const workers = [1, 2].map(() => {
    let worker = startWorkerProcess(PROGRAM, { args: [database.url] });
    const supervising = (async (): Promise<void> => {
      for (;;) {
        await worker.end();
        if (isOver) return;
        deaths += 1;
        worker = startWorkerProcess(PROGRAM, { args: [database.url] });
      }
    })();
    return {
      stop: async () => {
        await worker.kill();
        await supervising;
      },
    };
  });
  atFileEnd(async () => {
    isOver = true;
    await Promise.all(workers.map((worker) => worker.stop()));
  });
  const exits = await definitions.start("exits");
  const works = await Promise.all(Array.from({ length: 20 }, () => definitions.start("works")));
  const ended = await eventually(
    async () => {
      // As time would.
      await database.query(
        "update queue.workflow_continuation set suspect_at = clock_timestamp() where suspect_at < 'infinity'",
      );
      return exits.status();
    },
    ({ status }) => status !== "running",
    { withinMs: 150_000 },
  );
  expect(ended).toMatchObject({ status: "failed", error: { code: "POISONED_RUN" } });
  for (const run of works) expect(await run.result({ timeout: "60s" })).toBeNull();
  expect(deaths).toBe(10);
  expect(await database.query("select * from queue.check_invariants()")).toEqual([]);
}, 480_000);
