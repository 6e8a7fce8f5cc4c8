/** Starts a cluster, tells its process and directory, and goes on until it is killed. */
import { startPostgres } from "@oxbow/sdk/testing";

const cluster = await startPostgres({ durable: false });
process.stdout.write(`cluster ${cluster.pid} ${cluster.dataDir}\n`);
setInterval(() => {}, 60_000);
