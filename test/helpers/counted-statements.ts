/** A TCP proxy before the database that counts the round trips of statements. */
import { once } from "node:events";
import { connect, createServer, type AddressInfo, type Socket } from "node:net";
import { atFileEnd } from "./file-end.ts";

/** Message types of Postgres clients that wait for an answer: Sync, after an extended query, and Query. */
const ASKING = new Set(["S", "Q"]);

export interface CountedStatements {
  readonly url: string;
  /** Since the last call. */
  readonly take: () => { readonly statements: number; readonly connections: number };
}

export async function countStatements(url: string): Promise<CountedStatements> {
  const target = new URL(url);
  let statements = 0;
  let connections = 0;
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    connections += 1;
    const far = connect(Number(target.port), target.hostname);
    const count = makeCounter(() => {
      statements += 1;
    });
    near.on("data", (data) => {
      count(data);
      far.write(data);
    });
    far.pipe(near);
    near.on("close", () => void far.destroy());
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on("error", () => {});
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  atFileEnd(async () => {
    for (const socket of sockets) socket.destroy();
    server.close();
    await once(server, "close");
  });
  const own = new URL(url);
  own.hostname = "127.0.0.1";
  own.port = String((server.address() as AddressInfo).port);
  return {
    url: own.href,
    take: () => {
      const counted = { statements, connections };
      statements = 0;
      connections = 0;
      return counted;
    },
  };
}

/** Reads what a client sends: first a message without a type, then messages of a type and a length. */
function makeCounter(onAsked: () => void): (data: Buffer) => void {
  let rest = Buffer.alloc(0);
  let isStarted = false;
  return (data) => {
    rest = Buffer.concat([rest, data]);
    for (;;) {
      const header = isStarted ? 1 : 0;
      if (rest.length < header + 4) return;
      const length = header + rest.readUInt32BE(header);
      if (rest.length < length) return;
      if (isStarted && ASKING.has(String.fromCodePoint(rest[0] ?? 0))) onAsked();
      isStarted = true;
      rest = rest.subarray(length);
    }
  };
}
