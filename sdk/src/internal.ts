/** Door `@oxbow/sdk/internal`, for the server, the benchmarks and the tests. No promise of compatibility. */
export { diagnose, type Finding } from "./install/diagnose.ts";
export { migrate, type MigrateOptions, type MigrationReport } from "./install/migrate.ts";
export { toJournal } from "./core/json.ts";
export type { Transport } from "./protocol/transport.ts";
export { connect, type ConnectOptions } from "./transport/connect.ts";
