/**
 * The application of the demo: its tables, and what the steps of `onboard-user` do to them. Each call of a step's
 * callback leaves a row in `app.call`, so that the database records what was called, where and when.
 */
import { setTimeout as pause } from "node:timers/promises";
import pg from "pg";

export const TABLES = `
  create schema app;
  create table app.customer (id integer generated always as identity primary key, email text not null unique);
  create table app.mail (customer_id integer not null, kind text not null, primary key (customer_id, kind));
  create table app.crm (customer_id integer primary key);
  create table app.call (
    id          integer generated always as identity primary key,
    step        text not null,
    worker_pid  integer not null,
    called_at   timestamptz not null default clock_timestamp(),
    returned_at timestamptz,
    percent     integer not null default 0
  );
`;

export interface Customer {
  readonly id: number;
  readonly email: string;
}

const pool = new pg.Pool({ connectionString: process.env["QUEUE_URL"], max: 4 });

export async function createCustomer(email: string): Promise<Customer> {
  return recorded("create-user", async () => {
    // Callbacks may be called again after a crash, so what they do is idempotent.
    const { rows } = await pool.query<Customer>(
      `insert into app.customer (email) values ($1)
       on conflict (email) do update set email = excluded.email
       returning id, email`,
      [email],
    );
    return only(rows);
  });
}

const PARTS = 8;
const PART_MS = 250;

/** Takes two seconds, and records its progress in its row. */
export async function sendWelcome(customer: Customer, signal: AbortSignal): Promise<string> {
  return recorded("send-welcome", async (callId) => {
    for (let part = 1; part <= PARTS; part += 1) {
      await pause(PART_MS, undefined, { signal });
      await pool.query("update app.call set percent = $2 where id = $1", [
        callId,
        Math.round((100 * part) / PARTS),
      ]);
    }
    await mail(customer, "welcome");
    return `welcome mail to ${customer.email}`;
  });
}

/** Fails the first time that it is called. */
export async function syncCrm(customer: Customer): Promise<string> {
  return recorded("sync-crm", async () => {
    const { rows } = await pool.query<{ calls: number }>(
      "select count(*)::int as calls from app.call where step = 'sync-crm'",
    );
    if (only(rows).calls === 1) throw new Error("the CRM answers 503");
    await pool.query("insert into app.crm values ($1) on conflict do nothing", [customer.id]);
    return `crm-${customer.id}`;
  });
}

export async function nudge(customer: Customer): Promise<void> {
  await recorded("nudge", () => mail(customer, "nudge"));
}

export async function close(): Promise<void> {
  await pool.end();
}

async function mail({ id }: Customer, kind: string): Promise<void> {
  await pool.query("insert into app.mail values ($1, $2) on conflict do nothing", [id, kind]);
}

async function recorded<Result>(
  step: string,
  call: (callId: number) => Promise<Result>,
): Promise<Result> {
  const { rows } = await pool.query<{ id: number }>(
    "insert into app.call (step, worker_pid) values ($1, $2) returning id",
    [step, process.pid],
  );
  const { id } = only(rows);
  const result = await call(id);
  await pool.query(
    "update app.call set returned_at = clock_timestamp(), percent = 100 where id = $1",
    [id],
  );
  return result;
}

function only<Row>(rows: readonly Row[]): Row {
  const [row] = rows;
  if (row === undefined) throw new Error("The statement returned no row.");
  return row;
}
