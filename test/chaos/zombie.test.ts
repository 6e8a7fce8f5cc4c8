import { expect, it } from "vitest";
import { createDatabase } from "../helpers/database.ts";
import { eventually } from "../helpers/eventually.ts";
import { Ledger } from "../helpers/ledger.ts";

it("a worker frozen past its lease changes nothing when it thaws, and then serves others again", async () => {
  const database = await createDatabase();
  const ledger = new Ledger(database.url, (text, values) => database.query(text, values));
  await ledger.prepare();

  const zombie = ledger.worker();
  const runId = await ledger.start({ steps: 3, hold: "s1" });
  await ledger.isCalled(runId, "s1");
  zombie.freeze();

  const heir = ledger.worker(20, "1m");
  await ledger.openGate();
  await heir.line(new RegExp(`^completed ${runId}$`));
  const journal = await ledger.client.runs.steps(runId);

  zombie.thaw();
  await zombie.line(new RegExp(`^dropped ${runId} lost$`));
  expect(await ledger.client.runs.steps(runId)).toEqual(journal);
  expect(zombie.output).not.toContain(`completed ${runId}`);

  await heir.kill();
  const next = await ledger.start({ steps: 3 });
  await zombie.line(new RegExp(`^completed ${next}$`));
  await ledger.isSound([runId, next], 3);
});

it("a worker that was frozen past its lease aborts its callback, and two workers that call the same step journal it once", async () => {
  const database = await createDatabase();
  const ledger = new Ledger(database.url, (text, values) => database.query(text, values));
  await ledger.prepare();

  const zombie = ledger.worker();
  const runId = await ledger.start({ steps: 3, hold: "s1" });
  await ledger.isCalled(runId, "s1");
  zombie.freeze();
  const heir = ledger.worker(20, "1m");
  await eventually(() => ledger.calls(runId, "s1"), 2);
  zombie.thaw();
  await zombie.line(/^aborted s1$/);
  expect(heir.output).not.toContain("aborted s1");

  // Both return from it now.
  await ledger.openGate();
  await Promise.all([heir.line(/^returns s1$/), zombie.line(/^returns s1$/)]);
  await ledger.isSound([runId], 3);
  expect(zombie.output).not.toContain(`completed ${runId}`);
});
