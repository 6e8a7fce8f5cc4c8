/** A server with everything as by default: `http-server.ts <database url>`. Ends with the process that started it. */
import { startServer } from "@oxbow/server";

const [url = ""] = process.argv.slice(2);
process.on("disconnect", () => process.exit());
const server = await startServer({ url, port: 0 });
process.send?.(server.url);
