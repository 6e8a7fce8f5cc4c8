import { describe, expect, it } from "vitest";
import { createDatabase } from "../../helpers/database.ts";
import {
  codeOf,
  createDefinition,
  documentOf,
  newDefinitionName,
  publishDefinition,
  saveDraft,
} from "../../helpers/definitions.ts";
import { only } from "../../helpers/queues.ts";
import { type Delivery, Runs } from "../../helpers/runs.ts";
import { openSession, openTransaction } from "../../helpers/session.ts";

const database = await createDatabase();
const runs = new Runs(database, "@migrations");

const WAITS = { waits: [{ kind: "event", step: "hold", event: "go" }], retries: [] };

const start = async (name: string, options = ""): Promise<string> =>
  only(
    await database.query<{ run_id: string }>(
      `select run_id from queue.definition_start($1${options})`,
      [name],
    ),
  ).run_id;

/** A run of version 1, of a definition that has a version 2. */
async function started(
  options = "",
  flowControl?: object,
): Promise<{ readonly name: string; readonly run: string; readonly others: readonly string[] }> {
  const document = { ...documentOf(newDefinitionName()), settings: { pool: "migrations" } };
  const { name } = document;
  const compiled = flowControl === undefined ? undefined : { defaults: { flowControl } };
  await publishDefinition(database, name, await createDefinition(database, document), { compiled });
  const run = await start(name, options);
  const others = flowControl === undefined ? [] : [await start(name, options)];
  const revision = await saveDraft(database, { ...document, title: "Second" }, 1);
  await publishDefinition(database, name, revision, { compiled });
  return { name, run, others };
}

const received = async (): Promise<string[]> =>
  (await runs.receive("max_runs => 100")).map(({ run_id: run }) => run);

const migrate = async (
  { name, run }: { readonly name: string; readonly run: string },
  version = 2,
  compared?: object,
  on: { query: typeof database.query } = database,
): Promise<string> =>
  only(
    await on.query<{ outcome: string }>(
      "select queue.definition_migrate($1, $2, $3, $4) as outcome",
      [name, run, version, compared === undefined ? null : JSON.stringify(compared)],
    ),
  ).outcome;

async function receive(run: string): Promise<Delivery> {
  const found = (await runs.receive()).find(({ run_id }) => run_id === run);
  if (found === undefined) throw new Error(`Run ${run} is not ready.`);
  return found;
}

describe("definition_migrate", () => {
  it("gives the next delivery the other version, once", async () => {
    const given = await started();
    expect(await migrate(given)).toBe("migrated");
    expect(await migrate(given)).toBe("unchanged");
    expect(await receive(given.run)).toMatchObject({ version: 2, attempt: 1 });
    expect(await migrate(given, 1)).toBe("executing");
  });

  it("takes the lease of a worker that is lost, whose commit then changes nothing", async () => {
    const given = await started();
    const lost = await receive(given.run);
    expect(await migrate(given)).toBe("executing");
    await runs.endLeases();
    expect(await migrate(given)).toBe("migrated");
    const commit = [{ delivery: lost, transition: "complete", steps: ["done"] } as const];
    expect(await runs.commit(commit)).toMatchObject([{ outcome: "lost" }]);
    expect(await runs.journal(given.run)).toEqual([]);
    const next = await receive(given.run);
    expect(next).toMatchObject({ version: 2, attempt: 2 });
    expect(await runs.commit([{ delivery: next, transition: "complete" }])).toMatchObject([
      { outcome: "ok" },
    ]);
    expect(await migrate(given, 1)).toBe("ended");
    expect(await runs.violations()).toEqual([]);
  });

  it("moves only what hasn't changed since the comparison", async () => {
    const given = await started();
    const compared = { version: 1, rows: 0, pending: ["hold"] };
    const delivery = await receive(given.run);
    await runs.commit([{ delivery, transition: "suspend", result: WAITS, steps: ["done"] }]);
    expect(await migrate(given, 2, compared)).toBe("advanced");
    expect(await migrate(given, 2, { ...compared, rows: 1, pending: [] })).toBe("advanced");
    expect(await migrate(given, 2, { ...compared, rows: 1 })).toBe("migrated");
  });

  it("lets a run that is paused stay so, and wakes it for the new version when it is resumed", async () => {
    const given = await started();
    const delivery = await receive(given.run);
    await runs.commit([{ delivery, transition: "suspend", result: WAITS, steps: ["done"] }]);
    await database.query("select queue.workflow_pause($1)", [given.run]);
    expect(await migrate(given)).toBe("migrated");
    expect((await runs.receive()).map(({ run_id }) => run_id)).not.toContain(given.run);
    await database.query("select queue.workflow_resume($1)", [given.run]);
    expect(await receive(given.run)).toMatchObject({ version: 2 });
    expect(await runs.violations()).toEqual([]);
  });

  it("moves a run that kills its workers, of which the new version knows nothing", async () => {
    const given = await started();
    const takes = async (suspects: number): Promise<Delivery | undefined> =>
      (await runs.receive(`max_runs => 100, suspects => ${suspects}`)).find(
        ({ run_id }) => run_id === given.run,
      );
    for (let death = 1; death <= 2; death += 1) {
      expect(await takes(0)).toMatchObject({ attempt: death });
      await runs.endLeases();
    }
    expect(await takes(0)).toBeUndefined();
    expect(await migrate(given)).toBe("migrated");
    expect(await takes(0)).toMatchObject({ version: 2, attempt: 2 });
    await runs.endLeases();
    expect(await takes(0)).toBeUndefined();
    await database.query(
      "update queue.workflow_continuation set suspect_at = clock_timestamp() where msg_id = $1",
      [given.run],
    );
    // A worker that takes it as a suspect holds it.
    expect(await takes(1)).toMatchObject({ attempt: 3 });
    expect(await migrate(given, 1)).toBe("executing");
    await runs.endLeases();
    expect(await takes(0)).toBeUndefined();
    await database.query("select queue.workflow_pause($1)", [given.run]);
    expect(await migrate(given, 1)).toBe("migrated");
    expect(await takes(1)).toBeUndefined();
    await database.query("select queue.workflow_resume($1)", [given.run]);
    const last = await takes(0);
    expect(last).toMatchObject({ version: 1, attempt: 2 });
    expect(
      only(
        await database.query("select deaths from queue.workflow_continuation where msg_id = $1", [
          given.run,
        ]),
      ),
    ).toEqual({ deaths: null });
    expect(await runs.violations()).toEqual([]);
  });

  it("leaves a delayed start its time, paused or not", async () => {
    const given = await started(", delay_seconds => 3600");
    const resumesIn = async (): Promise<number> =>
      only(
        await database.query<{ seconds: number }>(
          "select extract(epoch from visible_at - clock_timestamp())::float8 as seconds from queue.workflow_continuation where msg_id = $1",
          [given.run],
        ),
      ).seconds;
    expect(await migrate(given)).toBe("migrated");
    expect(await resumesIn()).toBeGreaterThan(1800);
    expect(await received()).not.toContain(given.run);
    await database.query("select queue.workflow_pause($1)", [given.run]);
    expect(await migrate(given, 1)).toBe("migrated");
    await database.query("select queue.workflow_resume($1)", [given.run]);
    expect(await resumesIn()).toBeGreaterThan(1800);
    expect(await runs.violations()).toEqual([]);
  });

  it("leaves a run that flow control holds back its turn, a retried one too", async () => {
    const given = await started("", { concurrency: 1 });
    const other = { ...given, run: given.others[0] ?? "" };
    const first = await receive(given.run);
    expect(await migrate(other)).toBe("migrated");
    expect(await received()).not.toContain(other.run);
    await runs.commit([
      { delivery: first, transition: "fail", result: { message: "no" }, steps: ["done"] },
    ]);
    // Before its end has been counted, and after.
    await database.query("select queue.workflow_retry($1)", [given.run]);
    expect(await migrate(given)).toBe("migrated");
    const second = only(await runs.receive());
    expect(second).toMatchObject({ run_id: other.run, version: 2 });
    expect(await migrate(given, 1)).toBe("migrated");
    expect(await runs.receive()).toEqual([]);
    await runs.commit([{ delivery: second, transition: "complete" }]);
    expect(only(await runs.receive())).toMatchObject({ run_id: given.run, version: 1 });
    expect(await runs.receive()).toEqual([]);
    expect(await runs.violations()).toEqual([]);
  });

  it("is undone with its transaction, and waits for one that changes the run", async () => {
    const given = await started();
    const session = await openTransaction(database);
    expect(await migrate(given, 2, undefined, session)).toBe("migrated");
    const other = migrate(given);
    await session.query("rollback");
    expect(await other).toBe("migrated");
  });

  it("refuses what it does not know, and callers that may not publish", async () => {
    const given = await started();
    const other = await started();
    expect(await codeOf(migrate(given, 3))).toBe("OX012");
    expect(await codeOf(migrate({ ...given, name: "nowhere" }))).toBe("OX012");
    await expect(migrate({ name: other.name, run: given.run })).rejects.toMatchObject({
      code: "OX005",
      message: `run ${given.run} is of "${given.name}", not of "${other.name}"`,
    });
    expect(await codeOf(migrate({ ...given, run: "4711000" }))).toBe("OX005");
    const { run_id: test } = only(
      await database.query<{ run_id: string }>("select run_id from queue.definition_test($1)", [
        given.name,
      ]),
    );
    expect(await codeOf(migrate({ ...given, run: test }))).toBe("OX004");
    const session = await openSession(database);
    await session.query("set role oxbow_author");
    expect(await codeOf(migrate(given, 2, undefined, session))).toBe("42501");
  });
});
