/** Schedules for tests of the SQL functions, by nothing but these functions. */
import type pg from "pg";
import { type Delivery, only, type Queryable } from "./queues.ts";

export interface TickMessage extends Delivery {
  readonly message: Readonly<Record<string, unknown>>;
}

export interface Ticked {
  readonly outcome: "ok" | "lost";
  readonly run_ids: readonly (string | null)[] | null;
}

/** Calls schedule_create with arguments by name. */
export async function createSchedule(
  on: Queryable,
  given: Readonly<Record<string, unknown>>,
): Promise<string> {
  const names = Object.keys(given);
  const values = Object.values(given).map((value) =>
    typeof value === "object" && value !== null ? JSON.stringify(value) : value,
  );
  const list = names.map((name, index) => `${name} => $${index + 1}`).join(", ");
  const rows = await on.query<{ outcome: string }>(
    `select queue.schedule_create(${list}) as outcome`,
    values,
  );
  return only(rows).outcome;
}

/** A ticker's delivery; undefined if no schedule is due for a look. */
export async function receiveTick(on: Queryable): Promise<TickMessage | undefined> {
  const [message] = await on.query<TickMessage & pg.QueryResultRow>(
    "select * from queue.schedule_receive()",
  );
  return message;
}

export async function tick(
  on: Queryable,
  receipt: string,
  ticks: readonly Date[],
  next: Date | undefined,
  problem?: string,
): Promise<Ticked> {
  const rows = await on.query<{ outcome: Ticked["outcome"]; run_ids: Ticked["run_ids"] }>(
    "select outcome, run_ids from queue.schedule_tick($1, $2, $3, $4)",
    [receipt, ticks, next ?? null, problem ?? null],
  );
  return only(rows);
}

export async function schedule(on: Queryable, name: string): Promise<Record<string, unknown>> {
  return only(await on.query("select * from queue.schedule_list($1)", [name]));
}

export const minutesAfter = (moment: Date, minutes: number): Date =>
  new Date(moment.getTime() + minutes * 60_000);
