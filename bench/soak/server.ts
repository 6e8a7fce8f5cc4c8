/** The server process of `make bench-soak`, which sweeps: `server.ts <url> <sweep interval in ms>`. */
import { startServer } from "@oxbow/server";

const [url = "", sweepIntervalMs = ""] = process.argv.slice(2);
process.on("disconnect", () => process.exit());
await startServer({ url, port: 0, sweepIntervalMs: Number(sweepIntervalMs) });
process.send?.("serving");
