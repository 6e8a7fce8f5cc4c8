/** Door `@oxbow/sdk/testing`: a Postgres of one's own, and what tests of workflows need. */
export {
  Cluster,
  startPostgres,
  type PostgresOptions,
  type StopMode,
} from "./testing/embedded/cluster.ts";
export type { CreateDatabaseOptions } from "./testing/embedded/databases.ts";
