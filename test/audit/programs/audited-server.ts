/** The HTTP server as a process that ends with the auditor. Arguments: port of the auditor, url of the server's program. */
import { AuditLog } from "../workload/log.ts";

const [auditor = "", server = ""] = process.argv.slice(2);
const log = await AuditLog.open(Number(auditor));
// Only the server decides when the process ends in order.
log.unref();
await import(server);
