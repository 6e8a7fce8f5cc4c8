/** A simulated network in front of a database: each byte arrives later, in both directions. */
import { connect, createServer, type Socket } from "node:net";
import { once } from "node:events";

export interface DelayedProxy extends AsyncDisposable {
  /** The same database, through the proxy. */
  readonly url: string;
}

/** @param oneWayMs Added in each direction; 0 is a proxy that only copies. */
export async function delayedProxy(url: string, oneWayMs: number): Promise<DelayedProxy> {
  const target = new URL(url);
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect(Number(target.port), target.hostname);
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.setNoDelay(true);
      socket.on("error", () => void socket.destroy());
    }
    forward(near, far, oneWayMs);
    forward(far, near, oneWayMs);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const through = new URL(url);
  through.hostname = "127.0.0.1";
  through.port = String(typeof address === "object" ? address?.port : 0);
  return {
    url: through.href,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}

function forward(from: Socket, to: Socket, delayMs: number): void {
  const later = (work: () => void): void => {
    if (delayMs === 0) work();
    else setTimeout(work, delayMs);
  };
  from.on("data", (chunk) => later(() => void (to.writable && to.write(chunk))));
  from.on("close", () => later(() => void to.destroy()));
}
