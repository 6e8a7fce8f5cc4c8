/** The SQL text of the connection itself. */
import { call } from "./call.ts";

export interface InstalledVersion {
  readonly version: string;
  readonly protocol: number;
  /** Process id of the session. */
  readonly processId: number;
  /** The isolation level of transactions that don't choose one. */
  readonly isolation: string;
}

export const installedVersion = call<readonly [], InstalledVersion>(
  "installed_version",
  `select queue.version() as version, queue.protocol_version() as protocol,
     pg_catalog.pg_backend_pid() as "processId",
     pg_catalog.current_setting('default_transaction_isolation') as isolation`,
);

/** What a server is at the moment: whether it takes writes, and whether it follows another one. */
export interface ServerState {
  readonly isReadOnly: boolean;
  readonly isStandby: boolean;
  /** When the session began that was asked. */
  readonly sessionStart: string;
}

export const serverState = call<readonly [], ServerState>(
  "server_state",
  `select pg_catalog.current_setting('transaction_read_only')::boolean as "isReadOnly",
     pg_catalog.pg_is_in_recovery() as "isStandby",
     (
       select a.backend_start::text
       from pg_catalog.pg_stat_get_activity(pg_catalog.pg_backend_pid()) as a
     ) as "sessionStart"`,
);

/**
 * At the beginning of a transaction: whose session it is. If this client's machine is gone without a word, the database
 * learns that by TCP within half a minute, rather than after two hours, and frees what the transaction has locked.
 */
export const beginTransaction = call(
  "begin_transaction",
  `select pg_catalog.pg_backend_pid() as id, pg_catalog.now()::text as "beganAt",
     pg_catalog.set_config('tcp_keepalives_idle', '10', true),
     pg_catalog.set_config('tcp_keepalives_interval', '5', true),
     pg_catalog.set_config('tcp_keepalives_count', '4', true),
     pg_catalog.set_config('tcp_user_timeout', '30000', true)`,
);

/**
 * The activity of sessions, by their ids and, where it is known, by their start: after a failover, the process of an id is
 * another session. One whose state can't be read counts as at work; one that waits for its client to read or to write
 * doesn't.
 */
export const sessionsAtWork = call(
  "sessions_at_work",
  `select a.pid as process_id, a.state_change::text as since,
     coalesce(a.state not like 'idle%' and a.wait_event_type is distinct from 'Client', true) as is_at_work
   from unnest($1::integer[], $2::text[]) as i (process_id, start)
   join pg_catalog.pg_stat_activity as a
     on a.pid = i.process_id and (i.start is null or a.backend_start = i.start::timestamptz)`,
);

/** Ends sessions of this role's own, if they have done nothing since. */
export const terminateSessions = call(
  "terminate_sessions",
  `select pg_catalog.pg_terminate_backend(a.pid)
   from unnest($1::integer[], $2::text[], $3::text[]) as i (process_id, start, since)
   join pg_catalog.pg_stat_activity as a
     on a.pid = i.process_id and (i.start is null or a.backend_start = i.start::timestamptz)
     and a.state_change::text = i.since`,
);

/**
 * Cancels what a transaction is doing, if its session is still in it. After a failover the process of that id is another
 * session, of another server.
 */
export const cancelStatement = call<readonly [processId: number, beganAt: string], unknown>(
  "cancel_statement",
  `select pg_catalog.pg_cancel_backend(a.pid)
   from pg_catalog.pg_stat_activity as a
   where a.pid = $1 and a.xact_start = $2::timestamptz`,
);

/** Ends the session of a transaction, if it is still in it. */
export const terminateTransaction = call<readonly [processId: number, beganAt: string], unknown>(
  "terminate_transaction",
  `select pg_catalog.pg_terminate_backend(a.pid)
   from pg_catalog.pg_stat_activity as a
   where a.pid = $1 and a.xact_start = $2::timestamptz`,
);

/** The end of the primary's log. */
export const writtenUpTo = call<readonly [], { readonly position: string }>(
  "written_up_to",
  "select pg_catalog.pg_current_wal_lsn()::text as position",
);

/**
 * How long ago the last transaction committed that a standby has replayed; 0 if it has replayed the log up to a position.
 */
export const secondsBehind = call<readonly [position: string], { readonly value: number }>(
  "seconds_behind",
  `select case
     when pg_catalog.pg_last_wal_replay_lsn() < $1::pg_catalog.pg_lsn
       then greatest(0, coalesce(extract(epoch from clock_timestamp() - pg_catalog.pg_last_xact_replay_timestamp()), 0))
     else 0
   end::float8 as value`,
);

/** On the listening connection only: it is a session's own, and never goes through a transaction pooler. */
export const armWake = (channel: string): string =>
  `select pg_advisory_lock_shared(queue.wake_key('${channel}'))`;

export const disarmWake = (channel: string): string =>
  `select pg_advisory_unlock_shared(queue.wake_key('${channel}'))`;
