/** The calls of a relay one by one, for tests of what is between them. */
import type pg from "pg";
import type { TestDatabase } from "./database.ts";
import { useSession } from "./idle-sessions.ts";

interface Batch {
  readonly fleet_id: string;
  readonly source: number;
  readonly target: number;
  readonly read_at: string;
  readonly item_ids: string;
  readonly kinds: string;
  readonly causes: string;
  readonly bodies: string;
  readonly size: number;
}
interface Acceptance {
  readonly tail: string;
  readonly outcomes: string[];
  readonly problems: (string | null)[];
}
type Session = Pick<pg.Client, "query">;

const TAKE = `select fleet_id, source, target, read_at::text, item_ids::text, kinds::text, causes::text, bodies::text,
    cardinality(item_ids) as size
  from queue.outbox_take($1, $2)`;

export async function take(session: Session, target: string, max = 500): Promise<Batch> {
  const { rows } = await session.query<Batch>(TAKE, [target, max]);
  return rows[0] as Batch;
}

const ACCEPT = `select tail::text, to_jsonb(outcomes) as outcomes, to_jsonb(problems) as problems
  from queue.accept($1, $2, $3, $4, $5::bigint[], $6::text[], $7::text[], $8::jsonb[])`;

const valuesOf = (batch: Batch): unknown[] => [
  batch.fleet_id,
  batch.source,
  batch.target,
  batch.read_at,
  batch.item_ids,
  batch.kinds,
  batch.causes,
  batch.bodies,
];

export async function accept(database: TestDatabase, batch: Batch): Promise<Acceptance> {
  const [row] = await database.query<Acceptance & Record<string, unknown>>(ACCEPT, valuesOf(batch));
  return row as Acceptance;
}

/** In the transaction of a session. */
export async function acceptIn(session: Session, batch: Batch): Promise<Acceptance> {
  const { rows } = await session.query<Acceptance>(ACCEPT, valuesOf(batch));
  return rows[0] as Acceptance;
}

async function done(session: Session, batch: Batch, answer: Acceptance): Promise<void> {
  await session.query("select queue.outbox_done($1, $2, $3::bigint[], $4::text[], $5::text[])", [
    batch.target,
    answer.tail,
    batch.item_ids,
    answer.outcomes,
    answer.problems,
  ]);
}

const inTransaction = <Result>(
  database: TestDatabase,
  end: "commit" | "rollback",
  use: (session: pg.Client) => Promise<Result>,
): Promise<Result> =>
  useSession(database, async (session) => {
    await session.query("begin");
    const result = await use(session);
    await session.query(end);
    return result;
  });

/** Moves a batch from one database to the other, as a relay does. */
export const move = (
  from: TestDatabase,
  to: TestDatabase,
  target: string,
  max?: number,
): Promise<Acceptance> =>
  inTransaction(from, "commit", async (session) => {
    const batch = await take(session, target, max);
    const answer = await accept(to, batch);
    await done(session, batch, answer);
    return answer;
  });

/** As a relay that dies before it notes the delivery. Returns the batch, to be accepted again. */
export const acceptOnly = (from: TestDatabase, to: TestDatabase, target: string): Promise<Batch> =>
  inTransaction(from, "rollback", async (session) => {
    const batch = await take(session, target);
    await accept(to, batch);
    return batch;
  });

export const pending = async (database: TestDatabase): Promise<unknown[]> =>
  (await database.query("select value from queue.outbox_pending() as p (value)")).map(
    ({ value }) => value,
  );

/** A run to send items to. */
export async function startIn(database: TestDatabase, workflow = "crossed"): Promise<string> {
  const [row] = await database.query<{ run_id: string }>(
    "select run_id::text from queue.workflow_start($1)",
    [workflow],
  );
  return row?.run_id ?? "";
}
