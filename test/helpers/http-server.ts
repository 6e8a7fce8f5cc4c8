import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { atFileEnd } from "./file-end.ts";

/** Serves HTTP on this machine until the end of the file; returns the url, without a path. */
export async function serveHttp(listener: RequestListener, port = 0): Promise<string> {
  const server = createServer(listener).listen(port, "127.0.0.1");
  await once(server, "listening");
  atFileEnd(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
