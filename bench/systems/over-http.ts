/** Oxbow with a server in between, which is a process of its own, like client and worker. */
import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { migrate } from "@oxbow/sdk/internal/server";
import { addBystanders } from "./bystanders.ts";
import { connect, serve } from "./oxbow.ts";
import type { System } from "./system.ts";

interface Address {
  readonly server: string;
  readonly database: string;
}

const read = (address: string): Address => JSON.parse(address) as Address;

/** @param clients Whether clients use the server too, or only workers. */
export const overHttp = (clients: "direct" | "over-http"): System => ({
  install: async (database) => {
    await migrate(database);
    await addBystanders(database);
    const script = fileURLToPath(new URL("http-server.ts", import.meta.url));
    const [server] = (await once(fork(script, [database]), "message")) as [string];
    return JSON.stringify({ server, database } satisfies Address);
  },
  workflows: {
    connect: (address) => {
      const { server, database } = read(address);
      return connect(clients === "direct" ? database : server, database);
    },
    serve: (address) => serve(read(address).server),
  },
});
