import { expect, it } from "vitest";
import { createDatabase } from "../../helpers/database.ts";
import { Runs } from "../../helpers/runs.ts";

interface Changes {
  readonly now: number;
  readonly changes: readonly { readonly at: number; readonly status: string }[];
}

const database = await createDatabase();

async function changes(workflow: string, since: number | null, most = 1_000): Promise<Changes> {
  const [row] = await database.query<{ changes: Changes }>(
    "select queue.workflow_changes($1, $2, $3) as changes",
    [workflow, since, most],
  );
  if (row === undefined) throw new Error("workflow_changes() returned no row.");
  return row.changes;
}

it("returns the starts and ends since, only of this workflow, in order", async () => {
  const { now, changes: none } = await changes("watched", null);
  expect(none).toEqual([]);
  const runs = new Runs(database, "watched");
  await runs.start();
  const delivery = await runs.receiveOne();
  await runs.start();
  await runs.commit([{ delivery, transition: "complete", steps: ["a"] }]);
  await new Runs(database, "another").start();

  const all = (await changes("watched", now)).changes;
  expect(all.map(({ status }) => status)).toEqual(["running", "running", "completed"]);
  expect((await changes("watched", now, 2)).changes).toEqual(all.slice(0, 2));
  expect((await changes("watched", all[1]?.at ?? 0)).changes).toEqual(all.slice(2));
  expect(await changes("watched", (await changes("watched", null)).now)).toMatchObject({
    changes: [],
  });
});

it("refuses an empty request", async () => {
  await expect(changes("watched", 0, 0)).rejects.toMatchObject({ code: "OX004" });
});
