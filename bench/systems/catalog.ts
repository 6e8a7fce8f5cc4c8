/** What there is to compare, without loading any of it: a system that isn't installed is still in the table. */

export interface SystemFacts {
  readonly id: string;
  readonly title: string;
  /** The npm package whose version is told; none for what isn't on npm. */
  readonly package?: string;
  /** What was set away from the defaults, and by which document; in the report beneath the table. */
  readonly tuning: string;
  /** Why it is not measured: by scenario or by row; "workflows" and "queues" stand for all of a kind. */
  readonly absent: Readonly<Record<string, string>>;
  /** A file that somebody has to provide, since it isn't on npm: the environment variable with its path. */
  readonly needs?: { readonly variable: string; readonly what: string };
}

const NO_QUEUES = { queues: "workflows only: it has no queues of messages" };
const NO_WORKFLOWS = { workflows: "a job queue: it has no durable steps" };

export const oxbow: SystemFacts = {
  id: "oxbow",
  title: "Oxbow",
  package: "@oxbow/sdk",
  tuning:
    "worker: concurrency 200, everything else as by default. Queues: 4 loops of receive 500 + deleteBatch on one client; idle consumer: consume() with concurrency 1.",
  absent: {},
};

export const peers: readonly SystemFacts[] = [
  {
    id: "dbos",
    title: "DBOS",
    package: "@dbos-inc/dbos-sdk",
    tuning:
      "queue with workerConcurrency 100 and minPollingIntervalMs 10; pools of 20 (systemDatabasePoolSize); DBOSClient.enqueue in the client, getResult with pollingIntervalMs 10 (default 1,000); LISTEN/NOTIFY as by default. <https://docs.dbos.dev/typescript/reference/queues>, <https://docs.dbos.dev/typescript/reference/configuration>",
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
      what: "its SQL isn't on npm: give the path of its sql/absurd.sql",
    },
  },
];

export const systems: readonly SystemFacts[] = [oxbow, ...peers];
