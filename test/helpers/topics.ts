/** Subscriptions and publishes for tests of the SQL functions, by nothing but these functions. */
import { only, type Queryable } from "./queues.ts";

export interface SubscriptionSettings {
  readonly filter?: unknown;
  readonly options?: Record<string, unknown>;
}

export type Target =
  | { readonly queue: string }
  | { readonly http: string }
  | { readonly workflow: string };

/** Subscribes a target; returns the subscription's id. */
export async function subscribe(
  on: Queryable,
  pattern: string,
  target: Target,
  { filter, options }: SubscriptionSettings = {},
): Promise<string> {
  const [type, name] = only(Object.entries(target));
  const rows = await on.query<{ id: string }>("select queue.subscribe($1, $2, $3, $4, $5) as id", [
    pattern,
    type,
    name,
    filter === undefined ? undefined : JSON.stringify(filter),
    options === undefined ? undefined : JSON.stringify(options),
  ]);
  return only(rows).id;
}

/** Publishes; returns how many targets were reached. */
export async function publish(
  on: Queryable,
  topic: string,
  message: unknown,
  headers?: Record<string, unknown>,
): Promise<number> {
  const rows = await on.query<{ reached: number }>(
    "select queue.send_topic($1, $2, $3) as reached",
    [topic, JSON.stringify(message), headers === undefined ? undefined : JSON.stringify(headers)],
  );
  return only(rows).reached;
}
