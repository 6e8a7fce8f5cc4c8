/** Calls of the workflow functions by plain SQL, as any language would make them. */
import { createDatabase, type TestDatabase } from "./database.ts";
import { atFileEnd } from "./file-end.ts";

export interface Delivery {
  readonly run_id: string;
  readonly receipt: string;
  readonly attempt: number;
  readonly version: number;
  readonly input: unknown;
  readonly journal: readonly { readonly name: string; readonly output?: unknown }[] | null;
  readonly continuation: unknown;
  readonly generation: number;
}

export interface CommitItem {
  readonly delivery: Delivery;
  readonly transition: "keep" | "suspend" | "complete" | "fail" | "continue" | "release";
  readonly result?: unknown;
  /** Names of steps that have finished, each with its name as output. */
  readonly steps?: readonly string[];
  /** Rows in the journal before. */
  readonly journaled?: number;
  readonly workflow?: string;
}

export interface CommitRow {
  readonly run_id: string;
  readonly outcome: string;
  readonly resolved: unknown;
}

/** Ends the leases of all runs of a workflow, as time would. */
export async function endLeases(
  database: { query(text: string): Promise<unknown> },
  workflow: string,
): Promise<void> {
  await database.query(
    `update queue."q___wf_${workflow}" set visible_at = clock_timestamp() where receipt is not null`,
  );
}

export class Runs {
  readonly database: TestDatabase;
  readonly name: string;

  constructor(database: TestDatabase, name: string) {
    this.database = database;
    this.name = name;
  }

  async start(options = ""): Promise<string> {
    const [row] = await this.database.query<{ run_id: string }>(
      `select run_id from queue.workflow_start('${this.name}', '{}'${options})`,
    );
    return row?.run_id ?? "";
  }

  receive(options = "max_runs => 10"): Promise<Delivery[]> {
    return this.database.query<Delivery>(
      `select * from queue.workflow_receive(array['${this.name}'], ${options}) order by run_id`,
    );
  }

  /** The one run that is ready. */
  async receiveOne(): Promise<Delivery> {
    const [delivery] = await this.receive();
    if (delivery === undefined) throw new Error("No run is ready.");
    return delivery;
  }

  /** @param skipLocked Leaves out runs that other transactions have locked. */
  commit(items: readonly CommitItem[], skipLocked = false): Promise<CommitRow[]> {
    const steps = items.flatMap((item, index) =>
      (item.steps ?? []).map((name, n) => ({
        item: index + 1,
        position: (item.journaled ?? 0) + n + 1,
        name,
      })),
    );
    return this.database.query<CommitRow>(
      `select run_id, outcome, resolved from queue.workflow_commit(
         $1, $2, $3, $4, $5::jsonb[], null, $6, $7, $8, $9, $10::jsonb[], null, $11, $12,
         skip_locked => $13)`,
      [
        items.map(({ workflow }) => workflow ?? this.name),
        items.map(({ delivery }) => delivery.run_id),
        items.map(({ delivery }) => delivery.receipt),
        items.map(({ transition }) => transition),
        items.map(({ result }) => (result === undefined ? null : JSON.stringify(result))),
        steps.map(({ item }) => item),
        steps.map(({ position }) => position),
        steps.map(({ name }) => name),
        steps.map(() => "run"),
        steps.map(({ name }) => JSON.stringify(name)),
        steps.map(() => 1),
        steps.map(() => 1),
        skipLocked,
      ],
    );
  }

  async endLeases(): Promise<void> {
    await endLeases(this.database, this.name);
  }

  async status(runId: string): Promise<unknown> {
    const [row] = await this.database.query(
      "select status, output, error from queue.workflow_get($1)",
      [runId],
    );
    return row;
  }

  async journal(runId: string): Promise<unknown[]> {
    const rows = await this.database.query("select name from queue.workflow_journal($1)", [runId]);
    return rows.map(({ name }) => name);
  }

  signal(runId: string, event: string, payload: unknown): Promise<Record<string, unknown>[]> {
    return this.database.query("select queue.workflow_signal($1, $2, $3::jsonb) as outcome", [
      runId,
      event,
      JSON.stringify(payload),
    ]);
  }

  violations(): Promise<unknown[]> {
    return this.database.query("select invariant, subject from queue.check_invariants()");
  }
}

/** A database, and a workflow of that name in it. */
export const setupRuns = async (name: string): Promise<Runs> =>
  new Runs(await createDatabase(), name);

/** As `setupRuns`, with a run that has been started. */
export async function setupRun(name: string): Promise<{ runs: Runs; runId: string }> {
  const runs = await setupRuns(name);
  return { runs, runId: await runs.start() };
}

interface Shared {
  readonly database: TestDatabase;
  /** The names of the workflows in it. */
  readonly names: Set<string>;
}

let shared: Promise<Shared> | undefined;

async function share(): Promise<Shared> {
  atFileEnd(() => {
    shared = undefined;
  });
  return { database: await createDatabase(), names: new Set() };
}

/**
 * As `setupRuns`, in a database that tests of the file share, for those that look at the runs of their workflow alone:
 * a new one, and the first calls of its sessions, cost more than most tests.
 */
export async function shareRuns(name: string): Promise<Runs> {
  shared ??= share();
  const { database, names } = await shared;
  if (names.has(name)) throw new Error(`Another test of the file has a workflow "${name}".`);
  names.add(name);
  return new Runs(database, name);
}

/** As `shareRuns`, with a run that has been started. */
export async function shareRun(name: string): Promise<{ runs: Runs; runId: string }> {
  const runs = await shareRuns(name);
  return { runs, runId: await runs.start() };
}
