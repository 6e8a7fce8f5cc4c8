/** Triggers for tests of the SQL functions, by these functions. */
import { randomBytes } from "node:crypto";
import {
  createDefinition,
  documentOf,
  newDefinitionName,
  publishDefinition,
} from "./definitions.ts";
import { only, type Queryable } from "./queues.ts";

export interface TestEvent {
  readonly eventId: string;
  readonly receipt: string;
  readonly attempts: number;
  readonly topic: string;
  readonly message: unknown;
  readonly only: unknown;
  readonly subscriptionIds: readonly string[];
}

export interface TestBatch {
  readonly epoch: string;
  readonly triggers:
    | readonly {
        readonly definition: string;
        readonly version: number;
        readonly subscriptionId: string;
        readonly loads: readonly string[];
      }[]
    | null;
  readonly events: readonly TestEvent[];
}

export const newTopic = (): string => `t.${randomBytes(6).toString("hex")}`;

/** Publishes a definition with one trigger, `changed`. */
export async function listening(
  on: Queryable,
  {
    topic = newTopic(),
    pool = `p-${randomBytes(6).toString("hex")}`,
    scope,
    prefilter = [],
    trigger = {},
  }: {
    readonly topic?: string;
    readonly pool?: string;
    readonly scope?: unknown;
    readonly prefilter?: readonly unknown[];
    readonly trigger?: object;
  } = {},
): Promise<{ readonly name: string; readonly topic: string; readonly pool: string }> {
  const name = newDefinitionName();
  const document = {
    ...documentOf(name),
    triggers: { changed: { on: topic, ...trigger } },
    settings: { pool },
  };
  const revision = await createDefinition(on, document);
  if (scope !== undefined) {
    await on.query("select queue.definition_configure($1, scope => $2)", [name, scope]);
  }
  await publishDefinition(on, name, revision, {
    compiled: { references: {}, triggers: [{ id: "changed", on: topic, prefilter }] },
  });
  return { name, topic, pool };
}

export async function send(on: Queryable, topic: string, message: unknown): Promise<number> {
  const rows = await on.query<{ reached: number }>("select queue.send_topic($1, $2) as reached", [
    topic,
    JSON.stringify(message),
  ]);
  return only(rows).reached;
}

export async function receive(
  on: Queryable,
  pool: string,
  epoch: string | null = null,
  leaseSeconds = 30,
  max = 100,
): Promise<TestBatch> {
  return only(
    await on.query<TestBatch & Record<string, unknown>>(
      "select epoch::text, triggers, events from queue.trigger_receive($1, $2, $3, $4)",
      [pool, max, leaseSeconds, epoch],
    ),
  );
}

export const start = (event: TestEvent, definition: string, more: object = {}): object => ({
  receipt: event.receipt,
  definition,
  version: 1,
  trigger: "changed",
  outcome: "start",
  ...more,
});

/** Returns the receipts that were alive. */
export async function commit(
  on: Queryable,
  pool: string,
  events: readonly TestEvent[],
  matches: readonly object[],
  report?: object,
): Promise<readonly string[]> {
  const rows = await on.query<{ held: string }>(
    "select queue.trigger_commit($1, $2, $3)::text as held",
    [
      pool,
      JSON.stringify(events.map(({ receipt }) => ({ receipt, state: "evaluated", ...report }))),
      JSON.stringify(matches),
    ],
  );
  return rows.map(({ held }) => held);
}

export const runsOf = (
  on: Queryable,
  name: string,
): Promise<readonly Readonly<Record<string, unknown>>[]> =>
  on.query(
    "select l.run_id::text, g.input, g.version from queue.workflow_list($1) as l cross join lateral queue.workflow_get(l.run_id) as g order by l.run_id",
    [JSON.stringify({ name })],
  );

export const matchesOf = (
  on: Queryable,
  event: TestEvent,
): Promise<readonly Readonly<Record<string, unknown>>[]> =>
  on.query("select * from queue.trigger_match where event_id = $1 order by definition_id", [
    event.eventId,
  ]);
