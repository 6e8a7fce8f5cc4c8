import { once } from "node:events";
import { createServer } from "node:net";

type Internal = typeof import("@oxbow/sdk/internal/testing");

/** Older checkouts, which the suite tries too, export no function for it. */
const { findFreePort: find } = (await import("@oxbow/sdk/internal/testing")) as Partial<Internal>;

export const findFreePort = (): Promise<number> => (find ?? findEphemeralPort)();

async function findEphemeralPort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  return typeof address === "object" ? (address?.port ?? 0) : 0;
}
