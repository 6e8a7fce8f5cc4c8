/** Runs of workflow "parent" that invoke a run of workflow "child" in another shard, by the calls of a worker. */
import type { TestDatabase } from "./database.ts";
import { routesAt } from "./fleet.ts";

export interface Leased {
  readonly run: string;
  readonly receipt: string;
}

/** A route that is at home in a shard. */
export const routeAt = async (database: TestDatabase, shard: string): Promise<string> =>
  (await routesAt(database, shard))[0];

export async function receive(database: TestDatabase, workflow: string): Promise<Leased> {
  const [row] = await database.query<Leased & Record<string, unknown>>(
    `select run_id::text as run, receipt::text from queue.workflow_receive(array[$1], lease_seconds => 60)`,
    [workflow],
  );
  if (row === undefined) throw new Error(`No run of ${workflow} is ready.`);
  return row;
}

export async function start(database: TestDatabase, workflow: string): Promise<Leased> {
  await database.query("select queue.workflow_start($1)", [workflow]);
  return receive(database, workflow);
}

export interface Invocation {
  readonly route: string;
  readonly transition?: "suspend" | "keep" | undefined;
  readonly kind?: "invoke" | "detach" | undefined;
  /** Step of the parent. Default: "child". */
  readonly step?: string | undefined;
}

/** Commits a step that invokes a run. */
export async function invoke(
  database: TestDatabase,
  { run, receipt }: Leased,
  { route, transition = "suspend", kind = "invoke", step = "child" }: Invocation,
): Promise<unknown> {
  const detached = kind === "detach" ? { detached: true } : {};
  const [row] = await database.query(
    `select outcome, resolved from queue.workflow_commit(array['parent'], array[$1::bigint], array[$2::bigint], array[$3],
       array[$4::jsonb], array[null::timestamptz], effect_items => array[1], effect_kinds => array[$5],
       effect_steps => array[$6], effect_targets => array['child'], effect_events => array[$7],
       effect_values => array['{"n": 1}'::jsonb], effect_versions => array[null::integer],
       effect_retention => array[null::integer])`,
    [
      run,
      receipt,
      transition,
      JSON.stringify({
        waits: [{ kind: "invoke", step, route, ...detached }],
        retries: [],
        journaled: 0,
      }),
      kind,
      step,
      route,
    ],
  );
  return row;
}

/** Commits a transition without steps. */
export async function end(
  database: TestDatabase,
  workflow: string,
  { run, receipt }: Leased,
  transition: string,
  result: unknown,
): Promise<void> {
  await database.query(
    `select queue.workflow_commit(array[$1], array[$2::bigint], array[$3::bigint], array[$4], array[$5::jsonb],
       array[null::timestamptz])`,
    [workflow, run, receipt, transition, JSON.stringify(result)],
  );
}

export async function statusOf(database: TestDatabase, run: string): Promise<unknown> {
  const [row] = await database.query<{ status: string }>(
    "select status::text from queue.workflow_run where run_id = $1",
    [run],
  );
  return row?.status;
}
