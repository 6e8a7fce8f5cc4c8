/** The systems to compare, without loading any of them: a system that isn't installed is still in the table. */

export interface SystemFacts {
  readonly id: string;
  readonly title: string;
  /** The npm package whose version is reported; undefined for systems that aren't on npm. */
  readonly package?: string;
  /** The settings that differ from the defaults, and their source; in the report under the table. */
  readonly tuning: string;
  /** Why it is not measured: by scenario or by row; "workflows" and "queues" stand for all of a kind. */
  readonly absent: Readonly<Record<string, string>>;
  /** A file that the user provides, since it isn't on npm: the environment variable with its path. */
  readonly needs?: { readonly variable: string; readonly what: string };
}

const NO_QUEUES = { queues: "workflows only: it has no queues of messages" };
const NO_WORKFLOWS = { workflows: "a job queue: it has no durable steps" };

export const oxbow: SystemFacts = {
  id: "oxbow",
  title: "Oxbow",
  package: "@oxbow/sdk",
  tuning:
    "worker: concurrency 200, everything else as by default. Queues: 4 loops (FIFO: 2) of receive 500 + deleteBatch on one client; idle consumer: consume() with concurrency 1.",
  absent: {},
};

export const peers: readonly SystemFacts[] = [
  {
    id: "dbos",
    title: "DBOS",
    package: "@dbos-inc/dbos-sdk",
    tuning:
      "queue with workerConcurrency 100 and minPollingIntervalMs 10; pools of 20 (systemDatabasePoolSize); DBOSClient.enqueue in the client, getResult with pollingIntervalMs 10 (default 1,000); LISTEN/NOTIFY as by default. <https://docs.dbos.dev/typescript/tutorials/queue-tutorial>",
    absent: NO_QUEUES,
  },
  {
    id: "absurd",
    title: "Absurd",
    package: "absurd-sdk",
    tuning:
      "startWorker with concurrency 100, batchSize 100 and pollInterval 0.01 s (default 0.25); pools of 20; awaitTaskResult as it is (it polls from 50 ms on, and has no option). <https://earendil-works.github.io/absurd/sdks/typescript/>",
    absent: NO_QUEUES,
    needs: {
      variable: "ABSURD_SQL",
      what: "its SQL isn't on npm; give the path of its sql/absurd.sql",
    },
  },
  {
    id: "pg-boss",
    title: "pg-boss",
    package: "pg-boss",
    tuning:
      "pools of 20; backlog: work() with batchSize 500, localConcurrency 4, burstWhenBatchFull, pollingIntervalSeconds 0.5 (the least); idle consumer: useListenNotify and a queue with notify; FIFO: policy key_strict_fifo with singletonKey. <https://pgboss.io/api/workers>, <https://pgboss.io/api/queues>",
    absent: NO_WORKFLOWS,
  },
  {
    id: "graphile-worker",
    title: "graphile-worker",
    package: "graphile-worker",
    tuning:
      "as on its page on performance: concurrentJobs 24, maxPoolSize 25; backlog: localQueue of 500, completeJobBatchDelay and failJobBatchDelay 0; the idle consumer without a local queue; FIFO: a queueName a group. <https://worker.graphile.org/docs/performance>",
    absent: NO_WORKFLOWS,
  },
  {
    id: "openworkflow",
    title: "OpenWorkflow",
    package: "openworkflow",
    tuning:
      "worker concurrency 100; pools of 20 (postgres.js, by the url). Its worker polls after 100 ms to 1 s and result() once a second: neither has an option. <https://openworkflow.dev/docs/production>",
    absent: NO_QUEUES,
  },
  {
    id: "pgmq",
    title: "pgmq",
    tuning:
      "4 connections, prepared statements: pgmq.read of 500, pgmq.delete of all of them; idle consumer: pgmq.read_with_poll with poll_interval_ms 10 (default 100). <https://pgmq.github.io/pgmq/api/sql/functions/>",
    absent: {
      workflows: "a queue: it has no workflows",
      "queue-fifo": "no groups in its version 1.5",
    },
    needs: {
      variable: "PGMQ_SQL",
      what: "its SQL isn't on npm; give the path of its pgmq-extension/sql/pgmq.sql",
    },
  },
  {
    id: "pg-workflows",
    title: "pg-workflows",
    package: "pg-workflows",
    tuning:
      "WORKFLOW_RUN_WORKERS=100; pools of 20. It polls each 0.5 s a worker without an option, and has no call that waits for a result: the client asks getRun each 10 ms. <https://github.com/SokratisVidros/pg-workflows/blob/main/docs/configuration.md>",
    absent: NO_QUEUES,
  },
  {
    id: "restate",
    title: "Restate",
    package: "@restatedev/restate-server",
    tuning:
      "its own server and log instead of Postgres, on the same disk, with the defaults (24 partitions, fsync of its logs on); SDK 1.17, restate.workflow, one deployment; RestatePromise.all instead of Promise.all, as its SDK asks for. <https://docs.restate.dev/develop/local_dev>",
    absent: {
      ...NO_QUEUES,
      drain: "runs can't be queued before a worker has registered what it serves",
      starts: "the same: starts can't be separated from the runs",
      wal: "no Postgres",
      commits: "no Postgres",
    },
  },
];

export const systems: readonly SystemFacts[] = [oxbow, ...peers];
