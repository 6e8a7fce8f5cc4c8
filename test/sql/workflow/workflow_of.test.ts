import { expect, it } from "vitest";
import { setupRun } from "../../helpers/runs.ts";

it("workflow_of returns the workflow of a run, and null if the run does not exist", async () => {
  const { runs, runId } = await setupRun("owner");
  const [row] = await runs.database.query(
    "select queue.workflow_of($1) as workflow, queue.workflow_of(999999) as absent",
    [runId],
  );
  expect(row).toEqual({ workflow: "owner", absent: null });
});
