/** SQL that the SDK sends for queues besides the calls in `functions.ts`. */
import { call } from "../connection/call.ts";

/**
 * Messages, a column an array; null where a message has no value. Arrays of numbers, as Postgres writes them: `{1,2}`.
 */
export interface ReceivedRow {
  readonly ids: string;
  readonly receipts: string | null;
  readonly receiveCounts: string | null;
  readonly enqueuedAts: readonly string[] | null;
  readonly visibleAts: readonly string[] | null;
  readonly groupIds: readonly (string | null)[] | null;
  readonly bodies: readonly unknown[] | null;
  readonly headers: readonly (Readonly<Record<string, unknown>> | null)[] | null;
  /** Receipt of the suspect among them. */
  readonly suspect: string | null;
}

type ReceiveParameters = readonly [
  queue: string,
  max: number,
  visibilityTimeout: number | null,
  matching: string | null,
  suspects: number | null,
  maxPerGroup: number,
];

/** One row, of which the driver has a few texts to read rather than eight for each message: see `toDeliveries`. */
export const receive = call<ReceiveParameters, ReceivedRow>(
  "receive",
  `select msg_ids::text as ids, receipts::text, read_cts::text as "receiveCounts",
     to_json(enqueued_ats) as "enqueuedAts", to_json(visible_ats) as "visibleAts",
     to_json(message_group_ids) as "groupIds", to_json(messages) as bodies, to_json(headers) as headers,
     suspect::text
   from queue.receive_arrays(
     queue => $1, max_messages => $2, visibility_timeout => $3, matching => $4::jsonb, suspects => $5,
     max_per_group => $6)`,
);

/**
 * Seconds until the next message of each queue, in their order; null if nothing becomes visible within the seconds that
 * a caller sleeps.
 */
export const nextVisibleIn = call<
  readonly [queues: readonly string[]],
  { readonly delay: number | null }
>(
  "next_visible_in",
  `select extract(epoch from next.at - clock_timestamp())::float8 * 1000 as delay
   from unnest($1::text[]) with ordinality as q (name, position)
   cross join lateral (select queue.next_visible_at(queue => q.name, within_seconds => 2) as at) as next
   order by q.position`,
);
