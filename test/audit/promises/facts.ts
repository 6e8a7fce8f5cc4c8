/** The state of the database at the end of a trial, read by the auditor over its own connection. */
import pg from "pg";

export interface AuditRequest {
  readonly trial: string;
  /** Straight to the database. */
  readonly url: string;
  /**
   * Calls acknowledged between these times may be lost, with everything that depends on them: the database lost its tail.
   * What remains must still be consistent.
   */
  readonly lost?: { readonly from: number; readonly to: number };
  /** Workers stood still until then, so that their signals could not abort before. */
  readonly stoppedUntil?: number;
  /** Promises that the fault suspends, by name. */
  readonly except?: readonly string[];
  /** The fault hits no worker and no network, so each callback is called once, except those of this run. */
  readonly once?: { readonly except: string };
  /** Ticks after this moment are looked at. */
  readonly ticksSince: string;
  /** Answer with the entries and the facts too. */
  readonly verbose?: boolean;
}

export interface RunFact {
  readonly run: string;
  readonly workflow: string;
  readonly status: string;
  readonly input: unknown;
  readonly output: unknown;
  readonly error: { readonly message?: string; readonly code?: string } | null;
  readonly key: string | null;
}

export interface StepFact {
  readonly run: string;
  readonly step: string;
  readonly position: number;
  readonly output: unknown;
  readonly error: unknown;
  /** Milliseconds since 1970, by the database's clock. */
  readonly completedAt: number;
}

export interface Facts {
  readonly runs: readonly RunFact[];
  readonly steps: readonly StepFact[];
  readonly ledger: readonly {
    readonly run: string;
    readonly step: string;
    readonly rows: number;
  }[];
  readonly inbox: readonly {
    readonly group: string;
    readonly number: number;
    readonly rows: number;
  }[];
  /** Runs of each tick, oldest first. */
  readonly ticks: readonly { readonly at: number; readonly runs: number }[];
  /** Unacknowledged messages by queue. */
  readonly left: readonly { readonly queue: string; readonly count: number }[];
  readonly invariants: readonly string[];
}

export async function readFacts({ url, trial, ticksSince }: AuditRequest): Promise<Facts> {
  const session = new pg.Client({ connectionString: url, application_name: "auditor" });
  session.on("error", () => {});
  await session.connect();
  const rows = async <Row extends pg.QueryResultRow>(text: string, ...values: unknown[]) =>
    (await session.query<Row>(text, values)).rows;
  try {
    // One moment for all of it: runs of schedules never cease.
    await session.query("begin isolation level repeatable read");
    await session.query("set local statement_timeout = '60s'; set local search_path = public");
    const mine = `select r.run_id from queue.workflow_run as r where r.input ->> 'trial' = $1`;
    return {
      runs: await rows<RunFact & pg.QueryResultRow>(
        `select r.run_id::text as run, r.workflow_name as workflow, r.status::text, r.input, r.output, r.error,
           r.idempotency_key as key
         from queue.workflow_run as r where r.input ->> 'trial' = $1`,
        trial,
      ),
      steps: await rows<StepFact & pg.QueryResultRow>(
        `select s.run_id::text as run, s.step_name as step, s.position,
           case when pg_column_size(s.output) < 4000 then s.output end as output,
           s.error, (extract(epoch from s.completed_at) * 1000)::float8 as "completedAt"
         from queue.workflow_step as s where s.run_id in (${mine}) order by s.run_id, s.position`,
        trial,
      ),
      ledger: await rows(
        `select run_id::text as run, step, count(*)::int as rows
         from public.audit_ledger where run_id in (${mine}) group by 1, 2`,
        trial,
      ),
      inbox: await rows(
        `select message_group as "group", number, count(*)::int as rows
         from public.audit_inbox where trial = $1 group by 1, 2`,
        trial,
      ),
      ticks: await rows(
        `select (extract(epoch from r.scheduled_at) * 1000)::float8 as at, count(*)::int as runs
         from queue.workflow_run as r
         where r.workflow_name = 'ticked' and r.scheduled_at >= $1::timestamptz
         group by 1 order by 1`,
        ticksSince,
      ),
      left: await rows(
        `select q as queue, (t.visible + t.in_flight + t.delayed)::int as count
         from unnest(array['audit-ordered', 'audit-booked', 'audit-left', 'audit-right']) as q,
           queue.queue_stats(q) as t
         where t.visible + t.in_flight + t.delayed > 0`,
      ),
      invariants: (
        await rows<{ text: string }>("select v::text as text from queue.check_invariants() as v")
      ).map(({ text }) => text),
    };
  } finally {
    await session.end();
  }
}
