/** Starts a cluster, prints its process and directory, and runs until it is killed. */
import { startPostgres } from "@oxbow/sdk/testing";

const cluster = await startPostgres({ durable: false });
process.stdout.write(`cluster ${cluster.pid} ${cluster.dataDir}\n`);
setInterval(() => {}, 60_000);
